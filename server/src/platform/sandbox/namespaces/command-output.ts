/**
 * What a command writes, until the command ends.
 *
 * A process that it left in the background may hold the same pipe for ever. So the end is when the pipe is closed, or when the
 * command has ended and nothing has come for a moment, in which a last helper of it may have its say. What comes later is read and dropped, slowly: whoever writes it is to
 * live on, and not to take this process's time.
 */
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';

const DROP_INTERVAL_MS = 50;
/** Turns of the event loop in which the pipe was asked and had nothing. */
const QUIET_TURNS = 3;
const QUIET_MS = 100;
/** For those who are never quiet: as long as this, and as much as a pipe may hold of what came before the end. */
const LONGEST_MS = 500;
const PIPE_BYTES = 1024 ** 2;

export class CommandOutput extends Readable {
  private readonly source: Socket;
  private hasEnded = false;
  /** When the command ended. */
  private settlingSince: number | undefined;
  private lastAt = 0;
  private lateBytes = 0;
  private quietTurns = 0;
  private isWaiting = false;
  private drops: NodeJS.Timeout | undefined;

  constructor(source: Socket) {
    super();
    this.source = source;
    source.on('data', (chunk: Buffer) => this.receive(chunk));
    source.on('close', () => this.finish());
    source.on('error', () => this.finish());
    source.pause();
  }

  get isOpen(): boolean {
    return !this.source.destroyed;
  }

  /** Nobody listens any more, and something in the background may still write. */
  get isLeft(): boolean {
    return this.hasEnded && this.isOpen;
  }

  /** Whoever still writes is told that nobody reads. */
  abandon(): void {
    this.source.destroy();
  }

  /** The command has ended. */
  settle(): void {
    if (this.settlingSince !== undefined || this.hasEnded) return;
    this.settlingSince = this.lastAt = performance.now();
    this.waitForQuiet();
  }

  override _read(): void {
    if (this.hasEnded) return;
    this.source.resume();
    if (this.settlingSince !== undefined) this.waitForQuiet();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.finish();
    if (!this.source.destroyed) this.dropRest();
    done(error);
  }

  private receive(chunk: Buffer): void {
    this.quietTurns = 0;
    if (this.hasEnded) {
      this.source.pause();
      this.drops = setTimeout(() => this.source.resume(), DROP_INTERVAL_MS).unref();
      return;
    }
    this.lastAt = performance.now();
    const isRead = this.push(chunk);
    if (this.settlingSince !== undefined) this.lateBytes += chunk.length;
    if (this.lateBytes > PIPE_BYTES && this.isLate()) this.leave();
    else if (!isRead) this.source.pause();
  }

  private isLate(): boolean {
    return this.settlingSince !== undefined && performance.now() - this.settlingSince > LONGEST_MS;
  }

  /** While its reader is slow nothing is asked of the pipe, and this goes on when it reads again. */
  private waitForQuiet(): void {
    if (this.isWaiting) return;
    this.isWaiting = true;
    setImmediate(() => {
      this.isWaiting = false;
      if (this.hasEnded || this.source.isPaused()) return;
      this.quietTurns += 1;
      if (this.quietTurns < QUIET_TURNS) return this.waitForQuiet();
      if (this.isLate() || performance.now() - this.lastAt > QUIET_MS) return this.leave();
      this.quietTurns = 0;
      setTimeout(() => this.waitForQuiet(), QUIET_MS / 10);
    });
  }

  private leave(): void {
    this.finish();
    this.dropRest();
  }

  private finish(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.push(null);
  }

  private dropRest(): void {
    this.source.unref();
    this.source.resume();
    this.source.once('close', () => clearTimeout(this.drops));
  }
}
