/** Converts the parts of a model's stream to chunks of a chat completion. */
import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import type { ChatCall, ChatCompletion, StreamPiece } from '../chat-model.ts';
import { headOf, refusalOf, toFinishReason, toReasoningDetail, toToolCall } from './response.ts';
import { toTokenUsage, toUsageJson } from './usage.ts';

type Part<Type extends LanguageModelV4StreamPart['type']> = Extract<
  LanguageModelV4StreamPart,
  { type: Type }
>;

interface Thought {
  text: string;
  metadata: SharedV4ProviderMetadata | undefined;
}

export class ChunkWriter {
  readonly #head;
  readonly #wantsUsage: boolean;
  #hasBegun = false;
  #hasContent = false;
  /** Length of the arguments sent, by call id, in the order of the calls. */
  readonly #calls = new Map<string, { index: number; sent: number }>();
  readonly #thoughts = new Map<string, Thought>();

  constructor(call: ChatCall, wantsUsage: boolean) {
    this.#head = headOf(call, 'chat.completion.chunk');
    this.#wantsUsage = wantsUsage;
  }

  /** True after any content other than the end. */
  get hasContent(): boolean {
    return this.#hasContent;
  }

  /** Returns undefined for parts without content for the caller. */
  write(part: LanguageModelV4StreamPart): StreamPiece | undefined {
    switch (part.type) {
      case 'text-delta':
        return part.delta ? this.#piece({ content: part.delta }, part.delta.length) : undefined;
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        return this.#reason(part);
      case 'tool-input-start':
        return part.providerExecuted ? undefined : this.#startCall(part.id, part.toolName);
      case 'tool-input-delta':
        return this.#continueCall(part.id, part.delta);
      case 'tool-call':
        return part.providerExecuted ? undefined : this.#endCall(part);
      case 'finish':
        return this.#finish(part);
      default:
        return undefined;
    }
  }

  #reason(part: Part<'reasoning-start' | 'reasoning-delta' | 'reasoning-end'>): StreamPiece | undefined {
    const thought = this.#thoughts.get(part.id) ?? { text: '', metadata: undefined };
    this.#thoughts.set(part.id, thought);
    if (part.providerMetadata) thought.metadata = part.providerMetadata;
    if (part.type === 'reasoning-delta') {
      thought.text += part.delta;
      return part.delta ? this.#piece({ reasoning_content: part.delta }, part.delta.length) : undefined;
    }
    if (part.type === 'reasoning-start') return undefined;
    this.#thoughts.delete(part.id);
    const detail = toReasoningDetail(thought.text, thought.metadata);
    return detail && this.#piece({ reasoning_details: [detail] }, 0);
  }

  #startCall(id: string, name: string): StreamPiece {
    const index = this.#calls.size;
    this.#calls.set(id, { index, sent: 0 });
    const started = { index, id, type: 'function', function: { name, arguments: '' } };
    return this.#piece({ tool_calls: [started] }, name.length);
  }

  #continueCall(id: string, text: string): StreamPiece | undefined {
    const call = this.#calls.get(id);
    if (!call || text === '') return undefined;
    call.sent += text.length;
    return this.#piece({ tool_calls: [{ index: call.index, function: { arguments: text } }] }, text.length);
  }

  /** A call that was streamed needs nothing more, except arguments that were not part of the stream. */
  #endCall(part: Part<'tool-call'>): StreamPiece | undefined {
    const begun = this.#calls.get(part.toolCallId);
    const { extra_content, ...whole } = toToolCall(part);
    const extra = extra_content && { extra_content };
    if (!begun) {
      const index = this.#calls.size;
      this.#calls.set(part.toolCallId, { index, sent: part.input.length });
      const length = part.toolName.length + part.input.length;
      return this.#piece({ tool_calls: [{ index, ...whole, ...extra }] }, length);
    }
    const rest = begun.sent === 0 ? part.input : '';
    if (rest === '' && !extra) return undefined;
    return this.#piece(
      { tool_calls: [{ index: begun.index, function: { arguments: rest }, ...extra }] },
      rest.length,
    );
  }

  #finish(part: Part<'finish'>): StreamPiece {
    const usage = toTokenUsage(part.usage);
    const refusal = refusalOf(part.finishReason, part.providerMetadata);
    const reason = toFinishReason(part.finishReason, this.#calls.size > 0);
    const chunks = [...this.#beginning()];
    if (refusal !== null) chunks.push(this.#chunk([choice({ refusal })]));
    chunks.push(this.#chunk([choice({}, reason)]));
    if (this.#wantsUsage && usage)
      chunks.push({ ...this.#head, choices: [], usage: toUsageJson(usage, part.usage) });
    return { chunks, usage, outputLength: 0 };
  }

  #piece(delta: object, outputLength: number): StreamPiece {
    this.#hasContent = true;
    return { chunks: [...this.#beginning(), this.#chunk([choice(delta)])], outputLength };
  }

  *#beginning(): Generator<ChatCompletion> {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    yield this.#chunk([choice({ role: 'assistant', content: '', refusal: null })]);
  }

  #chunk(choices: readonly object[]): ChatCompletion {
    return { ...this.#head, choices, ...(this.#wantsUsage && { usage: null }) };
  }
}

function choice(delta: object, finishReason: string | null = null) {
  return { index: 0, delta, logprobs: null, finish_reason: finishReason };
}
