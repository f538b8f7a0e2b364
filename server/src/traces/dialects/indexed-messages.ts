/** Reads messages that are spread over attributes: `llm.input_messages.0.message.role`, `gen_ai.prompt.0.content`. */

import type { Message } from './message.ts';
import { toMessage } from './message-forms.ts';

type Entry = readonly [name: string, value: unknown];

/** Reads attributes named `<prefix><index>.<field>`. An index only defines the order: a high index costs no more than a low one. */
export function readIndexed(
  attributes: Readonly<Record<string, unknown>>,
  prefix: string,
  role: string,
): Message[] {
  const entries: Entry[] = [];
  for (const key in attributes) if (key.startsWith(prefix)) entries.push([key, attributes[key]]);
  return groupByIndex(entries, prefix).flatMap((message) => toMessage(toFields(message), role));
}

function groupByIndex(entries: readonly Entry[], prefix: string): Entry[][] {
  const groups = new Map<number, Entry[]>();
  for (const [name, value] of entries) {
    const match = name.startsWith(prefix) ? /^(\d{1,9})\.(.+)$/s.exec(name.slice(prefix.length)) : null;
    if (match === null) continue;
    const index = Number(match[1]);
    const group = groups.get(index);
    if (group === undefined) groups.set(index, [[match[2] ?? '', value]]);
    else group.push([match[2] ?? '', value]);
  }
  return [...groups].toSorted(([one], [other]) => one - other).map(([, group]) => group);
}

function toFields(message: readonly Entry[]): Record<string, unknown> {
  const entries = message.map(([name, value]): Entry => [withoutPrefix(name, 'message.'), value]);
  const fields = Object.fromEntries(entries);
  const contents = groupByIndex(entries, 'contents.').map(toPart);
  const calls = groupByIndex(entries, 'tool_calls.').map(Object.fromEntries);
  const calledName = fields.function_call_name ?? fields['function_call.name'];
  return {
    role: fields.role,
    content: fields.content ?? fields['prompt.text'] ?? fields['completion.text'],
    ...(contents.length > 0 && { parts: fields.content ? [fields.content, ...contents] : contents }),
    tool_calls: calls.length > 0 ? calls : fields.tool_calls,
    tool_call_id: fields.tool_call_id,
    name: fields.name,
    ...(calledName !== undefined && {
      function_call: {
        name: calledName,
        arguments: fields.function_call_arguments_json ?? fields['function_call.arguments'],
      },
    }),
  };
}

function toPart(entries: readonly Entry[]): Record<string, unknown> {
  const part = Object.fromEntries(
    entries.map(([name, value]) => [withoutPrefix(name, 'message_content.'), value]),
  );
  const url = part['image.image.url'] ?? part['audio.audio.url'] ?? part['video.video.url'];
  return url === undefined ? part : { type: part.type, url };
}

const withoutPrefix = (name: string, prefix: string) =>
  name.startsWith(prefix) ? name.slice(prefix.length) : name;
