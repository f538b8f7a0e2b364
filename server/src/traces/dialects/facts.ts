/** Facts of a span about generative AI, independent of its convention: the columns that lists, statistics and usage need. */
import type { SpanType } from '../span-types.ts';

export interface SpanFacts {
  readonly spanType: SpanType;
  /** `chat`, `embeddings`, `execute_tool`, `invoke_agent`…: the names of the GenAI conventions, also for OpenInference. */
  readonly operation: string | null;
  readonly provider: string | null;
  /** The model that responded, else the requested model. */
  readonly model: string | null;
  readonly agentName: string | null;
  readonly toolName: string | null;
  /** Conversation id as sent by the span. */
  readonly conversationId: string | null;
  /** Red-team assessment that the span reports to, as sent by the span. */
  readonly assessmentId: string | null;
  /** Id or key of the project that the span itself names. */
  readonly project: string | null;
  /** True for the placeholder that Logfire sends when a span starts, under another id; the span itself follows when it ends. */
  readonly isPending: boolean;
  /** Input tokens, including cached ones. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cacheReadInputTokens: number | null;
  readonly cacheCreationInputTokens: number | null;
  readonly costUsd: number | null;
  /** Id (32 hexadecimal digits) of the gateway call that the span describes, when the response id has the form of a gateway id. */
  readonly inferenceCallId: string | null;
  /** Beginnings of the last input and of the output, for searching. */
  readonly inputPreview: string | null;
  readonly outputPreview: string | null;
}
