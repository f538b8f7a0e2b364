/** Rebuilds a completion from its recorded response. */
import type { ChatCompletion } from '../../platform/llm/chat-model.ts';
import { withoutDashes } from '../../platform/uuid.ts';
import type { CallTotals } from '../calls/call-record.ts';
import type { ModelResult, ModelStream } from '../calls/model-calls.ts';
import type { ChatCompletionRequest } from '../calls/schema.ts';
import type { Recording } from './call-recorder.ts';

interface Kept {
  readonly refusal?: unknown;
  readonly reasoning_content?: unknown;
}

export type RecordedResponse = NonNullable<Awaited<ReturnType<Recording['findResponse']>>>;

export function replayResult(
  callId: string,
  { model }: ChatCompletionRequest,
  recorded: RecordedResponse,
): ModelResult {
  const totals = toTotals(recorded);
  const completion = {
    ...toHead(callId, model, recorded),
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: toMessage(recorded),
        finish_reason: finishReasonOf(recorded),
      },
    ],
    usage: toUsage(totals),
  };
  return { callId, completion, upstreamId: undefined, ...totals };
}

export function replayStream(
  callId: string,
  { model, stream_options }: ChatCompletionRequest,
  recorded: RecordedResponse,
): ModelStream {
  const totals = toTotals(recorded);
  const head = { ...toHead(callId, model, recorded), object: 'chat.completion.chunk' };
  const delta = toMessage(recorded);
  const chunks: ChatCompletion[] = [
    { ...head, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...head, choices: [{ index: 0, delta: {}, finish_reason: finishReasonOf(recorded) }] },
    ...(stream_options?.include_usage ? [{ ...head, choices: [], usage: toUsage(totals) }] : []),
  ];
  const once = async function* () {
    yield chunks;
  };
  return { callId, chunks: once(), totals };
}

/** Reasoning and refusals are stored separately from the text. */
function toMessage(recorded: RecordedResponse) {
  const kept = recorded.metadata?.['openai'];
  const { refusal, reasoning_content } = (typeof kept === 'object' && kept !== null ? kept : {}) as Kept;
  return {
    role: 'assistant',
    content: refusal === recorded.content ? null : recorded.content,
    ...(refusal !== undefined && { refusal }),
    ...(reasoning_content !== undefined && { reasoning_content }),
    ...toToolCalls(recorded),
  };
}

const toHead = (callId: string, model: string, { created_at }: RecordedResponse) => ({
  id: `chatcmpl-${withoutDashes(callId)}`,
  created: Math.floor(Date.parse(created_at) / 1000),
  model,
});

const toToolCalls = ({ tool_calls }: RecordedResponse) =>
  tool_calls?.length
    ? {
        tool_calls: tool_calls.map(({ id, name, arguments: given }, index) => ({
          index,
          id,
          type: 'function',
          function: { name, arguments: given },
        })),
      }
    : {};

function finishReasonOf({ metadata, tool_calls }: RecordedResponse): string {
  const reason = metadata?.['finish_reason'];
  if (typeof reason === 'string') return reason;
  return tool_calls?.length ? 'tool_calls' : 'stop';
}

function toTotals({ usage }: RecordedResponse): CallTotals {
  const {
    input_tokens = 0,
    output_tokens = 0,
    cache_read_input_tokens = 0,
    cache_creation_input_tokens = 0,
  } = usage ?? {};
  return {
    usage: {
      inputTokens: input_tokens + cache_read_input_tokens + cache_creation_input_tokens,
      outputTokens: output_tokens,
      cacheReadInputTokens: cache_read_input_tokens,
      cacheCreationInputTokens: cache_creation_input_tokens,
    },
    isEstimated: false,
    costUsd: 0,
    credits: 0,
  };
}

const toUsage = ({ usage: { inputTokens, outputTokens } }: CallTotals) => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
});
