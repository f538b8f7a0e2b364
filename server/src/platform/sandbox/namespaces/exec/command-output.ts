/**
 * Reads the output of a command until the command ends. A background process may hold the same pipe forever. So the output ends when the
 * pipe is closed, or when the command has ended and nothing has arrived for a moment, in which a last helper may still write. Later output
 * is read and dropped, slowly: the background process must keep running without using up this process's time.
 */
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';

const DROP_INTERVAL_MS = 50;
/** Number of event loop turns in which the pipe was read and was empty. */
const QUIET_TURNS = 3;
const QUIET_MS = 100;
/** Limits for writers that never pause: this time, and as much as a pipe may hold from before the end. */
const LONGEST_MS = 500;
const PIPE_BYTES = 1024 ** 2;

export class CommandOutput extends Readable {
  private readonly source: Socket;
  private hasEnded = false;
  /** Time when the command ended. */
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

  /** True when nothing reads the output any more and a background process may still write. */
  get isLeft(): boolean {
    return this.hasEnded && this.isOpen;
  }

  /** Closes the pipe, which a remaining writer sees as an error. */
  abandon(): void {
    this.source.destroy();
  }

  /** Marks the command as ended. */
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

  /** Pauses while the reader is slow, and continues when it reads again. */
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
