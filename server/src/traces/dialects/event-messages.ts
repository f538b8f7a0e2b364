/** Reads messages that are sent as span events, either one event per message or all in one event. */
import { BODY_NAMES, DETAILS_EVENT } from './conventions.ts';
import type { Message, Messages } from './message.ts';
import { toMessage, toMessages } from './message-forms.ts';
import { parseMessageJson } from './message-json.ts';
import { isFields } from './message-values.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface MessageEvent {
  readonly name: string;
  readonly attributes: Fields;
}

const ROLE_OF_EVENT: ReadonlyMap<string, string> = new Map([
  ['gen_ai.system.message', 'system'],
  ['gen_ai.user.message', 'user'],
  ['gen_ai.assistant.message', 'assistant'],
  ['gen_ai.tool.message', 'tool'],
]);

/** Returns the attributes of the event that describes the whole call, as if they were attributes of the span. */
export const findDetails = (events: readonly MessageEvent[]): Fields | undefined =>
  events.find(({ name }) => name === DETAILS_EVENT)?.attributes;

export function readEvents(events: readonly MessageEvent[]): Messages {
  const input: Message[] = [];
  const output: Message[] = [];
  for (const { name, attributes } of events) {
    const role = ROLE_OF_EVENT.get(name);
    if (role !== undefined) input.push(...toMessage(bodyOf(attributes), role));
    else if (name === 'gen_ai.choice') output.push(...toMessage(bodyOf(attributes), 'assistant'));
    else if (name === 'gen_ai.content.prompt') {
      input.push(...toMessages(attributes['gen_ai.prompt'] ?? bodyOf(attributes), 'user'));
    } else if (name === 'gen_ai.content.completion') {
      output.push(...toMessages(attributes['gen_ai.completion'] ?? bodyOf(attributes), 'assistant'));
    }
  }
  return output.length > 0 ? { input, output } : splitAtAnswer(input);
}

/** The last assistant message is the output when no choice exists. */
function splitAtAnswer(messages: readonly Message[]): Messages {
  const last = messages.findLastIndex(({ role }) => role !== 'assistant');
  return { input: messages.slice(0, last + 1), output: messages.slice(last + 1) };
}

/** The body of a log record is stored in one attribute or spread over several. */
function bodyOf(attributes: Fields): Fields {
  const name = BODY_NAMES.find((name) => attributes[name] !== undefined);
  const given = name === undefined ? attributes : attributes[name];
  const body = toFields(given) ?? { content: given };
  // A choice holds its message, encoded as JSON where attributes cannot hold objects.
  if (typeof body.message !== 'string') return body;
  return { ...body, message: toFields(body.message) ?? { content: body.message } };
}

function toFields(value: unknown): Fields | undefined {
  const parsed = typeof value === 'string' ? parseMessageJson(value) : value;
  return isFields(parsed) ? parsed : undefined;
}
