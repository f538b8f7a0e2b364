/** Converts tool calls and their results to the form of an ATIF step. */
import type { StoredMessageOf } from '../transcript/schema.ts';
import {
  joinExtra,
  type MessageNotesOf,
  type StepNotesOf,
  splitMetadata,
  toArguments,
  toExtra,
} from './atif-notes.ts';
import { isGiven, type ResultOf, type ToolCallOf } from './atif-schema.ts';

export interface StepContext {
  /** Ids of the trajectories that are embedded in the document. */
  readonly subagents: ReadonlySet<string>;
}

export function toToolCalls(
  { tool_calls }: StoredMessageOf,
  { call_extras }: MessageNotesOf,
  ids: readonly string[],
): ToolCallOf[] | undefined {
  return nonEmpty(tool_calls)?.map((call, index) => {
    const tool_call_id = ids[index] ?? call.id;
    const ours = tool_call_id === call.id ? {} : { id: call.id };
    return {
      tool_call_id,
      function_name: call.name,
      arguments: toArguments(call.arguments),
      extra: joinExtra(ours, call_extras?.[index] ?? {}),
    };
  });
}

/** Makes the call ids of a step unique. */
export function toUniqueIds(ids: readonly string[]): string[] {
  const taken = new Set(ids);
  const copies = new Map<string, number>();
  return ids.map((id) => {
    let copy = (copies.get(id) ?? 0) + 1;
    while (copy > 1 && taken.has(`${id}#${copy}`)) copy++;
    copies.set(id, copy);
    return copy === 1 ? id : `${id}#${copy}`;
  });
}

/** If several calls have the same id, the first one gets the first result. */
export function toCallResults(
  context: StepContext,
  calls: readonly string[],
  ids: readonly string[],
  results: readonly StoredMessageOf[],
): ResultOf[] {
  const waiting = Map.groupBy(ids, (_, index) => calls[index]);
  const seenByCall = new Map<string | null, number>();
  return results.map((result) => {
    const same = waiting.get(result.tool_call_id ?? '') ?? [];
    const count = seenByCall.get(result.tool_call_id) ?? 0;
    seenByCall.set(result.tool_call_id, count + 1);
    return toResult(context, result, same[count] ?? same.at(-1));
  });
}

export function toResult(context: StepContext, message: StoredMessageOf, source_call_id?: string): ResultOf {
  const { notes, rest } = splitMetadata(message.metadata);
  const { tool_calls, usage, model, tool_call_id } = message;
  const refs = nonEmpty(notes.subagent_trajectory_ref);
  const isResolved = refs && areResolved(context, refs);
  const ours = definedOf({
    tool_call_id: source_call_id === undefined ? tool_call_id : undefined,
    tool_calls: nonEmpty(tool_calls),
    usage,
    model,
  });
  const metadata = {
    ...rest,
    ...notes.extra,
    ...(refs && !isResolved && { subagent_trajectory_ref: refs }),
  };
  const content = notes.content === undefined ? message.content : notes.content;
  const extra = toExtra(ours, metadata, false);
  return {
    ...(source_call_id !== undefined && { source_call_id }),
    ...(content !== null && { content }),
    ...(refs && isResolved && { subagent_trajectory_ref: refs }),
    ...(extra && { extra }),
  };
}

/** Returns the results of a message in the order of the imported document. */
export function toGivenOrder({ metadata }: StoredMessageOf, results: ResultOf[]): ResultOf[] {
  const { result_order = [] } = splitMetadata(metadata).notes;
  const isWhole = result_order.length === results.length && new Set(result_order).size === results.length;
  const ordered = isWhole ? result_order.flatMap((index) => results[index] ?? []) : [];
  return ordered.length === results.length ? ordered : results;
}

/** Tells whether all references have a target. */
export function areResolved(
  { subagents }: StepContext,
  refs: NonNullable<ResultOf['subagent_trajectory_ref']>,
): boolean {
  return refs.every(
    ({ trajectory_id, trajectory_path }) => trajectory_path || subagents.has(trajectory_id ?? ''),
  );
}

export const nonEmpty = <Item>(list: readonly Item[] | null | undefined): Item[] | undefined =>
  list && list.length > 0 ? [...list] : undefined;

/** Removes null and undefined members. */
export function definedOf(
  notes: { readonly [Key in keyof StepNotesOf]?: StepNotesOf[Key] | null | undefined },
): StepNotesOf {
  return Object.fromEntries(Object.entries(notes).filter(([, note]) => isGiven(note)));
}
