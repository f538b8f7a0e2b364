/** Builds the response object of OpenAI's Responses API. */
import { withoutDashes } from '../../platform/uuid.ts';
import type { CallTotals } from '../calls/call-record.ts';
import type { ModelResult } from '../calls/model-calls.ts';
import { type Part, readParts } from '../chat/parts.ts';
import { readCustomInput } from './custom-input.ts';
import type { ParsedRequest } from './request.ts';

type Status = 'in_progress' | 'completed' | 'incomplete' | 'failed';
export type OutputItem = Readonly<Record<string, unknown>> & { readonly id: string };

/** A response in progress. */
export class ResponseForm {
  readonly parsed: ParsedRequest;
  readonly #callId: string;
  readonly #createdAt = Math.floor(Date.now() / 1_000);

  constructor(parsed: ParsedRequest, callId: string) {
    this.parsed = parsed;
    this.#callId = withoutDashes(callId);
  }

  whole(result: ModelResult): object {
    const { parts, finishReason, reasoningTokens } = readParts(result.completion);
    const status = statusOf(finishReason);
    const output = parts.map((part, index) =>
      this.item(part, index, index === parts.length - 1 ? status : 'completed'),
    );
    return this.response(status, { output, finishReason, usage: toUsage(result, reasoningTokens) });
  }

  response(
    status: Status,
    more: {
      readonly output: readonly OutputItem[];
      readonly finishReason?: string | undefined;
      readonly usage?: object;
      readonly error?: object;
    },
  ): object {
    const { body } = this.parsed;
    const isOver = status === 'completed' || status === 'incomplete';
    return {
      id: `resp_${this.#callId}`,
      object: 'response',
      created_at: this.#createdAt,
      ...(isOver && { completed_at: Math.floor(Date.now() / 1_000) }),
      status,
      background: false,
      error: more.error ?? null,
      incomplete_details: status === 'incomplete' ? { reason: incompleteReason(more.finishReason) } : null,
      instructions: body.instructions ?? null,
      max_output_tokens: body.max_output_tokens ?? null,
      metadata: body.metadata ?? {},
      model: body.model,
      output: more.output,
      parallel_tool_calls: body.parallel_tool_calls ?? true,
      previous_response_id: null,
      reasoning: { effort: body.reasoning?.effort ?? null, summary: null },
      store: false,
      temperature: body.temperature ?? null,
      text: { format: body.text?.format ?? { type: 'text' } },
      tool_choice: body.tool_choice ?? 'auto',
      tools: body.tools ?? [],
      top_p: body.top_p ?? null,
      truncation: 'disabled',
      usage: more.usage ?? null,
    };
  }

  isCustom(part: Part): boolean {
    return part.kind === 'call' && this.parsed.toolNames.get(part.name)?.isCustom === true;
  }

  item(part: Part, index: number, status: Status): OutputItem {
    const id = (prefix: string) => `${prefix}_${this.#callId}${index.toString(16).padStart(4, '0')}`;
    if (part.kind === 'reasoning')
      return { id: id('rs'), type: 'reasoning', summary: summaryOf(part.text), status };
    if (part.kind === 'call') {
      const { name, namespace } = this.parsed.toolNames.get(part.name) ?? { name: part.name };
      const call = { call_id: part.id, name, ...(namespace !== undefined && { namespace }), status };
      return this.isCustom(part)
        ? { id: id('ctc'), type: 'custom_tool_call', ...call, input: readCustomInput(part.text) }
        : { id: id('fc'), type: 'function_call', ...call, arguments: part.text };
    }
    const content = part.text === '' ? [] : [contentOf(part.kind, part.text)];
    return { id: id('msg'), type: 'message', status, role: 'assistant', content };
  }
}

export const contentOf = (kind: 'text' | 'refusal', text: string) =>
  kind === 'text'
    ? { type: 'output_text', text, annotations: [], logprobs: [] }
    : { type: 'refusal', refusal: text };

const summaryOf = (text: string) => (text === '' ? [] : [{ type: 'summary_text', text }]);

export const statusOf = (finishReason: string | undefined): 'completed' | 'incomplete' =>
  finishReason === 'length' || finishReason === 'content_filter' ? 'incomplete' : 'completed';

const incompleteReason = (finishReason: string | undefined) =>
  finishReason === 'content_filter' ? 'content_filter' : 'max_output_tokens';

export const toUsage = ({ usage }: CallTotals, reasoningTokens: number) => ({
  input_tokens: usage.inputTokens,
  input_tokens_details: {
    cached_tokens: usage.cacheReadInputTokens,
    cache_write_tokens: usage.cacheCreationInputTokens,
  },
  output_tokens: usage.outputTokens,
  output_tokens_details: { reasoning_tokens: Math.min(reasoningTokens, usage.outputTokens) },
  total_tokens: usage.inputTokens + usage.outputTokens,
});
