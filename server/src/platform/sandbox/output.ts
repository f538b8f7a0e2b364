/** Reads the output of a command as bounded text, until the command ends, its time is up or its caller disconnects. */
import { finished, pipeline, type Readable, type Writable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { ApiError } from '../errors.ts';
import type { Execution } from './sandbox-provider.ts';

export interface OutputOptions {
  readonly timeoutMs: number;
  /** Aborted when the caller disconnects: the command is ended, and the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Input of the command; empty by default. */
  readonly stdin?: string | Uint8Array | Readable;
  /** Limit for each of stdout and stderr; the rest is read and dropped. */
  readonly maxBytes?: number;
}

export interface Outcome {
  /** 137 when the timeout expired. */
  readonly exit_code: number;
  readonly truncated: boolean;
  readonly duration_ms: number;
  readonly timed_out: boolean;
}

export interface Output extends Outcome {
  readonly stdout: string;
  readonly stderr: string;
}

/** Receives text as it arrives; while its promise is pending, that stream is not read further. */
export type OnText = (stream: 'stdout' | 'stderr', text: string) => void | Promise<void>;

const USUAL_BYTES = 1024 * 1024;
/** Rate at which excess output is read: at full speed it would use up the single thread of this process. */
const DROPPED_BYTES_PER_MS = 256 * 1024;
/** When a background process holds the output open, the output ends after the command has ended and nothing has arrived for this time. */
const QUIET_MS = 50;
/** Minimum number of event loop turns in addition, since time also passes while this process is busy and reads nothing. */
const QUIET_TURNS = 4;
/** A frozen process does not die before it is thawed, so the wait is limited. */
const DEATH_MS = 5_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const EXIT_CODE_OF_KILLED = 137;

/** Collects at most 1 MiB of each output by default. */
export async function collectOutput(execution: Execution, options: OutputOptions): Promise<Output> {
  const maxBytes = options.maxBytes ?? USUAL_BYTES;
  const texts = { stdout: new GrowingText(maxBytes), stderr: new GrowingText(maxBytes) };
  const take: Take = (stream, bytes) => texts[stream].append(bytes);
  const outcome = await follow(execution, { ...options, maxBytes }, take);
  const [stdout, stderr] = [texts.stdout.toString(), texts.stderr.toString()];
  return { ...outcome, stdout, stderr };
}

/** Follows all output by default. */
export async function followOutput(
  execution: Execution,
  options: OutputOptions,
  onText: OnText,
): Promise<Outcome> {
  const decoders = { stdout: createDecoder(), stderr: createDecoder() };
  const emit = (stream: 'stdout' | 'stderr', text: string) =>
    text === '' ? undefined : onText(stream, text);
  const outcome = await follow(execution, options, (stream, bytes) =>
    emit(stream, decoders[stream].decode(bytes, { stream: true })),
  );
  // A character cut by the limit is left out; one that the command left incomplete is shown as U+FFFD.
  if (!outcome.truncated) {
    await emit('stdout', decoders.stdout.decode());
    await emit('stderr', decoders.stderr.decode());
  }
  return outcome;
}

const createDecoder = () => new TextDecoder('utf-8', { ignoreBOM: true });

type Take = (stream: 'stdout' | 'stderr', bytes: Buffer) => void | Promise<void>;

async function follow(execution: Execution, options: OutputOptions, take: Take): Promise<Outcome> {
  const started = performance.now();
  const broken = Promise.withResolvers<never>();
  const leave = () => broken.reject(options.signal?.reason);
  options.signal?.addEventListener('abort', leave);
  if (options.signal?.aborted) leave();
  feed(execution.stdin, options.stdin);
  const read = (stream: 'stdout' | 'stderr') =>
    new Reading(execution[stream], options.maxBytes ?? Number.POSITIVE_INFINITY, {
      take: async (bytes) => {
        try {
          await take(stream, bytes);
        } catch (error) {
          broken.reject(error);
        }
      },
      lost: broken.reject,
    });
  const readings = [read('stdout'), read('stderr')];
  try {
    const ending = await Promise.race([untilEnded(execution, options.timeoutMs), broken.promise]);
    const duration_ms = Math.round(performance.now() - started);
    await Promise.race([Promise.all(readings.map((reading) => reading.untilRead())), broken.promise]);
    const truncated = readings.some((reading) => reading.isTruncated);
    return { ...ending, truncated, duration_ms };
  } catch (error) {
    execution.kill();
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', leave);
    execution.stdin.destroy();
    for (const reading of readings) reading.leave();
  }
}

function feed(stdin: Writable, input: OutputOptions['stdin'] = ''): void {
  stdin.on('error', () => undefined); // the command need not read it, nor live that long
  if (typeof input === 'string' || input instanceof Uint8Array) stdin.end(input);
  else pipeline(input, stdin, () => undefined);
}

async function untilEnded(execution: Execution, timeoutMs: number) {
  const over = new AbortController();
  const after = (ms: number) =>
    wait(Math.min(ms, LONGEST_TIMER_MS), undefined, { signal: over.signal }).catch(() => undefined);
  try {
    const exit = await Promise.race([execution.exit, after(timeoutMs)]);
    if (exit) return { exit_code: exit.code, timed_out: false };
    execution.kill();
    await Promise.race([execution.exit, after(DEATH_MS)]);
    return { exit_code: EXIT_CODE_OF_KILLED, timed_out: true };
  } finally {
    over.abort();
  }
}

class Reading {
  isTruncated = false;
  private readonly stream: Readable;
  private readonly take: (bytes: Buffer) => Promise<void>;
  private left: number;
  private droppedBytes = 0;
  private lastMoved = performance.now();
  private isTaking = false;
  private hasEnded = false;
  private readonly ended: Promise<void>;

  constructor(
    stream: Readable,
    maxBytes: number,
    { take, lost }: { take: (bytes: Buffer) => Promise<void>; lost: (error: ApiError) => void },
  ) {
    this.stream = stream;
    this.left = maxBytes;
    this.take = take;
    this.ended = new Promise((ended) => {
      finished(stream, { writable: false }, (error) => {
        this.hasEnded = true;
        // The output of a lost command is incomplete, so it is not returned.
        if (error instanceof ApiError) lost(error);
        ended();
      });
    });
    stream.on('data', (bytes: Buffer) => void this.receive(bytes));
  }

  /** Resolves at the end of the output, or when nothing more arrives. */
  async untilRead(): Promise<void> {
    this.lastMoved = performance.now();
    while (!this.hasEnded && !this.isQuiet()) {
      await Promise.race([this.ended, wait(QUIET_MS)]);
      for (let turn = 0; turn < QUIET_TURNS && !this.hasEnded; turn++) await nextTurn();
    }
    while (this.isTaking) await wait(1);
  }

  leave(): void {
    this.stream.destroy();
  }

  private isQuiet(): boolean {
    return !this.isTaking && performance.now() - this.lastMoved >= QUIET_MS;
  }

  private async receive(bytes: Buffer): Promise<void> {
    this.lastMoved = performance.now();
    const piece = bytes.subarray(0, this.left);
    this.left -= piece.length;
    if (piece.length < bytes.length) this.drop(bytes.length - piece.length);
    if (piece.length === 0) return;
    this.isTaking = true;
    this.stream.pause();
    await this.take(piece);
    this.isTaking = false;
    this.lastMoved = performance.now();
    this.stream.resume();
  }

  private drop(bytes: number): void {
    this.isTruncated = true;
    this.droppedBytes += bytes;
    if (this.droppedBytes < DROPPED_BYTES_PER_MS) return;
    this.droppedBytes = 0;
    this.stream.pause();
    setTimeout(() => this.stream.resume(), 1);
  }
}

/** A single growing buffer: a command that writes single bytes would otherwise cost a hundred times its output. */
class GrowingText {
  private readonly maxBytes: number;
  private kept = Buffer.alloc(0);
  private length = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  append(bytes: Buffer): void {
    const needed = this.length + bytes.length;
    if (needed > this.kept.length) {
      this.kept = Buffer.concat([this.kept], Math.min(this.maxBytes, Math.max(2 * needed, 4096)));
    }
    this.length += bytes.copy(this.kept, this.length);
  }

  /** Decodes everything at once, since a character may be split over two chunks. A character cut at the limit is left out. */
  toString(): string {
    const isFull = this.length === this.maxBytes;
    return createDecoder().decode(this.kept.subarray(0, this.length), { stream: isFull });
  }
}
