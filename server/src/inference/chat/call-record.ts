/** One call on its way: what is seen of it is kept, and it is written once, however it ends. */
import { ApiError } from '../../platform/errors.ts';
import type { StreamPiece, TokenUsage } from '../../platform/llm/chat-model.ts';
import type { BegunCall, CallBook, CallEnd } from '../call-book.ts';
import type { ChatCompletionRequest } from './schema.ts';
import { estimateUsage } from './tokens.ts';

interface RecordOptions {
  readonly book: CallBook;
  readonly call: BegunCall;
  readonly request: ChatCompletionRequest;
  /** Aborted where the caller has left. */
  readonly signal: AbortSignal;
}

type NotedPiece = Pick<StreamPiece, 'usage' | 'outputLength' | 'isFinished'>;

export class CallRecord {
  private readonly options: RecordOptions;
  private readonly startedAt = performance.now();
  private usage: TokenUsage | undefined;
  private outputLength = 0;
  private isFinished = false;
  /** Whether the usage was told with the end of the answer, or after it: it is of all of it. */
  private isUsageFinal = false;
  private firstByteMs: number | null = null;

  constructor(options: RecordOptions) {
    this.options = options;
  }

  /** Some of the answer, or all of it. */
  note({ usage, outputLength, isFinished = false }: NotedPiece): void {
    this.firstByteMs ??= this.elapsedMs();
    this.outputLength += outputLength;
    this.isFinished = isFinished;
    this.usage = usage ?? this.usage;
    // Of several answers, one may go on after the end of another.
    if (usage || outputLength > 0) this.isUsageFinal = isFinished && usage !== undefined;
  }

  /** The model has said all, but not what it took. */
  get isUsageDue(): boolean {
    return this.isFinished && !this.isUsageFinal;
  }

  /** The model has said all that it has to say. */
  complete(): Promise<void> {
    const { request } = this.options;
    const usage = this.usage ?? estimateUsage(request, this.outputLength);
    return this.end({ status: 'completed', errorType: null, usage, isEstimated: !this.usage });
  }

  /** What was said before counts. */
  fail(error: unknown): Promise<void> {
    const { signal } = this.options;
    const status = signal.aborted ? 'cancelled' : 'failed';
    const errorType = status === 'cancelled' ? null : error instanceof ApiError ? error.type : 'server_error';
    return this.end({ status, errorType, ...this.usageSoFar() });
  }

  /** Nobody takes the rest of it. */
  cancel(): Promise<void> {
    return this.end({ status: 'cancelled', errorType: null, ...this.usageSoFar() });
  }

  /** What a provider reports on the way may be of the beginning only: no less than was seen is counted. */
  private usageSoFar(): Pick<CallEnd, 'usage' | 'isEstimated'> {
    if (this.firstByteMs === null) return { usage: undefined, isEstimated: false };
    const estimated = estimateUsage(this.options.request, this.outputLength);
    if (!this.usage) return { usage: estimated, isEstimated: true };
    if (this.isUsageFinal || this.usage.outputTokens >= estimated.outputTokens)
      return { usage: this.usage, isEstimated: false };
    return { usage: { ...this.usage, outputTokens: estimated.outputTokens }, isEstimated: true };
  }

  private end(end: Omit<CallEnd, 'firstByteMs' | 'durationMs'>): Promise<void> {
    const { book, call } = this.options;
    return book.end(call, { ...end, firstByteMs: this.firstByteMs, durationMs: this.elapsedMs() });
  }

  private elapsedMs(): number {
    return Math.round(performance.now() - this.startedAt);
  }
}
