/**
 * The way of a sandbox's next command, opened in advance: most of the startup time of a command goes into the programs that lead to it, and
 * a command is usually followed by another soon.
 */
import type { WayIn } from './way-in.ts';

/** Time that a prepared way is kept after the last use of the sandbox; later commands open one themselves. */
const KEPT_MS = 60_000;

export class WayAhead {
  readonly #open: () => Promise<WayIn>;
  #way: Promise<WayIn | undefined> | undefined;
  #rest: NodeJS.Timeout | undefined;

  constructor(open: () => Promise<WayIn>) {
    this.#open = open;
  }

  /** Prepares a way and keeps it for a while. Errors are ignored, since the command that has to open another one reports them. */
  prepare(): void {
    this.#way ??= this.#open().catch(() => undefined);
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => void this.drop(), KEPT_MS).unref();
  }

  /** @returns undefined when there is none, or it has ended in between */
  async take(): Promise<WayIn | undefined> {
    const taken = this.#way;
    this.#way = undefined;
    const way = await taken;
    if (way?.isOpen()) return way;
    await way?.close();
    return undefined;
  }

  /** Counts the waiting processes. */
  async count(): Promise<number> {
    const way = await this.#way;
    return way?.isOpen() ? 1 : 0;
  }

  /** Resolves when nothing of it is left. */
  async drop(): Promise<void> {
    clearTimeout(this.#rest);
    const dropped = this.#way;
    this.#way = undefined;
    await (await dropped)?.close();
  }
}
