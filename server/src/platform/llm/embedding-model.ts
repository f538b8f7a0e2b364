/** A model that converts texts to vectors, whichever provider serves it. */
import type { Share } from '../admission/budget.ts';
import type { ChatModel, TokenUsage } from './chat-model.ts';

/** Unknown fields are kept, and passed on to providers that may support them. */
export interface EmbeddingRequest {
  readonly model: string;
  readonly input: string | readonly string[] | readonly number[] | readonly (readonly number[])[];
  readonly dimensions?: number | null | undefined;
  readonly encoding_format?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** Numbers, or the base64 of 32-bit floats. */
export type Vector = readonly unknown[] | string;

export interface EmbeddingResponse {
  /** One vector per input, in order. */
  readonly vectors: readonly Vector[];
  /** Undefined when the provider reported none. */
  readonly usage: TokenUsage | undefined;
}

export interface EmbeddingCall {
  /** `model` is the provider's name for the model. */
  readonly request: EmbeddingRequest;
  /** Aborted when the response is no longer wanted. */
  readonly signal: AbortSignal;
  /** Memory budget for the part of the response held at once. */
  readonly room: Share;
}

/** Fails like a `ChatModel`. */
export interface EmbeddingModel {
  embed(call: EmbeddingCall): Promise<EmbeddingResponse>;
}

/** A chat model that may also create embeddings. */
export interface EmbeddingChatModel extends ChatModel {
  readonly embeddings?: EmbeddingModel | undefined;
}
