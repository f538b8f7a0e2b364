/**
 * The process of a sandbox's next command, started in advance: most of the startup time of a command goes into entering the sandbox, and
 * a command is usually followed by another soon.
 */
import type { ExecProcess } from './exec-process.ts';

/** Time that a spare process is kept after the last use of the sandbox; later commands start one themselves. */
const KEPT_MS = 60_000;

export class SpareExec {
  readonly #open: () => Promise<ExecProcess>;
  #spare: Promise<ExecProcess | undefined> | undefined;
  #rest: NodeJS.Timeout | undefined;

  constructor(open: () => Promise<ExecProcess>) {
    this.#open = open;
  }

  /** Starts a spare process and keeps it for a while. Errors are ignored, since the command that has to start its own reports them. */
  prepare(): void {
    this.#spare ??= this.#open().catch(() => undefined);
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => void this.drop(), KEPT_MS).unref();
  }

  /** @returns undefined when there is none, or it has ended in between */
  async take(): Promise<ExecProcess | undefined> {
    const taken = this.#spare;
    this.#spare = undefined;
    const spare = await taken;
    if (spare?.isOpen()) return spare;
    await spare?.close();
    return undefined;
  }

  /** Counts the waiting processes. */
  async count(): Promise<number> {
    const spare = await this.#spare;
    return spare?.isOpen() ? 1 : 0;
  }

  /** Resolves when nothing of it is left. */
  async drop(): Promise<void> {
    clearTimeout(this.#rest);
    const dropped = this.#spare;
    this.#spare = undefined;
    await (await dropped)?.close();
  }
}
