/** A program in a terminal, its recent output, and the attached client. */
import { ApiError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { TerminalProcess, TerminalSize } from '../../platform/sandbox/sandbox-provider.ts';
import { LocalLink } from './local-link.ts';
import { OutputRing } from './output-ring.ts';
import type { TerminalRequest } from './terminal-link.ts';

/**
 * Share of the buffer that unacknowledged output may use. The rest is for output between a network failure and its detection, and later.
 */
const HELD_SHARE = 1 / 2;
/** Bytes after which output rests while no client is attached, which limits the cost for the host. */
const UNSEEN_BYTES = 64 * 1024;
const UNSEEN_REST_MS = 20;
const RESIZE_RETRY_MS = 1_000;

/** The owner of a terminal: others get 404 for its id. */
export interface TerminalOwner {
  readonly organizationId: string;
  readonly runtimeId: string;
  readonly sandboxId: string;
  readonly userId: string;
}

export interface TerminalOptions {
  readonly id: string;
  readonly owner: TerminalOwner;
  readonly process: TerminalProcess;
  readonly isPaused: () => Promise<boolean>;
  readonly keptBytes: number;
  readonly log: Log;
}

export class Terminal {
  readonly id: string;
  readonly owner: TerminalOwner;
  readonly #process: TerminalProcess;
  readonly #isPaused: () => Promise<boolean>;
  readonly #ring: OutputRing;
  readonly #heldBytes: number;
  readonly #log: Log;
  #link: LocalLink | undefined;
  #exitCode: number | undefined;
  #leftAt = performance.now();
  #unseenBytes = 0;
  #rest: NodeJS.Timeout | undefined;
  #wantedSize: TerminalSize | undefined;
  #isResizing = false;

  constructor({ id, owner, process, isPaused, keptBytes, log }: TerminalOptions) {
    this.id = id;
    this.owner = owner;
    this.#process = process;
    this.#isPaused = isPaused;
    this.#ring = new OutputRing(keptBytes);
    this.#heldBytes = keptBytes * HELD_SHARE;
    this.#log = log;
    process.input.on('error', () => undefined); // The program may have ended before it has read everything.
    process.output.on('data', (bytes: Buffer) => this.#take(bytes));
    process.output.on('error', () => undefined);
    process.output.once('close', () => void this.#end());
  }

  /** Exit code, set when the program has ended and all of its output has arrived. */
  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  /** Time since when no client is attached; undefined while one is. */
  get leftAt(): number | undefined {
    return this.#link ? undefined : this.#leftAt;
  }

  get shown(): OutputRing {
    return this.#ring;
  }

  /** @throws {ApiError} when the terminal has shown less output than the caller claims to have seen */
  attach({ after, size, acknowledges }: TerminalRequest): LocalLink {
    this.requireShown(after);
    const offset = Math.max(after, this.#ring.start);
    const link = new LocalLink(this, { offset, lost: offset - after, acknowledges });
    this.#link?.end({ kind: 'taken_over' });
    this.#link = link;
    if (size) this.resize(size);
    this.balance();
    return link;
  }

  requireShown(after: number): void {
    if (after <= this.#ring.end) return;
    const msg = `must not be above ${this.#ring.end}: it has shown no more yet`;
    throw new ApiError('validation_error', `The terminal has shown only ${this.#ring.end} bytes.`, {
      issues: [{ loc: ['after'], msg, type: 'too_big' }],
    });
  }

  /** Detaches this link if it is still the attached one. */
  leave(link: LocalLink): void {
    if (this.#link !== link) return;
    this.#link = undefined;
    this.#leftAt = performance.now();
    this.balance();
  }

  async write(bytes: Buffer): Promise<void> {
    const { input } = this.#process;
    if (input.destroyed || input.write(bytes)) return;
    const more = Promise.withResolvers<void>();
    input.once('drain', more.resolve).once('close', more.resolve);
    await more.promise;
    input.off('drain', more.resolve).off('close', more.resolve);
  }

  /** Only the last of several concurrent sizes counts. In a paused sandbox it waits. */
  resize(size: TerminalSize): void {
    this.#wantedSize = size;
    if (!this.#isResizing) void this.#applySizes();
  }

  hangUp(): void {
    this.#process.kill();
  }

  /** Ends the terminal when no client has attached for too long. A pause of the sandbox does not count, because its time stands still. */
  async expire(): Promise<void> {
    if (await this.#isPaused()) this.#leftAt = performance.now();
    else if (!this.#link) this.hangUp();
  }

  /** Resolves when no process of it runs. */
  async ended(): Promise<void> {
    await this.#process.exit;
  }

  /** Notifies the attached client of the end. */
  cutOff(): void {
    this.#link?.end({ kind: 'lost' });
  }

  /** Reads on, or blocks the program until the attached client has caught up. */
  balance(): void {
    if (this.#rest) return;
    const unsafe = this.#link ? this.#ring.end - this.#link.safe : 0;
    if (unsafe >= this.#heldBytes) this.#process.output.pause();
    else this.#process.output.resume();
  }

  #take(bytes: Buffer): void {
    this.#ring.append(bytes);
    if (this.#link) {
      this.#link.wake();
      this.balance();
      return;
    }
    this.#unseenBytes += bytes.length;
    if (this.#unseenBytes < UNSEEN_BYTES) return;
    this.#unseenBytes = 0;
    this.#process.output.pause();
    this.#rest = setTimeout(() => {
      this.#rest = undefined;
      this.balance();
    }, UNSEEN_REST_MS).unref();
  }

  async #end(): Promise<void> {
    const { code } = await this.#process.exit;
    this.#exitCode = code;
    this.#link?.wake();
  }

  async #applySizes(): Promise<void> {
    this.#isResizing = true;
    while (this.#wantedSize && this.#exitCode === undefined) {
      const size = this.#wantedSize;
      try {
        await this.#process.resize(size);
        if (this.#wantedSize === size) this.#wantedSize = undefined;
      } catch (error) {
        if (!(error instanceof ApiError && error.type === 'conflict_error')) {
          this.#log.warn({ err: error, terminal_id: this.id }, 'a terminal could not be given another size');
          break;
        }
        await new Promise((resolve) => setTimeout(resolve, RESIZE_RETRY_MS).unref());
      }
    }
    this.#isResizing = false;
  }
}
