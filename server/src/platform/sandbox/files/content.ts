/** The content of a file as printed by a command: a line with its size and time, then its bytes. */
import { finished, pipeline, type Readable, Transform } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { ApiError } from '../../errors.ts';
import type { Execution } from '../sandbox-provider.ts';
import { toTime } from './entry.ts';

interface Content {
  readonly size_bytes: number;
  readonly modified_at: string;
  readonly stream: Readable;
}

const MAX_HEAD_BYTES = 200;

/** @param toRefusal creates the error for a command that ended before it printed anything */
export async function openContent(
  execution: Execution,
  timeoutMs: number,
  toRefusal: (status: number) => ApiError,
): Promise<Content> {
  const { stdin, stdout, stderr } = execution;
  stdin.on('error', () => undefined).end();
  stderr.on('error', () => undefined).resume();
  try {
    const head = await readHead(execution, timeoutMs);
    if (head === undefined) throw toRefusal((await execution.exit).code);
    const [size, seconds] = head.split(' ').map(Number);
    if (size === undefined || seconds === undefined || !Number.isSafeInteger(size)) throw incomplete();
    const stream = new Counted(size);
    pipeline(stdout, stream, () => undefined);
    finished(stream, () => execution.kill());
    return { size_bytes: size, modified_at: toTime(seconds), stream };
  } catch (error) {
    execution.kill();
    stdout.destroy();
    throw error;
  }
}

const incomplete = () =>
  new ApiError(
    'sandbox_provider_error',
    'The sandbox did not send the whole file: the file changed, or the command was ended. Try again.',
  );

/** @returns the first line; undefined when the command ended without one */
async function readHead({ stdout }: Execution, timeoutMs: number): Promise<string | undefined> {
  const over = new AbortController();
  const late = wait(timeoutMs, undefined, { signal: over.signal }).then(
    () => {
      throw new ApiError('sandbox_provider_error', 'The sandbox took too long. Try again.');
    },
    () => undefined,
  );
  try {
    return await Promise.race([readLine(stdout), late]);
  } finally {
    over.abort();
  }
}

async function readLine(stream: Readable): Promise<string | undefined> {
  let line = Buffer.alloc(0);
  const ended = new Promise<undefined>((resolve) =>
    finished(stream, { writable: false }, () => resolve(undefined)),
  );
  while (line.length <= MAX_HEAD_BYTES) {
    const chunk: Buffer | null = stream.read();
    if (chunk === null) {
      const readable = new Promise<true>((resolve) => stream.once('readable', () => resolve(true)));
      if ((await Promise.race([readable, ended])) === undefined) return undefined;
      continue;
    }
    line = Buffer.concat([line, chunk]);
    const end = line.indexOf('\n');
    if (end === -1) continue;
    if (end + 1 < line.length) stream.unshift(line.subarray(end + 1));
    return line.subarray(0, end).toString();
  }
  throw incomplete();
}

/** Passes on the expected number of bytes, and fails for any other number. */
class Counted extends Transform {
  private left: number;

  constructor(size: number) {
    super();
    this.left = size;
  }

  override _transform(
    bytes: Buffer,
    _: BufferEncoding,
    done: (error: Error | null, bytes?: Buffer) => void,
  ): void {
    this.left -= bytes.length;
    if (this.left < 0) done(incomplete());
    else done(null, bytes);
  }

  override _flush(done: (error?: Error | null) => void): void {
    done(this.left === 0 ? null : incomplete());
  }
}
