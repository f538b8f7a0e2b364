/** Calls models: finds the model, reserves its cost, passes the response on and stores what it used. */
import { type ConnectionLimits, ConnectionSlots } from '../../platform/connection-slots.ts';
import { ApiError } from '../../platform/errors.ts';
import type { ChatCall, ChatCompletion, ChatRequest, StreamPiece } from '../../platform/llm/chat-model.ts';
import type {
  EmbeddingModel,
  EmbeddingRequest,
  EmbeddingResponse,
} from '../../platform/llm/embedding-model.ts';
import type { Log } from '../../platform/log.ts';
import { MemoryRoom, type Share } from '../../platform/memory-room.ts';
import { uuidv7, withoutDashes } from '../../platform/uuid.ts';
import type { BegunCall, CallLedger, CallLinks } from '../call-ledger.ts';
import type { ModelCatalog, OfferedModel } from '../offered-model.ts';
import { CallRecord, type CallTotals } from './call-record.ts';
import { withoutLinks } from './links.ts';
import { MeteredStream } from './metered-stream.ts';
import type { ChatCompletionRequest } from './schema.ts';
import { atMost } from './tokens.ts';

export interface ModelCallsOptions {
  readonly catalog: ModelCatalog;
  readonly ledger: CallLedger;
  readonly log: Log;
}

export interface ModelCall {
  readonly organizationId: string;
  readonly userId: string;
  readonly request: ChatCompletionRequest;
  /** Aborted when the response is no longer wanted. */
  readonly signal: AbortSignal;
  readonly links?: CallLinks;
  /** A new UUIDv7, for a caller that needs the id before the call ends. It is not an idempotency key. */
  readonly callId?: string;
  /** How many times the caller has tried before. */
  readonly retryCount?: number;
  /** Length of the request as JSON, for a caller that knows it. */
  readonly requestBytes?: number | undefined;
  /** Memory budget of the response, for a caller that frees it later; by default it is freed with the result. */
  readonly share?: Share;
}

export interface ModelResult extends CallTotals {
  readonly callId: string;
  readonly completion: ChatCompletion;
  /** The provider's id of the completion, when it is fit for a header. */
  readonly upstreamId: string | undefined;
}

export interface EmbeddingCall extends Omit<ModelCall, 'request'> {
  readonly request: EmbeddingRequest;
}

export interface EmbeddingResult extends CallTotals, Pick<EmbeddingResponse, 'vectors'> {}

export interface ModelStream {
  readonly callId: string;
  /**
   * Chunks that arrived together. The caller must iterate: the call's slot and reservation are freed only when the iteration ends, after
   * the call is stored, or is left early, which cancels the call.
   */
  readonly chunks: AsyncIterable<readonly ChatCompletion[]>;
  /** undefined until the chunks have ended. */
  readonly totals: CallTotals | undefined;
}

export const MAX_REQUEST_BYTES = 16 * 1024 * 1024;

/** Calls at once: each holds a connection for as long as its model takes. */
const LIMITS: ConnectionLimits = { perUser: 512, perProcess: 4_096 };

/** Keeps OpenAI's clients from repeating a call that was paid for, or would be refused again. */
const NO_RETRY = { 'x-should-retry': 'false' };

/** Responses above 1 MiB. A response that exceeds the budget is paid for all the same. */
const LARGE_RESPONSES = { what: 'large responses of models', perUser: 128 * 1024 * 1024, headers: NO_RETRY };

/** How long a stream that its caller has left is read on for its usage. */
const MAX_USAGE_MS = 1_000;

const NO_LINKS: CallLinks = { sessionId: null, traceId: null, spanId: null };

/** A call under way. */
interface OpenCall {
  readonly begun: BegunCall;
  readonly chatCall: ChatCall;
  readonly record: CallRecord;
  /** Gives back the call's slot and memory budget. */
  readonly close: () => void;
}

export class ModelCalls {
  readonly #options: ModelCallsOptions;
  readonly #slots = new ConnectionSlots(LIMITS, 'model calls');
  readonly #memory = new MemoryRoom(LARGE_RESPONSES);
  readonly #idle = Promise.withResolvers<void>();
  #isDraining = false;

  constructor(options: ModelCallsOptions) {
    this.#options = options;
  }

  /** @returns a memory budget for a response that stays in memory after its call has ended */
  openShare(userId: string): Share {
    return this.#memory.open(userId);
  }

  async call(call: ModelCall): Promise<ModelResult> {
    const { begun, chatCall, record, close } = await this.#open(call, false);
    try {
      const { completion, upstreamId } = await this.#complete(chatCall, begun.model, record);
      // The caller must not learn of the response before it is stored.
      const totals = await record.complete().catch((error: unknown) => {
        throw notStored(error);
      });
      return { callId: begun.id, completion, upstreamId, ...totals };
    } finally {
      close();
    }
  }

  async stream(call: ModelCall): Promise<ModelStream> {
    const { begun, chatCall, record, close } = await this.#open(call, true);
    try {
      chatCall.signal.throwIfAborted();
      const pieces = await begun.model.chat.stream(chatCall);
      const leave = (source: AsyncIterator<StreamPiece>, error: unknown) =>
        this.#leave(source, record, error);
      const chunks = new MeteredStream({ pieces, signal: chatCall.signal, record, leave, close });
      return {
        callId: begun.id,
        chunks,
        get totals() {
          return chunks.totals;
        },
      };
    } catch (error) {
      await this.#storeFailed(record, error);
      close();
      throw error;
    }
  }

