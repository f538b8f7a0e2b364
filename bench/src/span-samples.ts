/** Spans of an agent in the conventions for generative AI, about 1.2 KB each in protobuf. */
import { bytesField, doubleField, fixed64Field, textField, varintField } from './protobuf-fields.ts';
import { messageText } from './session-samples.ts';

export const SPANS_PER_TRACE = 50;
const CHAT_TEXT_CHARACTERS = 250;
const TOOL_TEXT_CHARACTERS = 260;
/** Client and internal, as in OTLP. */
const KINDS = { chat: 3, execute_tool: 1, invoke_agent: 1 } as const;

export const TRACE_ID_AT = 2;
export const SPAN_ID_AT = TRACE_ID_AT + 16 + 2;
export const PARENT_ID_AT = SPAN_ID_AT + 8 + 2;

export interface SpanSample {
  /** The encoded fields of a Span. They begin with its id and those of its trace and its parent, at `…_AT`, all of them zero. */
  readonly bytes: Buffer;
  readonly hasParent: boolean;
  /** Offsets of start and end time, 8 bytes each. */
  readonly startAt: number;
  readonly endAt: number;
}

/** The first span of each trace is the agent, and the others alternate between a model call and a tool call. */
export function makeSpan(number: number): SpanSample {
  const place = number % SPANS_PER_TRACE;
  const operation = place === 0 ? 'invoke_agent' : place % 2 === 1 ? 'chat' : 'execute_tool';
  const ids = [bytesField(1, Buffer.alloc(16)), bytesField(2, Buffer.alloc(8))];
  if (place > 0) ids.push(bytesField(4, Buffer.alloc(8)));
  const named = [textField(5, `${operation} ${nameOf(operation, number)}`), varintField(6, KINDS[operation])];
  const before = Buffer.concat([...ids, ...named]);
  const rest = Buffer.concat(attributesOf(operation, number).map((one) => bytesField(9, one)));
  const bytes = Buffer.concat([before, fixed64Field(7, 0n), fixed64Field(8, 0n), rest]);
  return { bytes, hasParent: place > 0, startAt: before.length + 1, endAt: before.length + 10 };
}

type Operation = keyof typeof KINDS;

const nameOf = (operation: Operation, number: number) =>
  ({ chat: `model-${number % 40}`, execute_tool: `tool-${number % 12}`, invoke_agent: 'researcher' })[
    operation
  ];

function attributesOf(operation: Operation, number: number): Buffer[] {
  const trace = Math.floor(number / SPANS_PER_TRACE);
  const common = [
    text('gen_ai.operation.name', operation),
    text('gen_ai.conversation.id', `0199a6b0-0000-7000-8000-${trace.toString(16).padStart(12, '0')}`),
    text('gen_ai.agent.name', 'researcher'),
  ];
  if (operation === 'chat') return [...common, ...chat(number)];
  return operation === 'execute_tool' ? [...common, ...tool(number)] : [...common, ...agent(number)];
}

const chat = (number: number) => [
  text('gen_ai.provider.name', 'anthropic'),
  text('gen_ai.request.model', nameOf('chat', number)),
  text('gen_ai.response.model', nameOf('chat', number)),
  text('gen_ai.response.id', `msg_${(number * 7_919).toString(36).padStart(24, '0')}`),
  integer('gen_ai.request.max_tokens', 4_096),
  double('gen_ai.request.temperature', 0.7),
  list('gen_ai.response.finish_reasons', ['tool_call']),
  integer('gen_ai.usage.input_tokens', 1_000 + (number % 900)),
  integer('gen_ai.usage.output_tokens', 100 + (number % 90)),
  text('gen_ai.input.messages', messages('user', number, CHAT_TEXT_CHARACTERS)),
  text('gen_ai.output.messages', messages('assistant', number + 1, CHAT_TEXT_CHARACTERS)),
  text('server.address', 'api.anthropic.com'),
  integer('server.port', 443),
];

const tool = (number: number) => [
  text('gen_ai.tool.name', nameOf('execute_tool', number)),
  text('gen_ai.tool.type', 'function'),
  text('gen_ai.tool.call.id', `toolu_${(number * 104_729).toString(36).padStart(24, '0')}`),
  text('gen_ai.tool.description', 'Reads a file of the repository and answers with its lines'),
  text('gen_ai.tool.call.arguments', JSON.stringify({ path: 'notes.md', text: piece(number) })),
  text('gen_ai.tool.call.result', JSON.stringify({ lines: piece(number + 1) })),
  bool('drydock.is_cached', number % 3 === 0),
];

const agent = (number: number) => [
  text('gen_ai.agent.id', 'agent-7'),
  text('gen_ai.input.messages', messages('user', number, CHAT_TEXT_CHARACTERS)),
  text('gen_ai.output.messages', messages('assistant', number + 1, CHAT_TEXT_CHARACTERS)),
];

const piece = (number: number) => messageText(number).slice(0, TOOL_TEXT_CHARACTERS);

const messages = (role: string, number: number, characters: number) =>
  JSON.stringify([{ role, parts: [{ type: 'text', content: messageText(number).slice(0, characters) }] }]);

export const text = (key: string, value: string) => keyValue(key, textField(1, value));
const bool = (key: string, value: boolean) => keyValue(key, varintField(2, value ? 1 : 0));
const integer = (key: string, value: number) => keyValue(key, varintField(3, value));
const double = (key: string, value: number) => keyValue(key, doubleField(4, value));

const list = (key: string, values: readonly string[]) =>
  keyValue(key, bytesField(5, ...values.map((value) => bytesField(1, textField(1, value)))));

const keyValue = (key: string, value: Uint8Array) => Buffer.concat([textField(1, key), bytesField(2, value)]);
