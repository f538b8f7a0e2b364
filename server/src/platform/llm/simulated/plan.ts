/** What a simulated model is about to do with a request, before the request's own limits are heeded. */
import { ApiError } from '../../errors.ts';
import type { ChatRequest } from '../chat-model.ts';

export const FINISH_REASONS = ['stop', 'length', 'tool_calls', 'content_filter'] as const;
export type FinishReason = (typeof FINISH_REASONS)[number];

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, as far as whoever planned it wants. */
  readonly arguments: string;
}

export interface Plan {
  readonly reasoning: string;
  readonly content: string;
  readonly calls: readonly ToolCall[];
  /** Instead of what follows from the rest. */
  readonly finishReason?: FinishReason | undefined;
  /** Instead of what was counted, as it stands in the answer, whatever JSON that is. */
  readonly usage?: unknown;
  /** Instead of an answer. */
  readonly error?: ApiError | undefined;
  readonly delayMs: number;
  /** Characters in each chunk; undefined: a token in each. */
  readonly chunkSize?: number | undefined;
  readonly chunkDelayMs: number;
  /** The answer ends after so many characters as if its provider had gone. */
  readonly breakOffAfter?: number | undefined;
}

/** @throws {ApiError} `invalid_error` where the request, or the script in it, cannot be followed */
export type Planner = (request: ChatRequest, retryCount: number) => Plan;

export const PLAIN: Plan = { reasoning: '', content: '', calls: [], delayMs: 0, chunkDelayMs: 0 };

export const refuse = (detail: string) => new ApiError('invalid_error', detail);
