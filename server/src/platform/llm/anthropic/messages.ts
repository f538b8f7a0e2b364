/** Converts Anthropic messages to chat completions, for metering and for the record of a call. */
import { type ChatCall, type ChatResponse, NATIVE, type NativeForm, type TokenUsage } from '../chat-model.ts';

type Fields = Readonly<Record<string, unknown>>;

const MAX_TOKENS = 2 ** 31 - 1;

export function toChatResponse(
  { id, model }: Pick<ChatCall, 'id' | 'model'>,
  message: NativeForm,
): Pick<ChatResponse, 'completion' | 'usage' | 'outputLength'> {
  const blocks = (Array.isArray(message['content']) ? message['content'] : []).map(fieldsOf);
  const texts = (type: string, name: string) =>
    blocks.map((block) => (block['type'] === type ? textOf(block[name]) : '')).join('');
  const text = texts('text', 'text');
  const reasoning = texts('thinking', 'thinking');
  const details = blocks.flatMap((block) => toReasoningDetail(block) ?? []);
  const calls = blocks.flatMap((block) => (block['type'] === 'tool_use' ? toToolCall(block) : []));
  const usage = toTokenUsage(message['usage']);
  const finish_reason = toFinishReason(message['stop_reason']);
  const response = {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  const called = calls.reduce(
    (sum, call) => sum + call.function.name.length + call.function.arguments.length,
    0,
  );
  return {
    completion: {
      id,
      object: 'chat.completion',
      created: Math.floor(Date.now() / 1_000),
      model,
      choices: [{ index: 0, message: response, logprobs: null, finish_reason }],
      ...(usage && { usage: toUsageJson(usage) }),
      [NATIVE]: message,
    },
    usage,
    outputLength: text.length + reasoning.length + called,
  };
}

const toToolCall = ({ id, name, input }: Fields) => ({
  id: textOf(id),
  type: 'function' as const,
  function: { name: textOf(name), arguments: JSON.stringify(input ?? {}) },
});

/** Returns reasoning that Anthropic requires back; undefined for other blocks. */
export function toReasoningDetail(block: Fields): object | undefined {
  if (block['type'] === 'redacted_thinking')
    return { type: 'reasoning.encrypted', data: textOf(block['data']) };
  if (block['type'] !== 'thinking' || textOf(block['signature']) === '') return undefined;
  return { type: 'reasoning.text', text: textOf(block['thinking']), signature: block['signature'] };
}

const FINISH_REASONS = new Map<unknown, string>([
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
]);

export const toFinishReason = (stopReason: unknown) => FINISH_REASONS.get(stopReason) ?? 'stop';

/** Returns undefined for implausible usage. Anthropic excludes cache reads and writes from the input; the ledger includes them. */
export function toTokenUsage(usage: unknown): TokenUsage | undefined {
  const fields = fieldsOf(usage);
  const count = (name: string) => fields[name] ?? 0;
  const [input, output] = [fields['input_tokens'], count('output_tokens')];
  const [read, created] = [count('cache_read_input_tokens'), count('cache_creation_input_tokens')];
  if (!isCount(input) || !isCount(output) || !isCount(read) || !isCount(created)) return undefined;
  const inputTokens = input + read + created;
  if (inputTokens > MAX_TOKENS) return undefined;
  return { inputTokens, outputTokens: output, cacheReadInputTokens: read, cacheCreationInputTokens: created };
}

export const toUsageJson = (usage: TokenUsage) => ({
  prompt_tokens: usage.inputTokens,
  completion_tokens: usage.outputTokens,
  total_tokens: usage.inputTokens + usage.outputTokens,
  prompt_tokens_details: { cached_tokens: usage.cacheReadInputTokens },
});

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS;

export const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};
