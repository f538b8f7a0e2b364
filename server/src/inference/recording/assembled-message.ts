/** Assembles the message of a response from a whole completion, or from its chunks. Only the first choice is kept. */
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
      this.#content += textOf(part['content']);
      this.#reasoning += textOf(part['reasoning_content'] ?? part['reasoning']);
      this.#refusal += textOf(part['refusal']);
      if (Array.isArray(part['tool_calls'])) this.#noteCalls(part['tool_calls']);
      this.#finishReason = textOf(choice['finish_reason']) || this.#finishReason;
    }
  }

  #noteCalls(parts: readonly unknown[]): void {
    for (const [position, part] of parts.map(fieldsOf).entries()) {
      const index = typeof part['index'] === 'number' ? part['index'] : position;
      const { name, arguments: given } = fieldsOf(part['function']);
      const call = this.#calls.get(index) ?? { id: '', name: '', arguments: '' };
      call.id ||= textOf(part['id']);
      call.name ||= textOf(name);
      call.arguments += textOf(given);
      this.#calls.set(index, call);
    }
  }

  get finishReason(): string | null {
    return this.#finishReason;
  }

  /** In the form of chat completions; undefined when nothing was said. */
  get message(): Fields | undefined {
    const calls = [...this.#calls].toSorted(([a], [b]) => a - b).map(([, call]) => call);
    const content = this.#content || this.#refusal;
    if (content === '' && this.#reasoning === '' && calls.length === 0) return undefined;
    return {
      role: 'assistant',
      content,
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
