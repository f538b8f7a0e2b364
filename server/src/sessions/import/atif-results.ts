/** Converts the tool calls of ATIF steps, and their results, to messages. */
import {
  fromArguments,
  fromExtra,
  joinMetadata,
  type MessageNotesOf,
  splitCallExtra,
  splitMetadata,
} from '../trajectory/atif-notes.ts';
import {
  type JsonObject,
  type ResultOf,
  type StepOf,
  type ToolCallOf,
  textOf,
  toInstant,
} from '../trajectory/atif-schema.ts';
import type { ImportedMessage } from './imported-session.ts';

/** Returns a call as it is stored, and the id by which the results of its step refer to it. */
export function toCall({ tool_call_id, function_name, arguments: given, extra }: ToolCallOf) {
  const { notes, rest } = splitCallExtra(extra);
  const call = { id: notes.id ?? tool_call_id, name: function_name, arguments: fromArguments(given) };
  return { given: tool_call_id, call, extra: Object.keys(rest).length > 0 ? rest : null };
}

/**
 * Returns the messages with a step's tool results, and their order in the document. They are stored in the order in which an export finds
 * them: first those that belong to a call of the step, in the order of the calls, then those without a call, then those for calls of
 * another step.
 */
export function toToolResults(
  step: StepOf,
  calls: readonly { readonly given: string; readonly call: { readonly id: string } }[],
): { messages: ImportedMessage[]; order: number[] | undefined } {
  const created_at = toCreatedAt(step);
  const ids = new Map(calls.map(({ given, call }) => [given, call.id]));
  // If several calls have the same id, the first one counts.
  const ranks = new Map(calls.map(({ call }, index) => [call.id, index] as const).toReversed());
  const copies = new Map(calls.map(({ given }, index) => [given, index]));
  const results = (step.observation?.results ?? []).map((result, index) => {
    const given = result.source_call_id ?? undefined;
    const id = given === undefined ? undefined : ids.get(given);
    const message = toToolMessage(result, created_at, id ?? given);
    const isPart = message.tool_call_id === undefined;
    const rank = id === undefined ? (isPart ? calls.length : Infinity) : (ranks.get(id) ?? 0);
    return { message: isPart ? asPart(message) : message, index, rank, copy: copies.get(given ?? '') ?? 0 };
  });
  const sorted = results.toSorted((a, b) => (a.rank === b.rank ? a.copy - b.copy : a.rank - b.rank));
  return {
    messages: sorted.map(({ message }) => message),
    order: toOrder(sorted.filter(({ rank }) => rank !== Infinity).map(({ index }) => index)),
  };
}

/** Maps each place in the document to its place now; undefined when the order is unchanged. */
function toOrder(indexes: readonly number[]): number[] | undefined {
  const places = new Map(indexes.map((index, place) => [index, place]));
  const order = indexes.toSorted((a, b) => a - b).map((index) => places.get(index) ?? 0);
  return order.every((place, at) => place === at) ? undefined : order;
}

export function toToolMessage(
  result: ResultOf,
  created_at: string | undefined,
  callId?: string,
): ImportedMessage {
  const { notes: ours, rest } = fromExtra(result.extra);
  const tool_call_id = callId ?? ours.tool_call_id;
  const refs = result.subagent_trajectory_ref ?? [];
  const { content } = result;
  const notes: MessageNotesOf = {
    content: typeof content === 'string' ? undefined : (content ?? null),
    subagent_trajectory_ref: refs.length > 0 ? refs : undefined,
  };
  return {
    role: 'tool',
    content: textOf(content),
    model: ours.model ?? null,
    created_at,
    metadata: joinMetadata(...collide(notes, rest, ['atif'])),
    ...(tool_call_id !== undefined && { tool_call_id }),
    ...(ours.tool_calls && { tool_calls: ours.tool_calls }),
    ...(ours.usage && { usage: ours.usage }),
  };
}

/** Marks a result without a call as part of the step before it. */
function asPart(message: ImportedMessage): ImportedMessage {
  const { notes, rest } = splitMetadata(message.metadata ?? null);
  return { ...message, metadata: joinMetadata({ ...notes, is_in_step: true }, rest) };
}

export function toCreatedAt({ timestamp }: StepOf): string | undefined {
  return timestamp ? toInstant(timestamp) : undefined;
}

/** Moves metadata that an export would misread into the notes. */
export function collide(
  notes: MessageNotesOf,
  rest: JsonObject,
  reserved: readonly string[],
): [notes: MessageNotesOf, rest: JsonObject] {
  const isReserved = ([key]: [string, unknown]) => reserved.includes(key);
  const entries = Object.entries(rest);
  const colliding = entries.filter(isReserved);
  if (colliding.length === 0) return [notes, rest];
  const others = entries.filter((entry) => !isReserved(entry));
  return [{ ...notes, extra: Object.fromEntries(colliding) }, Object.fromEntries(others)];
}
