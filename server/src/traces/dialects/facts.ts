/** What a span says about generative AI, whichever convention it follows: the columns that lists, figures and usage need. */
import type { SpanType } from '../span-types.ts';

export interface SpanFacts {
  readonly spanType: SpanType;
  /** `chat`, `embeddings`, `execute_tool`, `invoke_agent`…: the names of the GenAI conventions, also for OpenInference. */
  readonly operation: string | null;
  readonly provider: string | null;
  /** The model that answered, else the one that was requested. */
  readonly model: string | null;
  readonly agentName: string | null;
  readonly toolName: string | null;
  /** As the span gives it. */
  readonly conversationId: string | null;
  /** The red-team assessment that the span reports to, as the span gives it. */
  readonly assessmentId: string | null;
  /** The project that the span itself names: its id or key. */
  readonly project: string | null;
  /** Whether Logfire sent it at the start of a span, under another id; the span itself follows at its end. */
  readonly isPending: boolean;
  /** Cached ones included. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cacheReadInputTokens: number | null;
  readonly cacheCreationInputTokens: number | null;
  readonly costUsd: number | null;
  /** Of the call of the gateway that it tells of: 32 hexadecimal digits, where the id of the answer has the form of one of ours. */
  readonly inferenceCallId: string | null;
  /** The beginnings of what was asked last and of what was answered, for searching. */
  readonly inputPreview: string | null;
  readonly outputPreview: string | null;
}
