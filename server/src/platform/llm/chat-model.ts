/** A model that answers chat completions in OpenAI's form, whichever provider serves it. */
import type { Share } from '../admission/budget.ts';

/**
 * Key of the form that a request or a response has in the API of Anthropic, beside its chat form, where client and provider both
 * speak that API. `JSON.stringify` leaves it out.
 */
export const NATIVE = Symbol('native');

/** A request as its client sent it. */
export interface NativeRequest {
  readonly body: Readonly<Record<string, unknown>>;
  /** Headers of the API that the client has set. */
  readonly headers: Readonly<Record<string, string>>;
  /** Query of the client's URL, empty or with its question mark. */
  readonly query: string;
}

/** The caller's request. Fields that we do not know are kept, and passed on to providers that may know them. */
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

/** Tokens as OpenAI counts them: those read from a cache, or written to one, are part of the input. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens: number;
  readonly cacheCreationInputTokens: number;
}

export interface ChatCall {
  /** The id of the completion: unique, so that a span of the same call can name it. */
  readonly id: string;
  /** Its `model` is the provider's name for the model. */
  readonly request: ChatRequest;
  /** The caller's name for the model. */
  readonly model: string;
  /** Aborted when the response is no longer wanted. */
  readonly signal: AbortSignal;
  /** How many times the caller says it has tried before. */
  readonly retryCount: number;
  /** Memory budget for the part of the response that is held at once. */
  readonly room: Share;
}

export type NativeForm = Readonly<Record<string, unknown>>;

/** A chat completion, or a chunk of one. Fields that we do not know are kept. */
export interface ChatCompletion {
  /** The whole message, or the event that a chunk was made of. */
  readonly [NATIVE]?: NativeForm;
  readonly id: string;
  readonly choices: readonly unknown[];
  readonly [field: string]: unknown;
}

export interface ChatResponse {
  readonly completion: ChatCompletion;
  /** undefined when the provider reported none, or nonsense. */
  readonly usage: TokenUsage | undefined;
  /** Characters of output, tool calls included, for estimates. */
  readonly outputLength: number;
  /** The provider's id of the completion, when it is fit for a header. */
  readonly upstreamId?: string | undefined;
}

/** Chunks that arrived together. None when only the usage arrived, which the caller did not ask for. */
export interface StreamPiece {
  readonly chunks: readonly ChatCompletion[];
  readonly usage?: TokenUsage | undefined;
  readonly outputLength: number;
  /**
   * The model has said why it stopped, here or before. The usage may still follow, also for a moment after the signal is
   * aborted, for a reader that reads on.
   */
  readonly isFinished?: boolean;
}

/**
 * Both methods fail with an `ApiError` that says what to do next and holds no key: `bad_gateway_error` or
 * `gateway_timeout_error` when the provider failed, `usage_limit_exceeded_error` with Retry-After when it refuses more requests
 * or its response exceeds the memory budget, `invalid_error` when it refused the request. Once the signal is aborted they fail
 * with its reason.
 */
export interface ChatModel {
  /** Set when the provider speaks the API of Anthropic, so that requests with a native form are passed on in that form. */
  readonly native?: NativeModel | undefined;
  complete(call: ChatCall): Promise<ChatResponse>;
  /**
   * Resolves with the first piece at hand, so that a failure before it is an ordinary error. The pieces end when the model has
   * finished, and fail when its stream breaks. Returning from them early ends the call.
   */
  stream(call: ChatCall): Promise<AsyncIterable<StreamPiece>>;
}

export interface NativeModel {
  /** Asks the provider how many tokens a request has. Resolves with its whole response. */
  countTokens(call: Pick<ChatCall, 'request' | 'signal' | 'room'>): Promise<NativeForm>;
}
