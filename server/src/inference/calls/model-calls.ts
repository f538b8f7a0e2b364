/** Calls models: finds the model, reserves its cost, passes the response on and stores its usage. */

import {
  type BudgetLimits,
  connectionBudget,
  memoryBudget,
  type Share,
} from '../../platform/admission/budget.ts';
import { ApiError, forbidden } from '../../platform/errors.ts';
import type { ChatCall, ChatCompletion, ChatRequest, StreamPiece } from '../../platform/llm/chat-model.ts';
import type {
  EmbeddingModel,
  EmbeddingRequest,
  EmbeddingResponse,
} from '../../platform/llm/embedding-model.ts';
import type { Log } from '../../platform/log.ts';
import { uuidv7, withoutDashes } from '../../platform/uuid.ts';
import type { BegunCall, CallLedger, CallLinks } from '../call-ledger.ts';
import { highestCost } from '../metering/cost.ts';
import type { Allowance, SandboxSpending, SpendMeter } from '../metering/sandbox-spending.ts';
import type { ModelCatalog, OfferedModel } from '../offered-model.ts';
import { CallRecord, type CallTotals } from './call-record.ts';
import { withoutLinks } from './links.ts';
import { MeteredStream } from './metered-stream.ts';
import type { ChatCompletionRequest } from './schema.ts';
import { atMost } from './tokens.ts';

export interface ModelCallsOptions {
  readonly catalog: ModelCatalog;
  readonly ledger: CallLedger;
  readonly spending: SandboxSpending;
  readonly log: Log;
}

/** Observes one call, for example to record it. */
export interface CallObserver {
  /** Receives the response, or chunks of it. */
  note(part: ChatCompletion): void;
  /** Awaited after the call is stored, before its caller sees the end of the response. */
  ended(end: ObservedEnd): Promise<void>;
}

export interface ObservedEnd {
  readonly callId: string;
  readonly request: ChatCompletionRequest;
  readonly startedAt: string;
  /** Undefined when nothing was used. */
  readonly totals: CallTotals | undefined;
  /** Undefined for a complete response. */
  readonly failure?: string;
}

export interface ModelCall {
  readonly organizationId: string;
  readonly userId: string;
  readonly request: ChatCompletionRequest;
  /** Aborted when the response is no longer wanted. */
  readonly signal: AbortSignal;
  readonly links?: CallLinks;
  /** Spend limit and allowed model of the calling sandbox. */
  readonly allowance?: Allowance | undefined;
  readonly observer?: CallObserver | undefined;
  /** A new UUIDv7, for a caller that needs the id before the call ends. It is not an idempotency key. */
  readonly callId?: string;
  /** Number of earlier attempts of the caller. */
  readonly retryCount?: number;
  /** Length of the request as JSON, if the caller knows it. */
  readonly requestBytes?: number | undefined;
  /** Memory budget of the response, for a caller that frees it later; by default it is freed with the result. */
  readonly share?: Share;
}

export interface ModelResult extends CallTotals {
  readonly callId: string;
  readonly completion: ChatCompletion;
  /** The provider's id of the completion, when it is valid in a header. */
  readonly upstreamId: string | undefined;
}

export interface EmbeddingCall extends Omit<ModelCall, 'request'> {
  readonly request: EmbeddingRequest;
}

export interface EmbeddingResult extends CallTotals, Pick<EmbeddingResponse, 'vectors'> {}

export interface ModelStream {
  readonly callId: string;
  /**
   * Chunks that arrived together. The caller must iterate: the call's slot and reservation are released only when the iteration ends, after
   * the call is stored, or is left early, which cancels the call.
   */
  readonly chunks: AsyncIterable<readonly ChatCompletion[]>;
  /** Undefined until the chunks have ended. */
  readonly totals: CallTotals | undefined;
}

export const MAX_REQUEST_BYTES = 16 * 1024 * 1024;

/** Maximum number of concurrent calls: each one holds a connection for as long as its model takes. */
const LIMITS: BudgetLimits = { perOwner: 512, total: 4_096 };

/** Keeps OpenAI's clients from repeating a call that was charged, or would be refused again. */
const NO_RETRY = { 'x-should-retry': 'false' };

/** Memory budget for responses above 1 MiB. A response that exceeds the budget is charged all the same. */
const LARGE_RESPONSES = { perOwner: 128 * 1024 * 1024, headers: NO_RETRY };

/** After the client disconnects, wait this long for the final usage chunk. */
const MAX_USAGE_MS = 1_000;

const NO_LINKS: CallLinks = { sessionId: null, traceId: null, spanId: null };

/** A call in progress. */
interface OpenCall {
  readonly begun: BegunCall;
  readonly chatCall: ChatCall;
  readonly record: CallRecord;
  readonly meter: SpendMeter | undefined;
  /** Notifies the observer of the end. */
  readonly ended: (totals: CallTotals | undefined, failure?: string) => Promise<void>;
  /** Releases the call's slot and memory budget. */
  readonly close: () => void;
}

