/** Assembles the message of a response from a whole completion, or from its chunks. Keeps only the first choice. */
import type { ChatCompletion } from '../../platform/llm/chat-model.ts';

type Fields = Readonly<Record<string, unknown>>;

interface AssembledCall {
  id: string;
  name: string;
  arguments: string;
}

export class AssembledMessage {
  #content = '';
  #reasoning = '';
  #refusal = '';
  readonly #calls = new Map<number, AssembledCall>();
  #finishReason: string | null = null;

  note({ choices }: ChatCompletion): void {
    for (const choice of choices.map(fieldsOf)) {
      if ((choice['index'] ?? 0) !== 0) continue;
      const part = fieldsOf(choice['message'] ?? choice['delta']);
      this.#content += textOf(part['content']) || textsOf(part['content']);
      this.#reasoning += textOf(part['reasoning_content'] ?? part['reasoning']);
      this.#refusal += textOf(part['refusal']);
      if (Array.isArray(part['tool_calls'])) this.#noteCalls(part['tool_calls']);
      this.#finishReason = textOf(choice['finish_reason']) || this.#finishReason;
    }
  }

  #noteCalls(parts: readonly unknown[]): void {
    for (const part of parts.map(fieldsOf)) {
      const index = typeof part['index'] === 'number' ? part['index'] : this.#findIndex(textOf(part['id']));
      const { name, arguments: given } = fieldsOf(part['function']);
      const call = this.#calls.get(index) ?? { id: '', name: '', arguments: '' };
      call.id ||= textOf(part['id']);
      call.name ||= textOf(name);
      call.arguments += typeof given === 'object' && given !== null ? JSON.stringify(given) : textOf(given);
      this.#calls.set(index, call);
    }
  }

  /** Some providers do not number the calls of a stream: a new id starts the next call. */
  #findIndex(id: string): number {
    const indexes = [...this.#calls.keys()];
    const last = Math.max(-1, ...indexes);
    if (id === '') return Math.max(0, last);
    return indexes.find((index) => this.#calls.get(index)?.id === id) ?? last + 1;
  }

  get finishReason(): string | null {
    return this.#finishReason;
  }

  /** True when the response holds neither text nor a tool call. Clients often leave such a response out of their next request. */
  get isSilent(): boolean {
    return this.#content === '' && this.#refusal === '' && this.#calls.size === 0;
  }

  /** The message in the form of chat completions. */
  get message(): Fields {
    const calls = [...this.#calls].toSorted(([a], [b]) => a - b).map(([, call]) => call);
    return {
      role: 'assistant',
      content: this.#content,
      ...(this.#refusal !== '' && { refusal: this.#refusal }),
      ...(this.#reasoning !== '' && { reasoning_content: this.#reasoning }),
      ...(calls.length > 0 && { tool_calls: calls.map(toToolCall) }),
    };
  }
}

const toToolCall = ({ id, name, arguments: given }: AssembledCall, index: number) => ({
  id: id || `call_${index}`,
  type: 'function',
  function: { name, arguments: given },
});

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** Joins texts like those of a request, so that the response is recognized when a later request repeats it. */
const textsOf = (value: unknown) =>
  (Array.isArray(value) ? value : [])
    .map((part) => textOf(fieldsOf(part)['text']))
    .filter(Boolean)
    .join('\n');
