/** Messages are read from what is stored, whenever they are shown. */
import { INDEXED_INPUT, INDEXED_OUTPUT } from './conventions.ts';
import { findDetails, type MessageEvent, readEvents } from './event-messages.ts';
import { readIndexed } from './indexed-messages.ts';
import type { Message, Messages } from './message.ts';
import { toMessages } from './message-forms.ts';
import { contentOf, textOf, toArguments } from './message-values.ts';

type Attributes = Readonly<Record<string, unknown>>;

/** Of attributes as they are stored. Where a span says the same in several conventions, the newest is read. */
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
  );
}

function firstOf(...readings: readonly (() => Message[])[]): Message[] {
  for (const read of readings) {
    const messages = read();
    if (messages.length > 0) return messages;
  }
  return [];
}

/** What a tool was called with is said by a model. */
function readCall(attributes: Attributes): Message[] {
  const given = firstPresent(
    attributes['gen_ai.tool.call.arguments'],
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
  textOf(attributes['tool.id']);

const toolNameOf = (attributes: Attributes) =>
  textOf(attributes['gen_ai.tool.name']) ??
  textOf(attributes['tool.name']) ??
  textOf(attributes['tool_call.function.name']) ??
  textOf(attributes['traceloop.entity.name']);
