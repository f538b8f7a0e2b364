/** A thread that decodes, seen from the one that answers: started when it is needed, and replaced when it dies. */
import { Worker } from 'node:worker_threads';
import { ApiError } from '../../platform/errors.ts';
import type { DecodeJob, Failure, FromWorker, ToWorker } from './decode-worker.ts';
import { FairQueue } from './fair-queue.ts';
import { type SpanChunk, workOf } from './span-chunk.ts';

export interface EncodedSpans {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  /** undefined where it comes as it is. */
  readonly contentEncoding: string | undefined;
}

export interface DecodeOptions {
  /** Who sends it: they take turns. */
  readonly organizationId: string;
  /** Stores a chunk; no more than a few are decoded ahead of it. */
  readonly store: (chunk: SpanChunk) => Promise<void>;
  /** Whether anyone still waits for it. */
  readonly isWanted: () => boolean;
}

/** How many spans had ids that cannot be, or the body where it is too much for this thread. */
export type Decoded = { readonly badIds: number } | { readonly returned: Uint8Array<ArrayBuffer> };

export interface ThreadOptions {
  /** Of a body when it is unpacked. */
  readonly maxBytes: number;
  /** More than that is too much for every thread. */
  readonly isLast: boolean;
  readonly heapMebibytes: number;
  /** Bodies that the thread decodes by turns; if it dies, then with all of them. */
  readonly atOnce: number;
  /** Of one organization. */
  readonly atOnceOfOne: number;
  /** After which its memory is given back. */
  readonly idleMs: number;
}

interface Job extends DecodeOptions {
  readonly id: number;
  readonly encoded: EncodedSpans;
  readonly settle: PromiseWithResolvers<Decoded>;
  storing: number;
  /** What the thread said last of it. */
  end?: Decoded;
  failure: unknown;
}

const ENTRY = new URL('./decode-worker.ts', import.meta.url);

export class DecodeThread {
  private readonly options: ThreadOptions;
  private readonly waiting = new FairQueue<Job>();
  /** What the thread decodes, and what of that is yet to be stored. */
  private readonly given = new Map<number, Job>();
  private worker: Worker | undefined;
  private lastId = 0;
  /** How many the thread decodes, and of whom. */
  private atHand = 0;
  private readonly atHandOf = new Map<string, number>();
  private isClosed = false;
  private idle: NodeJS.Timeout | undefined;

  constructor(options: ThreadOptions) {
    this.options = options;
  }

  /** When all of it is stored. @throws ApiError where the body is to blame */
  decode(encoded: EncodedSpans, options: DecodeOptions): Promise<Decoded> {
    const settle = Promise.withResolvers<Decoded>();
    const job = { ...options, id: ++this.lastId, encoded, settle, storing: 0, failure: undefined };
    this.waiting.add(options.organizationId, job);
    this.giveNext();
    return settle.promise;
  }

  /** What is not decoded by now will not be. */
  async close(): Promise<void> {
    this.isClosed = true;
    const { worker } = this;
    this.bury(stopping);
    this.giveNext();
    await worker?.terminate();
  }

  private giveNext(): void {
    clearTimeout(this.idle);
    const { atOnce, atOnceOfOne } = this.options;
    const mayBe = (organizationId: string) => (this.atHandOf.get(organizationId) ?? 0) < atOnceOfOne;
    while (this.atHand < atOnce) {
      const job = this.waiting.take(mayBe);
      if (!job) break;
      if (this.isClosed) job.settle.reject(stopping());
      else if (job.isWanted()) this.give(job);
      else job.settle.reject(brokenOff());
    }
    if (this.atHand === 0 && this.worker) {
      this.idle = setTimeout(() => this.retire(), this.options.idleMs).unref();
    }
  }

  private count(job: Job, change: 1 | -1): void {
    const { organizationId } = job;
    const own = (this.atHandOf.get(organizationId) ?? 0) + change;
    this.atHand += change;
    if (own > 0) this.atHandOf.set(organizationId, own);
    else this.atHandOf.delete(organizationId);
  }

  /** Who comes while it ends gets another. */
  private retire(): void {
    void this.worker?.terminate();
    this.worker = undefined;
  }

  private give(job: Job): void {
    this.given.set(job.id, job);
    this.count(job, 1);
    const { id, organizationId, encoded } = job;
    const { maxBytes, isLast } = this.options;
    const message: DecodeJob = { id, organizationId, ...encoded, maxBytes, isLast };
    this.worker ??= this.start();
    this.worker.postMessage({ job: message } satisfies ToWorker, [encoded.body.buffer]);
  }

  private start(): Worker {
    const resourceLimits = { maxOldGenerationSizeMb: this.options.heapMebibytes };
    const working = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(ENTRY, { resourceLimits, workerData: working });
    let death: unknown;
    worker.unref();
    worker.on('message', (message: FromWorker) => this.receive(worker, message));
    worker.on('error', (error) => {
      death = error;
    });
    worker.on('exit', () => {
      if (this.worker === worker) this.bury(failuresOf(death, working[0]));
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
    const tell = (message: ToWorker) => worker.postMessage(message, []);
    job.storing++;
    try {
      if (!job.isWanted()) throw brokenOff();
      if (job.failure === undefined) await job.store(chunk);
    } catch (error) {
      job.failure ??= error;
      tell({ dropped: job.id });
    }
    job.storing--;
    tell({ stored: workOf(chunk), organizationId: job.organizationId });
    this.settle(job);
  }

  /** The thread is done with it, and has time for the next. */
  private end(job: Job, end: Decoded, failure?: Error): void {
    job.end = end;
    job.failure ??= failure;
    this.count(job, -1);
    this.settle(job);
    this.giveNext();
  }

  /** When all that the thread has sent of it is stored. */
  private settle(job: Job): void {
    if (!job.end || job.storing > 0) return;
    this.given.delete(job.id);
    if (job.failure === undefined) job.settle.resolve(job.end);
    else job.settle.reject(job.failure);
  }

  private bury(failureOf: (id: number) => Error): void {
    this.worker = undefined;
    for (const job of [...this.given.values()].filter(({ end }) => !end))
      this.end(job, { badIds: 0 }, failureOf(job.id));
  }
}

/** It takes others with it, which are not to blame. @param working on what it has died */
export function failuresOf(death: unknown, working: number | undefined): (id: number) => Error {
  const isMemory = (death as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
  if (!isMemory) return () => new Error('The decoder died.', { cause: death });
  return (id) => (id === working ? tooMuchMemory() : sendAgain('The decoder had to start anew'));
}

const brokenOff = () => new ApiError('invalid_error', 'The request was broken off.');

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