export class ModelCalls {
  readonly #options: ModelCallsOptions;
  readonly #slots = connectionBudget('model calls', LIMITS);
  readonly #memory = memoryBudget('large responses of models', LARGE_RESPONSES);
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
    const open = await this.#open(call, false);
    const { begun, record, ended, close } = open;
    try {
      const { completion, upstreamId } = await this.#complete(open);
      call.observer?.note(completion);
      // The caller must not see the response before the call is stored.
      const totals = await record.complete(ended).catch((error: unknown) => {
        throw notStored(error);
      });
      return { callId: begun.id, completion, upstreamId, ...totals };
    } finally {
      close();
    }
  }

  async stream(call: ModelCall): Promise<ModelStream> {
    const open = await this.#open(call, true);
    const { begun, chatCall, record, meter, ended, close } = open;
    try {
      chatCall.signal.throwIfAborted();
      const pieces = await begun.model.chat.stream(chatCall);
      const leave = (source: AsyncIterator<StreamPiece>, error: unknown) => this.#leave(source, open, error);
      const observe = (piece: StreamPiece) => {
        for (const chunk of piece.chunks) call.observer?.note(chunk);
        meter?.note(record.estimateCost());
      };
      const { signal } = chatCall;
      const chunks = new MeteredStream({ pieces, signal, record, observe, completed: ended, leave, close });
      return {
        callId: begun.id,
        chunks,
        get totals() {
          return chunks.totals;
        },
      };
    } catch (error) {
      await this.#storeFailed(open, error);
      close();
      throw error;
    }
  }

  /** Creates embeddings. The call is limited, reserved and stored like any other. */
  async embed(call: EmbeddingCall): Promise<EmbeddingResult> {
    const { model: id, input } = call.request;
    // The texts are treated as a message to estimate tokens; there is no output to reserve.
    const request = { model: id, messages: [{ role: 'user', content: input }], max_tokens: 1 };
    // Vectors are not messages, so they are not recorded.
    const open = await this.#open({ ...call, request, observer: undefined }, false);
    const { begun, chatCall, record, ended, close } = open;
    try {
      const { signal, room } = chatCall;
      const embedding = { request: { ...call.request, model: begun.model.name }, signal, room };
      const response = await this.#embed(open, embedding);
      record.note({ usage: response.usage, outputLength: 0, isFinished: true });
      const totals = await record.complete(ended).catch((error: unknown) => {
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
    const { allowance, observer } = call;
    if (allowance) requireAllowed(allowance, request.model);
    const model = await catalog.getModel(organizationId, request.model);
    const begun: BegunCall = {
      id,
      organizationId,
      userId,
      model,
      isStreamed,
      links,
      sandboxId: allowance?.sandboxId ?? null,
      startedAt: new Date().toISOString(),
      atMost: atMost(request, model, requestBytes),
    };
    const { share, close: giveBack } = this.#admit(call);
    let meter: SpendMeter | undefined;
    const close = () => {
      meter?.close();
      giveBack();
    };
    try {
      const atMostUsd = isStreamed ? 0 : Number(highestCost(begun.atMost, model.price).dollars);
      meter =
        allowance && (await this.#options.spending.begin(organizationId, allowance, { atMostUsd, signal }));
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
    const { startedAt } = begun;
    const ended = async (totals: CallTotals | undefined, failure?: string) => {
      meter?.settle(totals?.costUsd ?? 0);
      await observer?.ended({
        callId: id,
        request,
        startedAt,
        totals,
        ...(failure !== undefined && { failure }),
      });
    };
    return { begun, chatCall, record, meter, ended, close };
  }

  /** @throws {ApiError} `usage_limit_exceeded_error` when the user or the process has too many calls in progress */
  #admit({ userId, share: given }: ModelCall): { readonly share: Share; readonly close: () => void } {
    const freeSlot = this.#slots.hold(userId);
    const share = given ?? this.#memory.open(userId);
    const close = () => {
      freeSlot();
      if (!given) share.free();
      if (this.#isDraining && this.#slots.taken === 0) this.#idle.resolve();
    };
    return { share, close };
  }

  async #complete(open: OpenCall) {
    const { begun, chatCall, record } = open;
    try {
      chatCall.signal.throwIfAborted();
      const response = await begun.model.chat.complete(chatCall);
      record.note(response);
      return response;
    } catch (error) {
      await this.#storeFailed(open, error);
      throw error;
    }
  }

  async #embed(open: OpenCall, call: Parameters<EmbeddingModel['embed']>[0]): Promise<EmbeddingResponse> {
    const { id, chat } = open.begun.model;
    try {
      if (!chat.embeddings) throw noEmbeddings(id);
      call.signal.throwIfAborted();
      return await chat.embeddings.embed(call);
    } catch (error) {
      await this.#storeFailed(open, error);
      throw error;
    }
  }

  /** Ends a stream early. When the model has finished, waits for its usage. */
  async #leave(source: AsyncIterator<StreamPiece>, open: OpenCall, error: unknown): Promise<void> {
    const { record } = open;
    try {
      if (record.isUsageDue) await readUsage(source, record);
      await source.return?.();
    } catch {
      // The output so far counts.
    }
    await this.#storeFailed(open, error);
  }

  /** Never throws, since the caller gets the error that the call failed with. */
  async #storeFailed({ record, ended }: OpenCall, error: unknown): Promise<void> {
    try {
      const totals = await (error === undefined ? record.cancel() : record.fail(error));
      await ended(totals, error instanceof ApiError ? error.message : 'The caller left.');
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

/** @throws {ApiError} `forbidden_error` when a sandbox may only call another model */
export function requireAllowed({ model }: Pick<Allowance, 'model'>, requested: string): void {
  if (model !== null && model !== requested)
    throw forbidden(`This sandbox may call the model "${model}" only, not "${requested}". Name that one.`);
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
    `The request to the model has ${bytes} bytes, more than the limit of ${MAX_REQUEST_BYTES}. Shorten its messages.`,
  );
