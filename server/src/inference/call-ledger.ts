/** The ledger of model calls: each call is written once, when it has ended, with its usage and its cost. */
import type { ErrorType } from '../platform/errors.ts';
import type { TokenUsage } from '../platform/llm/chat-model.ts';
import type { Cost } from './metering/cost.ts';
import type { OfferedModel } from './offered-model.ts';

/** The session and the span that a call belongs to, as its caller says. */
export interface CallLinks {
  readonly sessionId: string | null;
  /** Hexadecimal. Both are set, or neither. */
  readonly traceId: string | null;
  readonly spanId: string | null;
}

export interface BegunCall {
  readonly id: string;
  readonly organizationId: string;
  readonly userId: string;
  readonly model: OfferedModel;
  readonly isStreamed: boolean;
  readonly links: CallLinks;
  /** The sandbox whose program calls. */
  readonly sandboxId: string | null;
  /** ISO 8601. */
  readonly startedAt: string;
  /** The most tokens that it may take, for the reservation. */
  readonly atMost: { readonly inputTokens: number; readonly outputTokens: number };
}

export interface CallEnd {
  readonly status: 'completed' | 'failed' | 'cancelled';
  readonly errorType: ErrorType | null;
  /** undefined when nothing was used: then it does not count as a request. */
  readonly usage: TokenUsage | undefined;
  readonly isEstimated: boolean;
  readonly firstByteMs: number | null;
  readonly durationMs: number;
}

export interface CallLedger {
  /**
   * Reserves the highest cost of the call when credits are enforced; otherwise there is nothing to wait for.
   *
   * @throws {ApiError} `usage_limit_exceeded_error` when the balance does not cover it
   */
  begin(call: BegunCall): Promise<void> | undefined;
  /**
   * Resolves when the call is stored durably. The caller must not learn that the response has ended before.
   *
   * @returns undefined when nothing was used
   */
  end(call: BegunCall, end: CallEnd): Promise<Cost | undefined>;
}
