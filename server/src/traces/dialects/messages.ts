/** Reads messages from stored spans each time they are shown. */
import { BODY_NAMES, DETAILS_EVENT, INDEXED_INPUT, INDEXED_OUTPUT } from './conventions.ts';
import { toMessage, toMessages } from './message-forms.ts';
import {
  contentOf,
  isFields,
  type Message,
  type Messages,
  parseMessageJson,
  textOf,
  toArguments,
  toToolCall,
} from './message-values.ts';

type Attributes = Readonly<Record<string, unknown>>;

/**
 * Reads messages from stored attributes and events. When a span repeats the same content in several conventions, the newest one is read.
 */
export function readMessages(attributes: Attributes, events: readonly MessageEvent[]): Messages {
  const details = findDetails(events);
  const ofEvents = readEvents(events);
  return {
    input: [
      ...toMessages(
        attributes['gen_ai.system_instructions'] ?? details?.['gen_ai.system_instructions'],
        'system',
      ),
      ...readInput(attributes, details, ofEvents.input),
    ],
    output: readOutput(attributes, details, ofEvents.output),
  };
}

function readInput(attributes: Attributes, details: Attributes | undefined, ofEvents: Message[]): Message[] {
  const [genAi, openInference, prompts] = INDEXED_INPUT;
  return firstOf(
    () => toMessages(attributes['gen_ai.input.messages'], 'user'),
    () => toMessages(details?.['gen_ai.input.messages'], 'user'),
    () => ofEvents,
    () => readCall(attributes),
    () => readIndexed(attributes, genAi, 'user'),
    () => toMessages(attributes['gen_ai.prompt'], 'user'),
    () => readIndexed(attributes, openInference, 'user'),
    () => toMessages(attributes['llm.input_messages'], 'user'),
    () => readIndexed(attributes, prompts, 'user'),
    () => toMessages(attributes['input.value'] ?? attributes['traceloop.entity.input'], 'user'),
    () => toMessages(attributes['ai.prompt.messages'], 'user'),
    () => readPrompt(attributes['ai.prompt']),
  );
}

function readOutput(attributes: Attributes, details: Attributes | undefined, ofEvents: Message[]): Message[] {
  const [genAi, openInference, choices] = INDEXED_OUTPUT;
  return firstOf(
    () => toMessages(attributes['gen_ai.output.messages'], 'assistant'),
    () => toMessages(details?.['gen_ai.output.messages'], 'assistant'),
    () => ofEvents,
    () => readResult(attributes),
    () => readIndexed(attributes, genAi, 'assistant'),
    () => toMessages(attributes['gen_ai.completion'], 'assistant'),
    () => readIndexed(attributes, openInference, 'assistant'),
    () => toMessages(attributes['llm.output_messages'], 'assistant'),
    () => readIndexed(attributes, choices, 'assistant'),
    () => toMessages(attributes['output.value'] ?? attributes['traceloop.entity.output'], 'assistant'),
    () => readResponse(attributes),
    () => readGeneration(attributes),
  );
}

/** Reads the prompt of an AI SDK function: messages or a text, and the system prompt. */
function readPrompt(given: unknown): Message[] {
  const prompt = typeof given === 'string' ? parseMessageJson(given) : given;
  if (!isFields(prompt)) return [];
  return [
    ...toMessages(prompt.system, 'system'),
    ...toMessages(prompt.messages ?? prompt.prompt ?? null, 'user'),
  ];
}

/** Reads the response of the AI SDK: a text or an object, and tool calls. */
function readResponse(attributes: Attributes): Message[] {
  const content = textOf(attributes['ai.response.text']) ?? textOf(attributes['ai.response.object']);
  return readAssistant(content, attributes['ai.response.toolCalls']);
}

/** Reads the response of a `generation` span of the dreadnode client. */
const readGeneration = (attributes: Attributes) =>
  readAssistant(
    textOf(attributes['dreadnode.generation.content']),
    attributes['dreadnode.generation.tool_calls'],
  );

