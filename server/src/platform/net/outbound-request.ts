/** What is asked of another server, and what it answers. */
import type { AnswerBody } from './answer-body.ts';

/** Milliseconds. */
export interface Patience {
  readonly connect: number;
  /** From the request to the head of its answer. */
  readonly firstByte: number;
  /** Between any two pieces of the answer. */
  readonly idle: number;
}

export interface OutboundRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  readonly patience: Patience;
  readonly signal?: AbortSignal | undefined;
}

export interface OutboundAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Decoded. Whoever does not read it to its end leaves it by `release`. */
  readonly body: AnswerBody;
}
