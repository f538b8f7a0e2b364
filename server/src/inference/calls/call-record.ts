/** A call in progress: collects its facts and stores it once, however it ends. */
import { ApiError } from '../../platform/errors.ts';
import type { StreamPiece, TokenUsage } from '../../platform/llm/chat-model.ts';
import type { BegunCall, CallEnd, CallLedger } from '../call-ledger.ts';
import { type Cost, costOf } from '../metering/cost.ts';
import type { ChatCompletionRequest } from './schema.ts';
import { estimateOutput, estimateText, estimateUsage } from './tokens.ts';

interface RecordOptions {
  readonly ledger: CallLedger;
  readonly call: BegunCall;
  readonly request: ChatCompletionRequest;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
}

/** Usage and cost of a completed call. */
export interface CallTotals {
  readonly usage: TokenUsage;
  /** True when the provider reported no usage, so that it was estimated. */
  readonly isEstimated: boolean;
  readonly costUsd: number;
  readonly credits: number;
}

type NotedPiece = Pick<StreamPiece, 'usage' | 'outputLength' | 'isFinished'>;

export class CallRecord {
  private readonly options: RecordOptions;
  private readonly startedAt = performance.now();
  private usage: TokenUsage | undefined;
  private outputLength = 0;
  private isFinished = false;
  /** True when the usage came with or after the end of the response, and so covers all of it. */
  private isUsageFinal = false;
  private firstByteMs: number | null = null;
  private estimatedInput: number | undefined;

  constructor(options: RecordOptions) {
    this.options = options;
  }

  /** Records a part of the response, or all of it. */
  note({ usage, outputLength, isFinished = false }: NotedPiece): void {
    this.firstByteMs ??= this.elapsedMs();
    this.outputLength += outputLength;
    this.isFinished = isFinished;
    this.usage = usage ?? this.usage;
    // One of several choices may continue after another has ended.
    if (usage || outputLength > 0) this.isUsageFinal = isFinished && usage !== undefined;
  }

  /** True when the model has finished and its usage has not arrived. */
  get isUsageDue(): boolean {
    return this.isFinished && !this.isUsageFinal;
  }

  /**
   * Stores a call with a complete response.
   * @param record stores the transcript and span at the same time, since doing so afterwards would take twice as long
   */
  async complete(record: (totals: CallTotals) => Promise<void>): Promise<CallTotals> {
    const { request, call } = this.options;
    const usage = this.usage ?? estimateUsage(request, this.outputLength);
    const isEstimated = !this.usage;
    const totals = { usage, isEstimated, ...toAmounts(costOf(usage, call.model.price)) };
    const stored = await Promise.allSettled([
      this.end({ status: 'completed', errorType: null, usage, isEstimated }),
      record(totals),
    ]);
    for (const result of stored) if (result.status === 'rejected') throw result.reason;
    return totals;
  }

  /** Estimates the cost of the input and of the output so far. The input is measured once, since it may have megabytes. */
  estimateCost(): number {
    const { request, call } = this.options;
    this.estimatedInput ??= estimateText(request);
    const {
      inputTokens = this.estimatedInput,
      cacheReadInputTokens = 0,
      cacheCreationInputTokens = 0,
    } = this.usage ?? {};
    const outputTokens = Math.max(this.usage?.outputTokens ?? 0, estimateOutput(this.outputLength));
    const usage = { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens };
    return Number(costOf(usage, call.model.price).dollars);
  }

  /** Stores a failed call. Output before the failure counts. */
  async fail(error: unknown): Promise<CallTotals | undefined> {
    const { signal } = this.options;
    const status = signal.aborted ? 'cancelled' : 'failed';
    const errorType = status === 'cancelled' ? null : error instanceof ApiError ? error.type : 'server_error';
    return this.endEarly({ status, errorType });
  }

  /** Stores a call whose client no longer wants the rest. */
  async cancel(): Promise<CallTotals | undefined> {
    return this.endEarly({ status: 'cancelled', errorType: null });
  }

  /** @returns undefined when nothing was used */
  private async endEarly(end: Pick<CallEnd, 'status' | 'errorType'>): Promise<CallTotals | undefined> {
    const { usage, isEstimated } = this.usageSoFar();
    const cost = await this.end({ ...end, usage, isEstimated });
    return usage && { usage, isEstimated, ...toAmounts(cost) };
  }

  /** Returns at least the output seen, since usage reported before the end may cover only the beginning. */
  private usageSoFar(): Pick<CallEnd, 'usage' | 'isEstimated'> {
    if (this.firstByteMs === null) return { usage: undefined, isEstimated: false };
    const estimated = estimateUsage(this.options.request, this.outputLength);
    if (!this.usage) return { usage: estimated, isEstimated: true };
    if (this.isUsageFinal || this.usage.outputTokens >= estimated.outputTokens)
      return { usage: this.usage, isEstimated: false };
    return { usage: { ...this.usage, outputTokens: estimated.outputTokens }, isEstimated: true };
  }

  private end(end: Omit<CallEnd, 'firstByteMs' | 'durationMs'>): Promise<Cost | undefined> {
    const { ledger, call } = this.options;
    return ledger.end(call, { ...end, firstByteMs: this.firstByteMs, durationMs: this.elapsedMs() });
  }

  private elapsedMs(): number {
    return Math.round(performance.now() - this.startedAt);
  }
}

const toAmounts = (cost: Cost | undefined) => ({
  costUsd: Number(cost?.dollars ?? 0),
  credits: cost?.credits ?? 0,
});
