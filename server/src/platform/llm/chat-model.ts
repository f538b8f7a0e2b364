/** A model that answers chat completions in OpenAI's form, whoever serves it. */
import type { Share } from '../memory-room.ts';

/** As the caller sent it. Fields that we do not know are kept, and sent on to whoever may know them. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly stream?: boolean | null | undefined;
  readonly [field: string]: unknown;
}

export interface ChatMessage {
  readonly role: string;
  readonly [field: string]: unknown;
}

/** Tokens as OpenAI counts them: those that come from a cache, or go into one, are part of the input. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens: number;
  readonly cacheCreationInputTokens: number;
}

export interface ChatCall {
  /** The id that the answer gets: unique, so that whoever else tells of this call can name it. */
  readonly id: string;
  /** Its `model` is what the provider calls it. */
  readonly request: ChatRequest;
  /** The same as JSON, as the caller wrote it; undefined where it has to be written anew. */
  readonly text?: string | undefined;
  /** What the caller called it. */
  readonly model: string;
  /** Aborted once nobody waits for the answer. */
  readonly signal: AbortSignal;
  /** How often the caller says to have tried before. */
  readonly retryCount: number;
  /** For what of the answer is in memory at once. */
  readonly room: Share;
}

export interface WholeAnswer {
  /** JSON of a chat completion; a text where that is as short as its bytes. */
  readonly body: Buffer | string;
  /** undefined where the provider said nothing that can be meant. */
  readonly usage: TokenUsage | undefined;
  /** Characters that were said, tool calls included: for who has to estimate. */
  readonly outputLength: number;
  /** What the provider called it, where that can be told in a header. */
  readonly upstreamId?: string | undefined;
}

/**
 * Some whole server-sent events, each a chunk of a chat completion; never the closing `[DONE]`. Without bytes where only the usage is
 * told, which the caller did not ask for.
 */
export interface StreamPiece {
  readonly bytes: Buffer;
  readonly usage?: TokenUsage | undefined;
  readonly outputLength: number;
  /**
   * The model has said why it ended, here or before; what it took may still come, also for a moment after the signal is aborted, to
   * whoever reads on.
   */
  readonly isFinished?: boolean;
}

/**
 * Both fail with an `ApiError` that says what to do next and holds no key: `bad_gateway_error` or `gateway_timeout_error` where the
 * provider failed, `usage_limit_exceeded_error` with Retry-After where it refuses more or where there is no room for its answer,
 * `invalid_error` where it refused what was asked.
 * Once the signal is aborted, with its reason.
 */
export interface ChatModel {
  complete(call: ChatCall): Promise<WholeAnswer>;
  /**
   * Resolves when the first piece is there, so that what fails before is an error like any other. The pieces end when the model has
   * finished, and fail when its stream breaks off. Returning from them early ends the call.
   */
  stream(call: ChatCall): Promise<AsyncIterable<StreamPiece>>;
}
