/** Formats a simulated response like OpenAI: as one completion, or as the chunks of a stream. */
import type { ChatCall, ChatCompletion, TokenUsage } from '../chat-model.ts';
import { fieldOf } from './conversation.ts';
import type { LimitedResponse } from './limited-response.ts';
import type { Plan, ToolCall } from './plan.ts';
import { countInputTokens, tokensOf } from './tokens.ts';

/** A part of the response's message, and its number of characters. */
export interface Delta {
  readonly delta: Readonly<Record<string, unknown>>;
  readonly length: number;
}

export class Completion {
  readonly #call: ChatCall;
  readonly #limited: LimitedResponse;
  readonly #created = Math.floor(Date.now() / 1_000);
  /** Usage as written in the response. */
  readonly #usage: unknown;

  constructor(call: ChatCall, plan: Plan, limited: LimitedResponse) {
    this.#call = call;
    this.#limited = limited;
    this.#usage = plan.usage === undefined ? countUsage(call, limited) : plan.usage;
  }

  get usage(): TokenUsage | undefined {
    return readUsage(this.#usage);
  }

  whole(): ChatCompletion {
    const { reasoning, content, calls, finishReason } = this.#limited;
    const message = {
      role: 'assistant',
      content: content === '' && calls.length > 0 ? null : content,
      refusal: null,
      ...(reasoning !== '' && { reasoning_content: reasoning }),
      ...(calls.length > 0 && { tool_calls: calls.map(writeCall) }),
    };
    const choice = { index: 0, message, logprobs: null, finish_reason: finishReason };
    const usage = this.#usage === null ? {} : { usage: this.#usage };
    return { ...this.#head('chat.completion'), choices: [choice], ...usage };
  }

  opening(): ChatCompletion {
    return this.#chunk({ delta: { role: 'assistant', content: '' }, finish_reason: null });
  }

  part({ delta }: Delta): ChatCompletion {
    return this.#chunk({ delta, finish_reason: null });
  }

  /** Returns the last chunk and, when requested, the usage chunk. */
  closing(): ChatCompletion[] {
    const last = this.#chunk({ delta: {}, finish_reason: this.#limited.finishReason });
    if (!this.#tellsUsage || this.#usage === null) return [last];
    return [last, { ...this.#head('chat.completion.chunk'), choices: [], usage: this.#usage }];
  }

  #chunk(choice: Readonly<Record<string, unknown>>): ChatCompletion {
    const head = this.#head('chat.completion.chunk');
    const usage = this.#tellsUsage ? { usage: null } : {};
    return { ...head, choices: [{ index: 0, ...choice, logprobs: null }], ...usage };
  }

  get #tellsUsage(): boolean {
    return fieldOf(this.#call.request['stream_options'], 'include_usage') === true;
  }

  #head(object: string) {
    const { id, model } = this.#call;
    return { id, object, created: this.#created, model, system_fingerprint: 'simulated', simulated: true };
  }
}

/** @param size characters per delta; undefined: one token per delta */
export function deltasOf({ reasoning, content, calls }: LimitedResponse, size: number | undefined): Delta[] {
  const pieces = (text: string) => [...(size === undefined ? tokensOf(text) : slicesOf(text, size))];
  const ofText = (field: string, text: string) =>
    pieces(text).map((piece) => ({ delta: { [field]: piece }, length: piece.length }));
  return [
    ...ofText('reasoning_content', reasoning),
    ...ofText('content', content),
    ...calls.flatMap((call, index) => [
      {
        delta: { tool_calls: [{ index, ...writeCall({ ...call, arguments: '' }) }] },
        length: call.name.length,
      },
      ...pieces(call.arguments).map((piece) => ({
        delta: { tool_calls: [{ index, function: { arguments: piece } }] },
        length: piece.length,
      })),
    ]),
  ];
}

/** Counts the characters, including calls. */
export const lengthOf = ({ reasoning, content, calls }: LimitedResponse): number =>
  calls.reduce(
    (sum, call) => sum + call.name.length + call.arguments.length,
    reasoning.length + content.length,
  );

const writeCall = ({ id, name, arguments: text }: ToolCall) => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});

/** Splits at code points, so that no surrogate pair is cut. */
function* slicesOf(text: string, size: number): Generator<string> {
  const characters = Array.from(text);
  for (let start = 0; start < characters.length; start += size)
    yield characters.slice(start, start + size).join('');
}

function countUsage({ request }: ChatCall, { outputTokens, reasoningTokens }: LimitedResponse) {
  const inputTokens = countInputTokens([request.messages, request['tools'] ?? []]);
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}

/** Returns undefined for implausible usage, since a script may give any value. */
function readUsage(usage: unknown): TokenUsage | undefined {
  const details = fieldOf(usage, 'prompt_tokens_details');
  const read = {
    inputTokens: fieldOf(usage, 'prompt_tokens'),
    outputTokens: fieldOf(usage, 'completion_tokens'),
    cacheReadInputTokens: fieldOf(details, 'cached_tokens') ?? 0,
    cacheCreationInputTokens: fieldOf(details, 'cache_creation_tokens') ?? 0,
  };
  return Object.values(read).every(isCount) ? (read as TokenUsage) : undefined;
}

const isCount = (value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 31;
