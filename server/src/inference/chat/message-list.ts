/** Builds the messages of a chat completion request from the conversation of another API. */
import type { ChatMessage } from '../../platform/llm/chat-model.ts';

/** A part of a message in OpenAI's form: text, `image_url` or `file`. */
export type ContentPart = { readonly type: string; readonly [field: string]: unknown };

export const textPart = (text: string): ContentPart => ({ type: 'text', text });

interface AssistantMessage {
  readonly role: 'assistant';
  content: string | null;
  reasoning_content?: string;
  reasoning_details?: unknown[];
  tool_calls?: unknown[];
}

export class MessageList {
  readonly #messages: (ChatMessage | AssistantMessage)[] = [];
  readonly #unanswered = new Set<string>();
  /** User messages that wait for the results of earlier calls, since providers accept nothing in between. */
  #waiting: ChatMessage[] = [];
  /** Files from tool results, which are sent after the last result. */
  #files: ChatMessage[] = [];

  /** Merges instructions at the start into one message, since some models accept only one. */
  instruct(text: string): void {
    if (text === '') return;
    const last = this.#messages.at(-1);
    if (this.#messages.length === 1 && last?.role === 'system')
      this.#messages[0] = { role: 'system', content: `${String(last.content)}\n\n${text}` };
    else this.#pushUser({ role: 'system', content: text });
  }

  ask(parts: readonly ContentPart[]): void {
    if (parts.length > 0) this.#pushUser({ role: 'user', content: toContent(parts) });
  }

  /** Adds text that the model wrote. */
  answer(text: string): void {
    const message = this.#assistant();
    message.content = message.content ? `${message.content}\n\n${text}` : text;
  }

  /** Adds reasoning of the model; `detail` is what its provider needs to get back. */
  think(text: string, detail: object): void {
    const message = this.#assistant();
    if (text !== '') message.reasoning_content = (message.reasoning_content ?? '') + text;
    (message.reasoning_details ??= []).push(detail);
  }

  call(id: string, name: string, given: string): void {
    const call = { id, type: 'function', function: { name, arguments: given } };
    (this.#assistant().tool_calls ??= []).push(call);
    this.#unanswered.add(id);
  }

  /** Adds a result as text; its images and files follow in a user message. */
  result(id: string, parts: readonly ContentPart[]): void {
    const texts = parts.flatMap(({ type, text }) => (type === 'text' ? String(text) : []));
    const files = parts.filter(({ type }) => type !== 'text');
    const note = files.length > 0 ? ['The files of this result follow in the next message.'] : [];
    this.#messages.push({ role: 'tool', tool_call_id: id, content: [...texts, ...note].join('\n') });
    this.#unanswered.delete(id);
    if (files.length > 0) this.#files.push({ role: 'user', content: files });
    if (this.#unanswered.size === 0) this.#release();
  }

  /** Returns all messages. Nothing may be added after this. */
  end(): ChatMessage[] {
    this.#release();
    return this.#messages.map((message) => ({ ...message }));
  }

  #assistant(): AssistantMessage {
    const last = this.#messages.at(-1);
    if (last?.role === 'assistant') return last as AssistantMessage;
    const message: AssistantMessage = { role: 'assistant', content: null };
    this.#messages.push(message);
    return message;
  }

  #pushUser(message: ChatMessage): void {
    (this.#unanswered.size > 0 ? this.#waiting : this.#messages).push(message);
  }

  #release(): void {
    for (const message of [...this.#files, ...this.#waiting]) this.#messages.push(message);
    this.#files = [];
    this.#waiting = [];
  }
}

/** A single text becomes a string, which every provider accepts. */
function toContent(parts: readonly ContentPart[]): string | readonly ContentPart[] {
  const [only] = parts;
  return parts.length === 1 && only?.type === 'text' ? String(only['text']) : parts;
}
