/**
 * The way of a sandbox's next command, opened ahead: most of the time that a command takes to begin is that of the programs
 * that lead to it, and whoever has run one command mostly runs another soon.
 */
import type { WayIn } from './way-in.ts';

/** After the last use of the sandbox; then whoever comes opens one by themselves. */
const KEPT_MS = 60_000;

export class WayAhead {
  readonly #open: () => Promise<WayIn>;
  #way: Promise<WayIn | undefined> | undefined;
  #rest: NodeJS.Timeout | undefined;

  constructor(open: () => Promise<WayIn>) {
    this.#open = open;
  }

  /** One, for a while. What goes wrong with it is found by whoever has to open another. */
  prepare(): void {
    this.#way ??= this.#open().catch(() => undefined);
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => void this.drop(), KEPT_MS).unref();
  }

  /** @returns undefined where there is none, or it has ended meanwhile */
  async take(): Promise<WayIn | undefined> {
    const taken = this.#way;
    this.#way = undefined;
    const way = await taken;
    if (way?.isOpen()) return way;
    await way?.close();
    return undefined;
  }

  /** How many processes wait. */
  async count(): Promise<number> {
    const way = await this.#way;
    return way?.isOpen() ? 1 : 0;
  }

  /** Nothing of it is left when this resolves. */
  async drop(): Promise<void> {
    clearTimeout(this.#rest);
    const dropped = this.#way;
    this.#way = undefined;
    await (await dropped)?.close();
  }
}