  /** Makes embeddings. The call is limited, reserved and stored like any other. */
  async embed(call: EmbeddingCall): Promise<EmbeddingResult> {
    const { model: id, input } = call.request;
    // The texts stand as a message where tokens are estimated; there is no output to reserve for.
    const request = { model: id, messages: [{ role: 'user', content: input }], max_tokens: 1 };
    const { begun, chatCall, record, close } = await this.#open({ ...call, request }, false);
    const { model } = begun;
    try {
      const { signal, room } = chatCall;
      const asked = { request: { ...call.request, model: model.name }, signal, room };
      const response = await this.#embed(model, asked, record);
      record.note({ usage: response.usage, outputLength: 0, isFinished: true });
      const totals = await record.complete().catch((error: unknown) => {
        throw notStored(error);
      });
      return { vectors: response.vectors, ...totals };
    } finally {
      close();
    }
  }

  /** Resolves when every call is stored. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    if (this.#slots.taken > 0) await this.#idle.promise;
  }

  async #open(call: ModelCall, isStreamed: boolean): Promise<OpenCall> {
    const { organizationId, userId, request, signal, links = NO_LINKS, callId: id = uuidv7() } = call;
    const requestBytes = call.requestBytes ?? Buffer.byteLength(JSON.stringify(request));
    if (requestBytes > MAX_REQUEST_BYTES) throw tooLong(requestBytes);
    const { catalog, ledger } = this.#options;
    const model = await catalog.getModel(organizationId, request.model);
    const begun: BegunCall = {
      id,
      organizationId,
      userId,
      model,
      isStreamed,
      links,
      startedAt: new Date().toISOString(),
      atMost: atMost(request, model, requestBytes),
    };
    const { share, close } = this.#admit(call);
    try {
      await ledger.begin(begun);
    } catch (error) {
      close();
      throw error;
    }
    const chatCall = {
      id: `chatcmpl-${withoutDashes(id)}`,
      request: toProviderRequest(request, model),
      model: model.id,
      signal,
      retryCount: call.retryCount ?? 0,
      room: share,
    };
    const record = new CallRecord({ ledger, call: begun, request, signal });
    return { begun, chatCall, record, close };
  }

  /** @throws {ApiError} `usage_limit_exceeded_error` when the user or the process has too many calls under way */
  #admit({ userId, share: given }: ModelCall): { readonly share: Share; readonly close: () => void } {
    const freeSlot = this.#slots.take(userId);
    const share = given ?? this.#memory.open(userId);
    const close = () => {
      freeSlot();
      if (!given) share.free();
      if (this.#isDraining && this.#slots.taken === 0) this.#idle.resolve();
    };
    return { share, close };
  }

  async #complete(call: ChatCall, model: OfferedModel, record: CallRecord) {
    try {
      call.signal.throwIfAborted();
      const response = await model.chat.complete(call);
      record.note(response);
      return response;
    } catch (error) {
      await this.#storeFailed(record, error);
      throw error;
    }
  }

  async #embed(
    { id, chat }: OfferedModel,
    call: Parameters<EmbeddingModel['embed']>[0],
    record: CallRecord,
  ): Promise<EmbeddingResponse> {
    try {
      if (!chat.embeddings) throw noEmbeddings(id);
      call.signal.throwIfAborted();
      return await chat.embeddings.embed(call);
    } catch (error) {
      await this.#storeFailed(record, error);
      throw error;
    }
  }

  /** Ends a stream before its end. When the model has finished, its usage is waited for. */
  async #leave(source: AsyncIterator<StreamPiece>, record: CallRecord, error: unknown): Promise<void> {
    try {
      if (record.isUsageDue) await readUsage(source, record);
      await source.return?.();
    } catch {
      // What was noted until here counts.
    }
    await this.#storeFailed(record, error);
  }

  /** Never throws: the caller gets the error that the call failed with. */
  async #storeFailed(record: CallRecord, error: unknown): Promise<void> {
    try {
      await (error === undefined ? record.cancel() : record.fail(error));
    } catch (cause) {
      this.#options.log.error({ err: cause }, 'a failed model call could not be stored');
    }
  }
}

async function readUsage(source: AsyncIterator<StreamPiece>, record: CallRecord): Promise<void> {
  const timer = setTimeout(() => void source.return?.(), MAX_USAGE_MS);
  try {
    while (record.isUsageDue) {
      const { done, value } = await source.next();
      if (done) return;
      record.note(value);
    }
  } finally {
    clearTimeout(timer);
  }
}

function toProviderRequest(request: ChatCompletionRequest, { name: model }: OfferedModel): ChatRequest {
  if (!request.metadata) return { ...request, model };
  const { metadata, ...rest } = request;
  const kept = withoutLinks(metadata);
  return { ...rest, ...(kept && { metadata: kept }), model };
}

const noEmbeddings = (id: string) =>
  new ApiError(
    'invalid_error',
    `The model "${id}" makes no embeddings. Use sim/embedder, or an embedding model of a provider of kind openai_compatible or google.`,
  );

const notStored = (cause: unknown) =>
  new ApiError('database_error', 'The model call could not be stored. Try again later.', {
    cause,
    headers: NO_RETRY,
  });

const tooLong = (bytes: number) =>
  new ApiError(
    'invalid_error',
    `The request to the model has ${bytes} bytes, and may have ${MAX_REQUEST_BYTES}. Shorten its messages.`,
  );
