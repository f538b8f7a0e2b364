/** Terminals of this host's sandboxes. They live in this process and end with it. */
import { ApiError, notFound } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { SandboxProvider, TerminalSize } from '../../platform/sandbox/sandbox-provider.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { Terminal, type TerminalOwner } from './terminal.ts';
import type { TerminalLink, TerminalRequest } from './terminal-link.ts';

export interface TerminalLimits {
  /** Maximum number of running terminals per sandbox. */
  readonly perSandbox: number;
  /** Includes ended terminals whose output can still be read. */
  readonly perProcess: number;
  /** Bytes of recent output to keep per terminal; far more than the 64 KiB that arrive at once. */
  readonly keptBytes: number;
  /** Milliseconds without a client after which a running terminal is ended and an ended one is dropped. */
  readonly detachedMs: number;
}

export const TERMINAL_LIMITS: TerminalLimits = {
  perSandbox: 32,
  perProcess: 512,
  keptBytes: 1024 ** 2,
  detachedMs: 10 * 60_000,
};

const USUAL_SIZE: TerminalSize = { columns: 80, rows: 24 };
const CLOSE_TIMEOUT_MS = 3_000;
/** Number of checks within that time. */
const SWEEPS = 20;

export class Terminals {
  readonly #log: Log;
  readonly #limits: TerminalLimits;
  readonly #terminals = new Map<string, Terminal>();
  readonly #sweep: NodeJS.Timeout;
  /** Terminals being opened, by sandbox. */
  readonly #opening = new Map<string, number>();

  constructor(log: Log, limits: Partial<TerminalLimits> = {}) {
    this.#log = log;
    this.#limits = { ...TERMINAL_LIMITS, ...limits };
    this.#sweep = setInterval(() => void this.#endLeft(), this.#limits.detachedMs / SWEEPS).unref();
  }

  get count(): number {
    return this.#terminals.size;
  }

  /** @throws {ApiError} 404 if the owner has no terminal of that id; 409 or 429 when a limit is reached */
  async attach(
    provider: SandboxProvider,
    owner: TerminalOwner,
    request: TerminalRequest,
  ): Promise<TerminalLink> {
    const { terminalId } = request;
    const terminal =
      terminalId === undefined ? await this.#open(provider, owner, request) : this.get(owner, terminalId);
    return terminal.attach(terminalId === undefined ? { ...request, after: 0, size: undefined } : request);
  }

  get(owner: TerminalOwner, id: string): Terminal {
    const terminal = this.#terminals.get(id);
    const isIt =
      terminal &&
      (Object.keys(owner) as (keyof TerminalOwner)[]).every((name) => terminal.owner[name] === owner[name]);
    if (!isIt) throw notFound(`Terminal "${id}"`);
    return terminal;
  }

  /** Called when the sandbox has ended, and its terminals with it; attached clients can read to the end. */
  forget(sandboxId: string): void {
    for (const { id, owner } of this.#terminals.values())
      if (owner.sandboxId === sandboxId) this.#terminals.delete(id);
  }

  /** Ends all terminals. */
  async close(): Promise<void> {
    clearInterval(this.#sweep);
    const all = [...this.#terminals.values()];
    for (const terminal of all) terminal.hangUp();
    const late = new Promise((resolve) => setTimeout(resolve, CLOSE_TIMEOUT_MS).unref());
    await Promise.race([Promise.all(all.map((terminal) => terminal.ended())), late]);
    this.#terminals.clear();
    for (const terminal of all) terminal.cutOff();
  }

  async #open(
    provider: SandboxProvider,
    owner: TerminalOwner,
    { command, size = USUAL_SIZE }: TerminalRequest,
  ): Promise<Terminal> {
    const { sandboxId } = owner;
    this.#requireRoom(sandboxId);
    this.#count(sandboxId, 1);
    try {
      const process = await provider.openTerminal(sandboxId, command, size);
      const { keptBytes } = this.#limits;
      const isPaused = async () => (await provider.inspect(sandboxId)).state === 'paused';
      const terminal = new Terminal({ id: uuidv7(), owner, process, isPaused, keptBytes, log: this.#log });
      this.#terminals.set(terminal.id, terminal);
      return terminal;
    } finally {
      this.#count(sandboxId, -1);
    }
  }

  #requireRoom(sandboxId: string): void {
    const { perSandbox, perProcess } = this.#limits;
    const running = [...this.#terminals.values()].filter(
      ({ owner, exitCode }) => owner.sandboxId === sandboxId && exitCode === undefined,
    );
    if (running.length + (this.#opening.get(sandboxId) ?? 0) >= perSandbox) {
      const detail = `A sandbox has at most ${perSandbox} terminals at once. End one of them first.`;
      throw new ApiError('conflict_error', detail);
    }
    const opening = [...this.#opening.values()].reduce((sum, count) => sum + count, 0);
    if (this.#terminals.size + opening < perProcess || this.#forgetEnded()) return;
    const detail = 'The host has as many terminals as it may have. Try again when others have ended.';
    throw new ApiError('sandbox_provider_rate_limit_error', detail);
  }

  #count(sandboxId: string, change: 1 | -1): void {
    const count = (this.#opening.get(sandboxId) ?? 0) + change;
    if (count > 0) this.#opening.set(sandboxId, count);
    else this.#opening.delete(sandboxId);
  }

  /**
   * Drops the ended terminal that has been without a client for longest.
   * @returns whether there was one
   */
  #forgetEnded(): boolean {
    const ended = [...this.#terminals.values()].filter(
      ({ exitCode, leftAt }) => exitCode !== undefined && leftAt !== undefined,
    );
    const [first] = ended.toSorted((a, b) => (a.leftAt ?? 0) - (b.leftAt ?? 0));
    return first !== undefined && this.#terminals.delete(first.id);
  }

  async #endLeft(): Promise<void> {
    const before = performance.now() - this.#limits.detachedMs;
    for (const terminal of this.#terminals.values()) {
      const { leftAt = Infinity } = terminal;
      if (leftAt > before) continue;
      if (terminal.exitCode !== undefined) this.#terminals.delete(terminal.id);
      else await this.#expire(terminal);
    }
  }

  /** A terminal that cannot be inspected now is checked again later; the others do not wait for it. */
  async #expire(terminal: Terminal): Promise<void> {
    try {
      await terminal.expire();
    } catch (error) {
      this.#log.warn({ err: error, terminal_id: terminal.id }, 'a terminal could not be looked at');
    }
  }
}
