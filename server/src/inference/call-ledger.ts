/** The ledger of model calls: each call is stored once, when it has ended, with its usage and cost. */
import type { ErrorType } from '../platform/errors.ts';
import type { TokenUsage } from '../platform/llm/chat-model.ts';
import type { Cost } from './metering/cost.ts';
import type { OfferedModel } from './offered-model.ts';

/** Session and span that a call belongs to, as named by its caller. */
export interface CallLinks {
  readonly sessionId: string | null;
  /** Hexadecimal ids. Both are set, or neither is. */
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
  /** Sandbox of the calling program. */
  readonly sandboxId: string | null;
  /** ISO 8601 start time. */
  readonly startedAt: string;
  /** Maximum number of tokens that the call may use, for the reservation. */
  readonly atMost: { readonly inputTokens: number; readonly outputTokens: number };
}

export interface CallEnd {
  readonly status: 'completed' | 'failed' | 'cancelled';
  readonly errorType: ErrorType | null;
  /** Undefined when nothing was used: then the call does not count as a request. */
  readonly usage: TokenUsage | undefined;
  readonly isEstimated: boolean;
  readonly firstByteMs: number | null;
  readonly durationMs: number;
}

export interface CallLedger {
  /**
   * Reserves the maximum cost of the call when credits are enforced; otherwise returns undefined.
   * @throws {ApiError} `usage_limit_exceeded_error` when the balance does not cover it
   */
  begin(call: BegunCall): Promise<void> | undefined;
  /**
   * Resolves when the call is stored durably. The caller must not see the end of the response before that.
   * @returns undefined when nothing was used
   */
  end(call: BegunCall, end: CallEnd): Promise<Cost | undefined>;
}
