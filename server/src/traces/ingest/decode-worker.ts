/** Code of the decoding thread: unpacks and decodes bodies in turns, and converts them into columns chunk by chunk. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { ApiError, type ErrorType, type Issue } from '../../platform/errors.ts';
import { interpret } from '../dialects/interpret.ts';
import { inflate, UnpacksToMore } from '../otlp/content-encoding.ts';
import { decodeJson } from '../otlp/decode-json.ts';
import { decodeProtobuf } from '../otlp/decode-protobuf.ts';
import { type SpanChunk, transferablesOf, workOf } from './span-chunk.ts';
import { SpanColumns } from './span-columns.ts';
import { hasGoodIds } from './span-ids.ts';

export interface DecodeJob {
  readonly id: number;
  readonly organizationId: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  readonly contentEncoding: string | undefined;
  /** Maximum size after unpacking. */
  readonly maxBytes: number;
  /** True when no thread accepts larger bodies. */
  readonly isLast: boolean;
}

export type ToWorker =
  | { readonly job: DecodeJob }
  /** Bytes of this organization that were stored since the last message. */
  | { readonly stored: number; readonly organizationId: string }
  /** Id of a body whose client disconnected. */
  | { readonly dropped: number };

export interface Failure {
  /** Undefined for a bug. */
  readonly type: ErrorType | undefined;
  readonly message: string;
  readonly issues: readonly Issue[] | undefined;
}

export type FromWorker =
  | { readonly id: number; readonly chunk: SpanChunk }
  | { readonly id: number; readonly badIds: number }
  | { readonly id: number; readonly failure: Failure }
  /** The body exceeds this thread's limit when unpacked; it is returned so that a thread for larger bodies can decode it. */
  | { readonly id: number; readonly returned: Uint8Array<ArrayBuffer> };

const MAX_SPANS = 1_000;
const MAX_CHUNK_BYTES = 4 * 1024 * 1024;
/**
 * Maximum total bytes of the sources of one request. A resource of a few MiB is stored with each of its scopes and sent with each chunk, so
 * a small body could otherwise grow without bound. Requests of SDKs and collectors stay far below their own size.
 */
const MAX_SOURCE_BYTES = 64 * 1024 * 1024;
const MAX_SOURCE_SHARE = 4;
/**
 * Bytes per organization that may be sent and not yet stored; a single chunk is always allowed. Chunks of other organizations do not wait
 * for them.
 */
const MAX_AHEAD = 6 * 1024 * 1024;

class Decoding {
  private readonly post: (message: FromWorker, transfer?: ArrayBuffer[]) => void;
  /** Index of the body being decoded, shared with the main thread so that it can attribute a crash. */
  private readonly working: Int32Array;
  /** Ids of bodies whose clients still wait. */
  private readonly wanted = new Set<number>();
  private readonly ahead = new Map<string, number>();
  private stored = Promise.withResolvers<void>();

  constructor(post: (message: FromWorker, transfer?: ArrayBuffer[]) => void, working: Int32Array) {
    this.post = post;
    this.working = working;
  }

  receive(message: ToWorker): void {
    if ('job' in message) {
      this.wanted.add(message.job.id);
      void this.decode(message.job);
    } else if ('stored' in message) {
      this.add(message.organizationId, -message.stored);
      this.stored.resolve();
      this.stored = Promise.withResolvers();
    } else {
      this.wanted.delete(message.dropped);
    }
  }

  private async decode(job: DecodeJob): Promise<void> {
    const { id, organizationId } = job;
    const counted = { badIds: 0 };
    try {
      this.working[0] = id;
      const bytes = unpack(job);
      if (!bytes) return this.post({ id, returned: job.body }, [job.body.buffer]);
      for (const chunk of chunksOf(job.contentType, bytes, counted)) {
        this.add(organizationId, workOf(chunk));
        this.post({ id, chunk }, transferablesOf(chunk));
        await this.nextTurn(organizationId);
        if (!this.wanted.has(id)) break;
        this.working[0] = id;
      }
      this.post({ id, ...counted });
    } catch (error) {
      this.post({ id, failure: toFailure(error) });
    }
    this.wanted.delete(id);
    // Frees the buffer now instead of at the next garbage collection, which would leave several in memory.
    job.body.buffer.transfer(0);
  }

  private add(organizationId: string, work: number): void {
    const ahead = (this.ahead.get(organizationId) ?? 0) + work;
    if (ahead > 0) this.ahead.set(organizationId, ahead);
    else this.ahead.delete(organizationId);
  }

  /** Resolves after the other organizations had their turn and this organization has few enough unsaved bytes. */
  private async nextTurn(organizationId: string): Promise<void> {
    await nextTurn();
    while ((this.ahead.get(organizationId) ?? 0) > MAX_AHEAD) await this.stored.promise;
  }
}

/** @returns undefined when the body is too large for this thread */
function unpack({ body, contentEncoding, maxBytes, isLast }: DecodeJob): Uint8Array | undefined {
  try {
    return inflate(body, contentEncoding, maxBytes);
  } catch (error) {
    if (isLast || !(error instanceof UnpacksToMore)) throw error;
    return undefined;
  }
}

function* chunksOf(
  contentType: string,
  bytes: Uint8Array,
  counted: { badIds: number },
): Generator<SpanChunk> {
  const spans = contentType === 'application/json' ? decodeJson(bytes) : decodeProtobuf(bytes);
  const columns = new SpanColumns();
  const mostOfSources = MAX_SOURCE_BYTES + MAX_SOURCE_SHARE * bytes.length;
  for (const { span, source } of spans) {
    if (!hasGoodIds(span)) {
      counted.badIds++;
      continue;
    }
    const facts = interpret(span, source);
    // This placeholder is skipped: the span itself follows when it ends, and its children refer to that one.
    if (facts.isPending) continue;
    columns.add(span, facts, source);
    if (columns.bytesOfAllSources > mostOfSources) throw tooManySources();
    if (columns.count >= MAX_SPANS || columns.bytes >= MAX_CHUNK_BYTES) yield columns.take();
  }
  if (columns.count > 0) yield columns.take();
}

const tooManySources = () =>
  new ApiError(
    'invalid_error',
    'The resources of this request, each with its scopes, take many times what was sent; send fewer scopes and spans of a large resource at a time.',
  );

function toFailure(error: unknown): Failure {
  if (error instanceof ApiError) return { type: error.type, message: error.message, issues: error.issues };
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { type: undefined, message, issues: undefined };
}

if (!parentPort) throw new Error('This is run by a thread.');
const port = parentPort;
const decoding = new Decoding(
  (message, transfer) => port.postMessage(message, transfer),
  workerData as Int32Array,
);
port.on('message', (message: ToWorker) => decoding.receive(message));
