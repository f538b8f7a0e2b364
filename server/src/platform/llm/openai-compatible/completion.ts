/** Reads the parts of a chat completion or chunk that the gateway needs. */
import { nestingOf, parseExactly } from '../../json.ts';
import type { ChatCompletion } from '../chat-model.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Maximum nesting: deeper values would overflow the stack when they are serialized. */
const MAX_DEPTH = 256;
/** Maximum number of nested values: about 100 MB when parsed. The log probabilities of 20,000 tokens have as many. */
const MAX_NESTED = 1_000_000;

/** Returns the fields of a JSON object; undefined for everything else. */
export function parseObject(text: string): Fields | undefined {
  const { depth, count } = nestingOf(text);
  if (depth > MAX_DEPTH || count > MAX_NESTED) return undefined;
  try {
    const value = parseExactly(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Fields)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the completion with our id; undefined when it has no choices. */
export function toCompletion(fields: Fields, id: string): ChatCompletion | undefined {
  const { choices } = fields;
  return Array.isArray(choices)
    ? { ...fields, id, choices: choices.map((choice) => withCallIds(choice, id)) }
    : undefined;
}

/** Adds ids to tool calls of providers that omit them, since results cannot be returned without an id. */
function withCallIds(choice: unknown, id: string): unknown {
  const field = fieldsOf(choice)['message'] ? 'message' : 'delta';
  const fields = fieldsOf(fieldsOf(choice)[field]);
  const { tool_calls: calls } = fields;
  if (!Array.isArray(calls) || !calls.some(isWithoutId)) return choice;
  const named = calls.map((call: unknown, position) => {
    if (!isWithoutId(call)) return call;
    const { index } = fieldsOf(call);
    const place = typeof index === 'number' ? index : position;
    return Object.assign({}, call, { id: `${id.replace('chatcmpl-', 'call_')}_${place}` });
  });
  return { ...fieldsOf(choice), [field]: { ...fields, tool_calls: named } };
}

/** Later chunks of a call have neither a name nor an id. */
const isWithoutId = (call: unknown) =>
  !fieldsOf(call)['id'] && Boolean(fieldsOf(fieldsOf(call)['function'])['name']);

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

/** Returns whether a choice has a finish reason. */
export const isFinished = ({ choices }: ChatCompletion) =>
  choices.some(
    (choice) =>
      typeof choice === 'object' &&
      choice !== null &&
      'finish_reason' in choice &&
      typeof choice.finish_reason === 'string',
  );

/** Fields with text written by the model. */
const OUTPUT_FIELDS = new Set([
  'content',
  'refusal',
  'reasoning',
  'reasoning_content',
  'text',
  'name',
  'arguments',
]);

/** Counts the characters written by the model, including tool calls. `reasoning_details` repeat the reasoning. */
export const outputLengthOf = ({ choices }: ChatCompletion) => lengthOf(choices, '');

function lengthOf(value: unknown, field: string): number {
  if (typeof value === 'string') return OUTPUT_FIELDS.has(field) ? value.length : 0;
  if (typeof value !== 'object' || value === null || field === 'reasoning_details') return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + lengthOf(item, ''), 0);
  return Object.entries(value).reduce((sum, [name, item]) => sum + lengthOf(item, name), 0);
}
