/** Converts a model's response to a chat completion. */
import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import type { ChatCall, ChatResponse } from '../chat-model.ts';
import type { CalledProvider } from '../provider-errors.ts';
import { toUpstreamId } from '../upstream-id.ts';
import type { ReasoningDetail } from './request-schema.ts';
import { toTokenUsage, toUsageJson } from './usage.ts';

type Metadata = SharedV4ProviderMetadata | undefined;

export interface ToolCallJson {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
  readonly extra_content?: { readonly google: { readonly thought_signature: string } };
}

/** Common fields of the whole response and every chunk. */
export function headOf(call: ChatCall, object: 'chat.completion' | 'chat.completion.chunk') {
  return {
    id: call.id,
    object,
    created: Math.floor(Date.now() / 1000),
    model: call.model,
  };
}

export function toResponse(
  provider: CalledProvider,
  call: ChatCall,
  result: LanguageModelV4GenerateResult,
): ChatResponse {
  const { content } = result;
  const text = textsOf(content, 'text');
  const reasoning = textsOf(content, 'reasoning');
  const details = content.flatMap((part) =>
    part.type === 'reasoning' ? (toReasoningDetail(part.text, part.providerMetadata) ?? []) : [],
  );
  const toolCalls = content.flatMap((part) =>
    part.type === 'tool-call' && !part.providerExecuted ? toToolCall(part) : [],
  );
  const usage = toTokenUsage(result.usage);
  const completion = {
    ...headOf(call, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text === '' && toolCalls.length > 0 ? null : text,
          refusal: refusalOf(result.finishReason, result.providerMetadata),
          ...(reasoning && { reasoning_content: reasoning }),
          ...(details.length > 0 && { reasoning_details: details }),
          ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
        },
        logprobs: null,
        finish_reason: toFinishReason(result.finishReason, toolCalls.length > 0),
      },
    ],
    ...(usage && { usage: toUsageJson(usage, result.usage) }),
  };
  const called = toolCalls.reduce(
    (sum, { function: { name, arguments: text } }) => sum + name.length + text.length,
    0,
  );
  return {
    completion,
    usage,
    outputLength: text.length + reasoning.length + called,
    upstreamId: toUpstreamId(provider, result.response?.id),
  };
}

function textsOf(content: readonly LanguageModelV4Content[], type: 'text' | 'reasoning'): string {
  return content.map((part) => (part.type === type ? part.text : '')).join('');
}

export function toToolCall(call: {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: string;
  readonly providerMetadata?: Metadata;
}): ToolCallJson {
  const signature = textIn(call.providerMetadata, 'google', 'thoughtSignature');
  return {
    id: call.toolCallId,
    type: 'function',
    function: { name: call.toolName, arguments: call.input },
    ...(signature && { extra_content: { google: { thought_signature: signature } } }),
  };
}

/** Returns undefined when the provider does not require it back. */
export function toReasoningDetail(text: string, metadata: Metadata): ReasoningDetail | undefined {
  const data = textIn(metadata, 'anthropic', 'redactedData');
  if (data) return { type: 'reasoning.encrypted', data };
  const signature =
    textIn(metadata, 'anthropic', 'signature') ?? textIn(metadata, 'google', 'thoughtSignature');
  return signature ? { type: 'reasoning.text', text, signature } : undefined;
}

const FINISH_REASONS = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
} as const;

export function toFinishReason({ unified }: LanguageModelV4FinishReason, hasToolCalls: boolean): string {
  if (unified in FINISH_REASONS) return FINISH_REASONS[unified as keyof typeof FINISH_REASONS];
  return hasToolCalls ? 'tool_calls' : 'stop';
}

/** Returns the provider's reason for withholding the response, if reported. */
export function refusalOf({ unified }: LanguageModelV4FinishReason, metadata: Metadata): string | null {
  if (unified !== 'content-filter') return null;
  const details = metadata?.['anthropic']?.['stopDetails'];
  const explanation =
    typeof details === 'object' && details !== null && 'explanation' in details
      ? details.explanation
      : undefined;
  if (typeof explanation === 'string') return explanation;
  return textIn(metadata, 'google', 'finishMessage') ?? null;
}

function textIn(metadata: Metadata, provider: string, name: string): string | undefined {
  const value = metadata?.[provider]?.[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
