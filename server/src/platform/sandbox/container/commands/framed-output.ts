/**
 * Splits the single connection of an engine into both outputs of a command: frames with a header of eight bytes and content. An output that
 * is not read applies backpressure to the connection and its writer.
 */
import type { Duplex } from 'node:stream';
import { MarkedOutput } from './marked-output.ts';

const HEADER_BYTES = 8;
const STDERR = 2;

export class FramedOutput {
  readonly stdout: MarkedOutput;
  readonly stderr: MarkedOutput;
  /** First report of the command's script; undefined when the connection ended before. */
  readonly begun: Promise<string | undefined>;
  /** Exit code, after all output was read; undefined when the connection ended before. */
  readonly ended: Promise<number | undefined>;
  private readonly connection: Duplex;
  private readonly beginning = Promise.withResolvers<string | undefined>();
  private readonly ending = Promise.withResolvers<number | undefined>();
  private code: number | undefined;
  private header: Buffer = Buffer.alloc(0);
  private left = 0;
  private target: MarkedOutput;

  constructor(connection: Duplex, mark: string) {
    this.connection = connection;
    this.begun = this.beginning.promise;
    this.ended = this.ending.promise;
    const changed = () => this.settleFlow();
    this.stdout = new MarkedOutput(mark, (word) => this.receive(this.stdout, word), changed);
    this.stderr = new MarkedOutput(mark, (word) => this.receive(this.stderr, word), changed);
    this.target = this.stdout;
    // Readers see the error as an event; an output without a reader must not end this process.
    for (const output of [this.stdout, this.stderr]) output.on('error', () => undefined);
    connection.on('data', (chunk: Buffer) => this.take(chunk));
    connection.once('end', () => this.settle());
    connection.once('close', () => this.settle());
  }

  /** Ends the outputs, for a caller that knows why the connection has ended. */
  finish(): void {
    this.stdout.finish();
    this.stderr.finish();
  }

  /** Fails the outputs, since they are incomplete when the end of the command is unknown. */
  fail(error: Error): void {
    for (const output of [this.stdout, this.stderr]) output.destroy(error);
  }

  /** Drops unread output from now on, so that the exit code can be read. */
  dropUnread(): void {
    for (const output of [this.stdout, this.stderr]) output.isDropping = true;
    this.settleFlow();
  }

  private receive(output: MarkedOutput, word: string): void {
    const code = /^ ended (\d+)\.$/.exec(word)?.[1];
    if (code === undefined) return this.beginning.resolve(word.trim());
    this.code = Number(code);
    output.finish();
    if (this.stdout.isOver && this.stderr.isOver) this.settle();
  }

  private take(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.left === 0) rest = this.takeHeader(rest);
      else {
        const content = rest.subarray(0, this.left);
        rest = rest.subarray(content.length);
        this.left -= content.length;
        this.target.add(content);
      }
    }
    this.settleFlow();
  }

  private takeHeader(bytes: Buffer): Buffer {
    const missing = HEADER_BYTES - this.header.length;
    this.header = Buffer.concat([this.header, bytes.subarray(0, missing)]);
    if (this.header.length === HEADER_BYTES) {
      this.target = this.header[0] === STDERR ? this.stderr : this.stdout;
      this.left = this.header.readUInt32BE(4);
      this.header = Buffer.alloc(0);
    }
    return bytes.subarray(missing);
  }

  private settle(): void {
    this.beginning.resolve(undefined);
    this.ending.resolve(this.code);
  }

  private settleFlow(): void {
    const isHeldUp = [this.stdout, this.stderr].some(({ isFull, isDropping }) => isFull && !isDropping);
    if (isHeldUp) this.connection.pause();
    else if (this.connection.isPaused()) this.connection.resume();
  }
}
