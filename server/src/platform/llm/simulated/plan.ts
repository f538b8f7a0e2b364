/** The plan of a simulated model for a request, before the request's own limits are applied. */
import { ApiError } from '../../errors.ts';
import type { ChatRequest } from '../chat-model.ts';

export const FINISH_REASONS = ['stop', 'length', 'tool_calls', 'content_filter'] as const;
export type FinishReason = (typeof FINISH_REASONS)[number];

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** Usually JSON; the planner may write anything. */
  readonly arguments: string;
}

export interface Plan {
  readonly reasoning: string;
  readonly content: string;
  readonly calls: readonly ToolCall[];
  /** Overrides the derived finish reason. */
  readonly finishReason?: FinishReason | undefined;
  /** Overrides the counted usage, with any JSON. */
  readonly usage?: unknown;
  /** Replaces the response by an error. */
  readonly error?: ApiError | undefined;
  readonly delayMs: number;
  /** Characters per chunk; undefined: one token per chunk. */
  readonly chunkSize?: number | undefined;
  readonly chunkDelayMs: number;
  /** Number of characters after which the response breaks off, as if the provider had disconnected. */
  readonly disconnectAfter?: number | undefined;
}

/** @throws {ApiError} `invalid_error` when the request, or the script in it, cannot be followed */
export type Planner = (request: ChatRequest, retryCount: number) => Plan;

export const PLAIN: Plan = { reasoning: '', content: '', calls: [], delayMs: 0, chunkDelayMs: 0 };

export const refuse = (detail: string) => new ApiError('invalid_error', detail);
