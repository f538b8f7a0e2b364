/** A model with chat completions in OpenAI's form, whichever provider serves it. */
import type { Share } from '../admission/budget.ts';

/**
 * Key of the Anthropic form of a request or response, next to its chat form, when client and provider both use that API. `JSON.stringify`
 * omits it.
 */
export const NATIVE = Symbol('native');

/** A request as sent by its client. */
export interface NativeRequest {
  readonly body: Readonly<Record<string, unknown>>;
  /** API headers set by the client. */
  readonly headers: Readonly<Record<string, string>>;
  /** Query string of the client's URL: empty, or starting with a question mark. */
  readonly query: string;
}

/** The caller's request. Unknown fields are kept, and passed on to providers that may support them. */
export interface ChatRequest {
  readonly [NATIVE]?: NativeRequest;
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly stream?: boolean | null | undefined;
  readonly [field: string]: unknown;
}

export interface ChatMessage {
  readonly role: string;
  readonly [field: string]: unknown;
}

/** Tokens as counted by OpenAI: cache reads and writes are part of the input. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens: number;
  readonly cacheCreationInputTokens: number;
}

export interface ChatCall {
  /** Unique id of the completion, which spans of the same call can refer to. */
  readonly id: string;
  /** `model` is the provider's name for the model. */
  readonly request: ChatRequest;
  /** Model name used by the caller. */
  readonly model: string;
  /** Aborted when the response is no longer wanted. */
  readonly signal: AbortSignal;
  /** Number of earlier attempts reported by the caller. */
  readonly retryCount: number;
  /** Memory budget for the part of the response held at once. */
  readonly room: Share;
}

export type NativeForm = Readonly<Record<string, unknown>>;

/** A chat completion, or a chunk of one. Unknown fields are kept. */
export interface ChatCompletion {
  /** The original message, or the event that a chunk was built from. */
  readonly [NATIVE]?: NativeForm;
  readonly id: string;
  readonly choices: readonly unknown[];
  readonly [field: string]: unknown;
}

export interface ChatResponse {
  readonly completion: ChatCompletion;
  /** Undefined when the provider reported none, or implausible values. */
  readonly usage: TokenUsage | undefined;
  /** Characters of output including tool calls, for estimates. */
  readonly outputLength: number;
  /** The provider's id of the completion, when it is valid in a header. */
  readonly upstreamId?: string | undefined;
}

/** Chunks that arrived together. Empty when only the usage arrived, which the caller did not request. */
export interface StreamPiece {
  readonly chunks: readonly ChatCompletion[];
  readonly usage?: TokenUsage | undefined;
  readonly outputLength: number;
  /**
   * True after the model has reported its finish reason. The usage may still follow, even for a moment after the signal is aborted, for a
   * reader that continues.
   */
  readonly isFinished?: boolean;
}

/**
 * Both methods fail with an `ApiError` that says what to do next and contains no key: `bad_gateway_error` or `gateway_timeout_error` when
 * the provider failed, `usage_limit_exceeded_error` with Retry-After when it refuses more requests or its response exceeds the memory
 * budget, `invalid_error` when it refused the request. After the signal is aborted they fail with its reason.
 */
export interface ChatModel {
  /** Set when the provider supports Anthropic's API, so that requests with a native form are passed on in that form. */
  readonly native?: NativeModel | undefined;
  complete(call: ChatCall): Promise<ChatResponse>;
  /**
   * Resolves when the first piece has arrived, so that an earlier failure is an ordinary error. The pieces end when the model has finished,
   * and fail when its stream breaks. Returning from them early ends the call.
   */
  stream(call: ChatCall): Promise<AsyncIterable<StreamPiece>>;
}

export interface NativeModel {
  /** Requests the token count of a request from the provider. Resolves with its whole response. */
  countTokens(call: Pick<ChatCall, 'request' | 'signal' | 'room'>): Promise<NativeForm>;
}
