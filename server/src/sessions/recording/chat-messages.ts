/** The messages of a model call, as a session stores them. Nothing is refused: the provider has accepted the call. */
import { toStorable } from '../../platform/storable-text.ts';
import { ChatMessage, toMessage } from '../import/openai.ts';
import type { MessageRequest } from '../transcript/schema.ts';

export interface ReadChat {
  /** The system messages at the beginning. */
  readonly systemPrompt: string;
  readonly messages: readonly MessageRequest[];
}

const isSystem = (message: unknown) =>
  typeof message === 'object' &&
  message !== null &&
  'role' in message &&
  (message.role === 'system' || message.role === 'developer');

export function readChat(given: readonly unknown[]): ReadChat {
  const first = given.findIndex((message) => !isSystem(message));
  const split = first === -1 ? given.length : first;
  const functionCalls = new Map<string, string>();
  const read = given.map((message, place) => readMessage(message, functionCalls, place));
  return {
    systemPrompt: read
      .slice(0, split)
      .map(({ content }) => content)
      .join('\n\n'),
    messages: read.slice(split),
  };
}

/** @param functionCalls the ids of calls in the form that has none, by the name of their function */
export function readMessage(
  given: unknown,
  functionCalls = new Map<string, string>(),
  place = 0,
): MessageRequest {
  const { data } = ChatMessage.safeParse(given);
  if (!data) return { role: 'user', content: JSON.stringify(toStorable(given)) ?? '' };
  const { model: _, ...message } = toMessage(data, '', functionCalls, place);
  const { refusal } = data;
  const content = message.content || (typeof refusal === 'string' ? refusal : '');
  return toStorable({ ...message, content });
}
