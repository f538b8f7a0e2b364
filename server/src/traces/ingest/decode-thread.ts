/** The main thread's handle of a thread that decodes span bodies: it starts the thread on demand and replaces it after a crash. */
import { setMaxListeners } from 'node:events';
import { Worker } from 'node:worker_threads';
import { FairSemaphore } from '../../platform/admission/fair-semaphore.ts';
import { ApiError } from '../../platform/errors.ts';
import type { DecodeJob, Failure, FromWorker, ToWorker } from './decode-worker.ts';
import { type SpanChunk, workOf } from './span-chunk.ts';

export interface EncodedSpans {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  /** Undefined for a body that is not compressed. */
  readonly contentEncoding: string | undefined;
}

export interface DecodeOptions {
  /** Organizations take turns in the thread. */
  readonly organizationId: string;
  /** Stores a chunk; only a few are decoded ahead of it. */
  readonly store: (chunk: SpanChunk) => Promise<void>;
  /** Returns whether the client still waits for the response. */
  readonly isWanted: () => boolean;
}

/** The number of spans with invalid ids, or the body itself when it is too large for this thread. */
export type Decoded = { readonly badIds: number } | { readonly returned: Uint8Array<ArrayBuffer> };

export interface ThreadOptions {
  /** Maximum size of an unpacked body. */
  readonly maxBytes: number;
  /** Whether a larger body is refused instead of returned for a larger thread. */
  readonly isLast: boolean;
  readonly heapMebibytes: number;
  /** Number of bodies that the thread decodes concurrently, in turns. If the thread dies, all of them fail. */
  readonly atOnce: number;
  /** Number of bodies per organization that the thread decodes concurrently. */
  readonly atOnceOfOne: number;
  /** An idle thread is stopped after this time, which frees its memory. */
  readonly idleMs: number;
}

interface Job extends DecodeOptions {
  readonly id: number;
  readonly encoded: EncodedSpans;
  /** Settled when the thread has decoded the body and all of its spans are stored. */
  readonly settle: PromiseWithResolvers<Decoded>;
  /** Resolved when the thread has decoded the body, so that it can take the next. */
  readonly decoded: PromiseWithResolvers<void>;
  storing: number;
  end?: Decoded;
  failure: unknown;
}

/**
 * Memory for new objects, which the garbage collector fills before it looks at them. Those of a few spans suffice; with V8's own bound the
 * process is 50 MB larger and not faster.
 */
const YOUNG_MEBIBYTES = 24;

const ENTRY = new URL('./decode-worker.ts', import.meta.url);

export class DecodeThread {
  private readonly options: ThreadOptions;
  private readonly semaphore: FairSemaphore;
  private readonly closing = new AbortController();
  /** Jobs in the thread: bodies being decoded, and bodies whose spans are not all stored yet. */
  private readonly given = new Map<number, Job>();
  private worker: Worker | undefined;
  private lastId = 0;
  private idle: NodeJS.Timeout | undefined;

  constructor(options: ThreadOptions) {
    this.options = options;
    this.semaphore = new FairSemaphore(options.atOnce, { maxPerOwner: options.atOnceOfOne });
    // Every waiting body listens to it; Node would warn of a leak at the eleventh.
    setMaxListeners(0, this.closing.signal);
  }

  /**
   * Decodes a body when it is its organization's turn. Resolves when all of its spans are stored.
   * @throws {ApiError} when the body is invalid
   */
  async decode(encoded: EncodedSpans, options: DecodeOptions): Promise<Decoded> {
    const job = {
      ...options,
      id: ++this.lastId,
      encoded,
      settle: Promise.withResolvers<Decoded>(),
      decoded: Promise.withResolvers<void>(),
      storing: 0,
      failure: undefined,
    };
    await this.semaphore.take({ owner: options.organizationId, signal: this.closing.signal }, async () => {
      if (!options.isWanted()) throw requestAborted();
      this.give(job);
      await job.decoded.promise;
    });
    return await job.settle.promise;
  }

  /** Rejects every body that is not decoded yet. */
  async close(): Promise<void> {
    this.closing.abort(stopping());
    clearTimeout(this.idle);
    const { worker } = this;
    this.failAll(stopping);
    await worker?.terminate();
  }

