/** Reads messages from stored spans each time they are shown. */
import { INDEXED_INPUT, INDEXED_OUTPUT } from './conventions.ts';
import { findDetails, type MessageEvent, readEvents } from './event-messages.ts';
import { readIndexed } from './indexed-messages.ts';
import type { Message, Messages } from './message.ts';
import { toMessages } from './message-forms.ts';
import { parseMessageJson } from './message-json.ts';
import { contentOf, isFields, textOf, toArguments, toToolCall } from './message-values.ts';

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
  return readSaid(content, attributes['ai.response.toolCalls']);
}

/** Reads the response of a `generation` span of the dreadnode client. */
const readGeneration = (attributes: Attributes) =>
  readSaid(textOf(attributes['dreadnode.generation.content']), attributes['dreadnode.generation.tool_calls']);

function readSaid(content: string | null, given: unknown): Message[] {
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
