/** The book of calls: each is written once, when it has ended, with what it took and what it cost. */
import type { ErrorType } from '../platform/errors.ts';
import type { TokenUsage } from '../platform/llm/chat-model.ts';
import type { OfferedModel } from './offered-model.ts';

/** What a call belongs to, as its caller says. */
export interface CallLinks {
  readonly sessionId: string | null;
  /** Hexadecimal, both or neither. */
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
  /** ISO 8601. */
  readonly startedAt: string;
  /** The most that it may take, for what is held back. */
  readonly atMost: { readonly inputTokens: number; readonly outputTokens: number };
}

export interface CallEnd {
  readonly status: 'completed' | 'failed' | 'cancelled';
  readonly errorType: ErrorType | null;
  /** undefined: nothing was used, so it is no request that is counted. */
  readonly usage: TokenUsage | undefined;
  readonly isEstimated: boolean;
  readonly firstByteMs: number | null;
  readonly durationMs: number;
}

export interface CallBook {
  /**
   * Where credits are enforced: holds back what the call may cost. Elsewhere there is nothing to wait for.
   *
   * @throws {ApiError} `usage_limit_exceeded_error` where the balance does not pay for it
   */
  begin(call: BegunCall): Promise<void> | undefined;
  /** Resolves when it is written for good: not before may the caller be told that the answer has ended. */
  end(call: BegunCall, end: CallEnd): Promise<void>;
}
