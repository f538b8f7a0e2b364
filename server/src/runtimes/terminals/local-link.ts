/** A client attached to a terminal of this process. */
import type { TerminalSize } from '../../platform/sandbox/sandbox-provider.ts';
import type { OutputRing } from './output-ring.ts';
import type { LinkEnd, TerminalLink } from './terminal-link.ts';

const PIECE_BYTES = 64 * 1024;

/** The terminal that a link is attached to. */
interface Linked {
  readonly id: string;
  readonly shown: OutputRing;
  readonly exitCode: number | undefined;
  write(bytes: Buffer): Promise<void>;
  resize(size: TerminalSize): void;
  hangUp(): void;
  /** Called when more output may be read or sent. */
  balance(): void;
  leave(link: LocalLink): void;
}

interface LinkStart {
  readonly offset: number;
  readonly lost: number;
  readonly acknowledges: boolean;
}

export class LocalLink implements TerminalLink {
  readonly terminalId: string;
  readonly offset: number;
  readonly lost: number;
  readonly #terminal: Linked;
  readonly #acknowledges: boolean;
  readonly #ended = Promise.withResolvers<LinkEnd>();
  #hasEnded = false;
  /** Number of the next byte to read. */
  #next: number;
  #safe: number;
  #wakened = Promise.withResolvers<void>();

  constructor(terminal: Linked, { offset, lost, acknowledges }: LinkStart) {
    this.terminalId = terminal.id;
    this.offset = offset;
    this.lost = lost;
    this.#terminal = terminal;
    this.#acknowledges = acknowledges;
    this.#next = offset;
    this.#safe = offset;
  }

  get ended(): Promise<LinkEnd> {
    return this.#ended.promise;
  }

  /** All bytes before this number are known to have arrived. */
  get safe(): number {
    return this.#safe;
  }

  /** A reader that continues has sent everything read before. */
  async read(): Promise<Buffer | undefined> {
    if (!this.#acknowledges) this.#settle(this.#next);
    while (!this.#hasEnded) {
      const { shown, exitCode } = this.#terminal;
      const bytes = shown.read(this.#next, PIECE_BYTES);
      this.#next += bytes.length;
      if (bytes.length > 0) return bytes;
      if (exitCode !== undefined) this.end({ kind: 'exit', code: exitCode });
      else await this.#wakened.promise;
    }
    return undefined;
  }

  write(bytes: Buffer): Promise<void> {
    return this.#hasEnded ? Promise.resolve() : this.#terminal.write(bytes);
  }

  resize(size: TerminalSize): void {
    if (!this.#hasEnded) this.#terminal.resize(size);
  }

  acknowledge(offset: number): void {
    if (this.#acknowledges) this.#settle(Math.min(offset, this.#next));
  }

  detach(): void {
    this.end({ kind: 'detached' });
  }

  hangUp(): void {
    if (!this.#hasEnded) this.#terminal.hangUp();
  }

  /** Wakes the reader when there is output or an end to report. */
  wake(): void {
    this.#wakened.resolve();
    this.#wakened = Promise.withResolvers();
  }

  end(end: LinkEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#ended.resolve(end);
    this.#terminal.leave(this);
    this.wake();
  }

  #settle(offset: number): void {
    if (this.#hasEnded || offset <= this.#safe) return;
    this.#safe = offset;
    this.#terminal.balance();
  }
}