  private stopWhenIdle(): void {
    clearTimeout(this.idle);
    if (!this.worker || [...this.given.values()].some(({ end }) => !end)) return;
    this.idle = setTimeout(() => {
      void this.worker?.terminate();
      // A body that arrives while the thread ends is sent to a new thread.
      this.worker = undefined;
    }, this.options.idleMs).unref();
  }

  private give(job: Job): void {
    clearTimeout(this.idle);
    this.given.set(job.id, job);
    const { id, organizationId, encoded } = job;
    const { maxBytes, isLast } = this.options;
    const message: DecodeJob = { id, organizationId, ...encoded, maxBytes, isLast };
    this.worker ??= this.start();
    this.worker.postMessage({ job: message } satisfies ToWorker, [encoded.body.buffer]);
  }

  private start(): Worker {
    const resourceLimits = {
      maxOldGenerationSizeMb: this.options.heapMebibytes,
      maxYoungGenerationSizeMb: YOUNG_MEBIBYTES,
    };
    const working = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(ENTRY, { resourceLimits, workerData: working });
    let death: unknown;
    worker.unref();
    worker.on('message', (message: FromWorker) => this.receive(worker, message));
    worker.on('error', (error) => {
      death = error;
    });
    worker.on('exit', () => {
      if (this.worker === worker) this.failAll(failuresOf(death, working[0]));
    });
    return worker;
  }

  private receive(worker: Worker, message: FromWorker): void {
    const job = this.given.get(message.id);
    if (!job || job.end) return;
    if ('chunk' in message) void this.store(worker, job, message.chunk);
    else if ('failure' in message) this.end(job, { badIds: 0 }, toError(message.failure));
    else this.end(job, message);
  }

  private async store(worker: Worker, job: Job, chunk: SpanChunk): Promise<void> {
    const send = (message: ToWorker) => worker.postMessage(message, []);
    job.storing++;
    try {
      if (!job.isWanted()) throw requestAborted();
      if (job.failure === undefined) await job.store(chunk);
    } catch (error) {
      job.failure ??= error;
      send({ dropped: job.id });
    }
    job.storing--;
    send({ stored: workOf(chunk), organizationId: job.organizationId });
    this.settle(job);
  }

  private end(job: Job, end: Decoded, failure?: Error): void {
    job.end = end;
    job.failure ??= failure;
    this.settle(job);
    job.decoded.resolve();
    this.stopWhenIdle();
  }

  /** Settles a body once all spans that the thread has sent are stored. */
  private settle(job: Job): void {
    if (!job.end || job.storing > 0) return;
    this.given.delete(job.id);
    if (job.failure === undefined) job.settle.resolve(job.end);
    else job.settle.reject(job.failure);
  }

  private failAll(failureOf: (id: number) => Error): void {
    this.worker = undefined;
    for (const job of [...this.given.values()].filter(({ end }) => !end))
      this.end(job, { badIds: 0 }, failureOf(job.id));
  }
}

/**
 * Returns the errors for the bodies that a dead thread was decoding. Only the body it was working on can be the cause.
 * @param working the id of that body
 */
export function failuresOf(death: unknown, working: number | undefined): (id: number) => Error {
  const isMemory = (death as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
  if (!isMemory) return () => new Error('The decoder died.', { cause: death });
  return (id) => (id === working ? tooMuchMemory() : sendAgain('The decoder had to start anew'));
}

const requestAborted = () => new ApiError('invalid_error', 'The request was aborted.');

const tooMuchMemory = () =>
  new ApiError(
    'invalid_error',
    'The spans of this request take more memory than there is; send fewer at a time.',
  );

const stopping = () => sendAgain('This server is stopping');

const sendAgain = (reason: string) =>
  new ApiError('usage_limit_exceeded_error', `${reason}; send these spans again.`, {
    headers: { 'retry-after': '1' },
  });

function toError({ type, message, issues }: Failure): Error {
  return type ? new ApiError(type, message, { ...(issues && { issues }) }) : new Error(message);
}
