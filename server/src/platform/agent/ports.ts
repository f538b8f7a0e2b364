/** The ports of the agent loop, which its caller implements: a transcript, a model and tools. */
import type { ChatMessage } from '../llm/chat-model.ts';

export interface AgentToolCall {
  readonly id: string;
  readonly name: string;
  /** The text that the model wrote, which should be a JSON object. */
  readonly arguments: string;
}

export interface AgentUsage {
  /** Input tokens, excluding those that were read from a cache or written to one. */
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  /** null when the model has no price. */
  readonly cost_usd: number | null;
}

/** A message as a session stores it. Ids are deterministic, so that a repeated append is stored once. */
export interface AgentMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly tool_calls?: readonly AgentToolCall[] | null;
  readonly tool_call_id?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly usage?: AgentUsage | null;
}

/**
 * The stored messages of a run, from which it continues after its process died. A compaction begins a new era: earlier messages stay
 * stored, and the model sees only the messages of the current era.
 */
export interface AgentTranscript {
  /**
   * Messages of the current era, beginning with its summary if there is one, and totals of the usage over all eras, including summaries.
   */
  read(): Promise<{
    readonly messages: readonly AgentMessage[];
    readonly totals: { readonly outputTokens: number; readonly costUsd: number };
  }>;
  /** Resolves when the messages are durable. A message with a known id is not stored again. */
  append(messages: readonly AgentMessage[]): Promise<void>;
  /** Begins a new era: `summary` replaces all messages up to and including the one with `upToId`. Resolves when that is durable. */
  compact(summary: AgentMessage, upToId: string): Promise<void>;
}

export type Fields = Readonly<Record<string, unknown>>;

export interface ModelResponse {
  readonly content: string;
  readonly toolCalls: readonly (AgentToolCall & {
    /** Fields that the provider needs back with the call, such as `extra_content` with the thought signatures of Gemini. */
    readonly extra?: Fields;
  })[];
  readonly finishReason: string | null;
  readonly usage: AgentUsage | null;
  /** Fields that the provider needs back with the message, such as `reasoning_details`. */
  readonly extra?: Fields;
}

export interface ModelRequest {
  readonly messages: ChatMessage[];
  readonly tools?: unknown[];
  /** The run's remaining output tokens, which may exceed what the model can write in one call. */
  readonly max_tokens?: number;
}

/**
 * A model behind the gateway. It throws an `ApiError` of type `invalid_error` when the provider refuses the request, and the abort reason
 * of an aborted signal.
 */
export interface AgentModel {
  call(request: ModelRequest, signal: AbortSignal): Promise<ModelResponse>;
}

export interface AgentTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: Fields;
  /**
   * Returns what the model reads. An error becomes a message to the model, except `AgentAbort`, which ends the run with its cause. It must
   * return soon after the signal is aborted.
   */
  run(args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<string>;
}

/** Thrown by a tool when the sandbox or the infrastructure is gone: `runAgent` throws its cause. */
export class AgentAbort extends Error {
  constructor(cause: unknown) {
    super('A tool cannot run any more.', { cause });
  }
}

/** The abort reason of a run's signal when the time of the sample is up. */
export class AgentTimeout extends Error {
  constructor() {
    super('The time of the sample is up.');
  }
}
