/** Converts the messages of a model request to session messages. Nothing is refused, because the provider has accepted the request. */
import { toStorable } from '../../platform/storable-text.ts';
import { ChatMessage, toMessage } from '../import/openai.ts';
import type { MessageRequest } from '../transcript/schema.ts';

export interface ReadChat {
  /** The leading system messages. */
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

/** @param functionCalls ids of legacy function calls, which have none of their own, by function name */
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