function readAssistant(content: string | null, given: unknown): Message[] {
  const calls = typeof given === 'string' ? parseMessageJson(given) : given;
  const tool_calls = Array.isArray(calls) ? calls.filter(isFields).map(toToolCall) : [];
  if (content === null && tool_calls.length === 0) return [];
  return [{ role: 'assistant', content, ...(tool_calls.length > 0 && { tool_calls }) }];
}

function firstOf(...readings: readonly (() => Message[])[]): Message[] {
  for (const read of readings) {
    const messages = read();
    if (messages.length > 0) return messages;
  }
  return [];
}

/** Reads the arguments of a tool span as a tool call by a model. */
function readCall(attributes: Attributes): Message[] {
  const given = firstPresent(
    attributes['gen_ai.tool.call.arguments'],
    attributes['ai.toolCall.args'],
    attributes['dreadnode.tool.arguments'],
    isOfTool(attributes)
      ? (attributes['input.value'] ??
          attributes['tool_call.function.arguments'] ??
          attributes['tool.parameters'] ??
          attributes['traceloop.entity.input'])
      : undefined,
  );
  if (given === undefined) return [];
  const call = { id: callIdOf(attributes), name: toolNameOf(attributes), arguments: toArguments(given) };
  return [{ role: 'assistant', content: null, tool_calls: [call] }];
}

function readResult(attributes: Attributes): Message[] {
  const content = contentOf(
    firstPresent(
      attributes['gen_ai.tool.call.result'],
      attributes['ai.toolCall.result'],
      attributes['dreadnode.tool.result'],
      isOfTool(attributes)
        ? (attributes['output.value'] ?? attributes['traceloop.entity.output'])
        : undefined,
    ),
  );
  if (content === null) return [];
  const id = callIdOf(attributes);
  const name = toolNameOf(attributes);
  return [
    { role: 'tool', content, ...(id !== null && { tool_call_id: id }), ...(name !== null && { name }) },
  ];
}

const firstPresent = (...values: readonly unknown[]) =>
  values.find((value) => value !== undefined && value !== null);

const isOfTool = (attributes: Attributes) =>
  textOf(attributes['openinference.span.kind'])?.toUpperCase() === 'TOOL' ||
  attributes['traceloop.span.kind'] === 'tool';

const callIdOf = (attributes: Attributes) =>
  textOf(attributes['gen_ai.tool.call.id']) ??
  textOf(attributes['tool_call.id']) ??
  textOf(attributes['tool.id']) ??
  textOf(attributes['ai.toolCall.id']) ??
  textOf(attributes['dreadnode.tool.call_id']);

const toolNameOf = (attributes: Attributes) =>
  textOf(attributes['gen_ai.tool.name']) ??
  textOf(attributes['tool.name']) ??
  textOf(attributes['tool_call.function.name']) ??
  textOf(attributes['traceloop.entity.name']) ??
  textOf(attributes['ai.toolCall.name']) ??
  textOf(attributes['dreadnode.tool.name']);

type Fields = Readonly<Record<string, unknown>>;

interface MessageEvent {
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
const findDetails = (events: readonly MessageEvent[]): Fields | undefined =>
  events.find(({ name }) => name === DETAILS_EVENT)?.attributes;

function readEvents(events: readonly MessageEvent[]): Messages {
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
  return output.length > 0 ? { input, output } : splitAtResponse(input);
}

/** The last assistant message is the output when no choice exists. */
function splitAtResponse(messages: readonly Message[]): Messages {
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

type Entry = readonly [name: string, value: unknown];

/** Reads attributes named `<prefix><index>.<field>`. An index only defines the order: a high index costs no more than a low one. */
function readIndexed(attributes: Readonly<Record<string, unknown>>, prefix: string, role: string): Message[] {
  const entries: Entry[] = [];
  for (const key in attributes) if (key.startsWith(prefix)) entries.push([key, attributes[key]]);
  return groupByIndex(entries, prefix).flatMap((message) => toMessage(fieldsOf(message), role));
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

function fieldsOf(message: readonly Entry[]): Record<string, unknown> {
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
