/** Converts turns to ATIF steps. What a step cannot represent is noted in its extra; `import/atif-steps.ts` is the inverse. */
import type { StoredMessageOf } from '../transcript/schema.ts';
import {
  joinExtra,
  type MessageNotesOf,
  type StepNotesOf,
  splitMetadata,
  splitStepExtra,
  toExtra,
} from './atif-notes.ts';
import {
  areResolved,
  definedOf,
  nonEmpty,
  type StepContext,
  toCallResults,
  toResult,
  toToolCalls,
  toUniqueIds,
} from './atif-results.ts';
import {
  isGiven,
  isJsonObject,
  type JsonObject,
  type MetricsOf,
  type ResultOf,
  type StepOf,
} from './atif-schema.ts';

/** A step without its number, which depends on the steps before it. */
export type NewStep = Omit<StepOf, 'step_id'>;

/** Default message of a compaction, unless the imported document had another one. */
export const COMPACTED = 'Context compaction performed';

export function toMessageStep(
  context: StepContext,
  message: StoredMessageOf,
  results: readonly StoredMessageOf[],
): NewStep {
  const { notes, rest } = splitMetadata(message.metadata);
  if (message.role === 'assistant') return toAgentStep(context, message, results, notes, rest);
  const { role, tool_call_id, tool_calls, usage, model } = message;
  const source = role === 'system' ? 'system' : 'user';
  const ours = definedOf({ tool_call_id, tool_calls: nonEmpty(tool_calls), usage, model });
  return {
    timestamp: timestampOf(message, notes),
    source,
    message: notes.message ?? message.content,
    // Only agent steps have calls that results can belong to.
    observation: toObservation(notes, []),
    is_copied_context: notes.is_copied_context,
    llm_call_count: notes.llm_call_count ?? undefined,
    extra: toExtra(ours, { ...rest, ...notes.extra }, source === 'system'),
  };
}

function toAgentStep(
  context: StepContext,
  message: StoredMessageOf,
  results: readonly StoredMessageOf[],
  notes: MessageNotesOf,
  metadata: JsonObject,
): NewStep {
  const { reasoning, rest } = takeReasoning(metadata);
  const metrics = notes.metrics ?? (message.usage ? toMetrics(message.usage) : undefined);
  const calls = nonEmpty(message.tool_calls)?.map((call) => call.id) ?? [];
  const ids = toUniqueIds(calls);
  return {
    timestamp: timestampOf(message, notes),
    source: 'agent',
    model_name: message.model ?? undefined,
    ...reasoning,
    message: notes.message ?? message.content,
    tool_calls: toToolCalls(message, notes, ids),
    observation: toObservation(notes, toCallResults(context, calls, ids, results)),
    metrics,
    is_copied_context: notes.is_copied_context,
    llm_call_count: toCallCount(
      notes,
      message,
      metrics !== undefined || reasoning.reasoning_content !== undefined,
    ),
    extra: toExtra(definedOf({ tool_call_id: message.tool_call_id }), { ...rest, ...notes.extra }, false),
  };
}

/** A count of zero is for steps that did not call a model. */
function toCallCount(
  notes: MessageNotesOf,
  { usage }: StoredMessageOf,
  isOfModel: boolean,
): number | undefined {
  const count = notes.llm_call_count === undefined ? (usage ? 1 : null) : notes.llm_call_count;
  if (count === 0 && isOfModel) return usage ? 1 : undefined;
  return count ?? undefined;
}

export function toMetrics(usage: NonNullable<StoredMessageOf['usage']>): MetricsOf {
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens, cost_usd } =
    usage;
  return {
    prompt_tokens: input_tokens + cache_read_input_tokens + cache_creation_input_tokens,
    completion_tokens: output_tokens,
    cached_tokens: cache_read_input_tokens,
    ...(cost_usd !== null && { cost_usd }),
    extra: { cache_creation_input_tokens },
  };
}

/** Moves metadata keys that agents commonly write to the matching fields of the step. */
function takeReasoning({ reasoning_content, reasoning_effort, ...others }: JsonObject) {
  const isContent = typeof reasoning_content === 'string';
  const isEffort = typeof reasoning_effort === 'string' || typeof reasoning_effort === 'number';
  return {
    reasoning: {
      ...(isEffort && { reasoning_effort }),
      ...(isContent && { reasoning_content }),
    },
    rest: {
      ...others,
      ...(!isContent && reasoning_content !== undefined && { reasoning_content }),
      ...(!isEffort && reasoning_effort !== undefined && { reasoning_effort }),
    },
  };
}

/** Creates a system step that does not represent a message. */
export function toSystemStep(message: string, kind?: StepNotesOf['kind']): NewStep {
  const extra = joinExtra({ kind }, {});
  return { source: 'system', message, ...(extra && { extra }) };
}

/** Marks a system step as a message unless it has a mark already. */
export function asMessage(step: NewStep): NewStep {
  const { notes, rest } = splitStepExtra(step.extra);
  return { ...step, extra: joinExtra({ kind: 'message', ...notes }, rest) };
}

/** Creates a step for a result that belongs to no call. */
export function toOrphanStep(context: StepContext, message: StoredMessageOf): NewStep {
  return {
    ...toSystemStep('', 'result'),
    timestamp: message.created_at,
    observation: { results: [toResult(context, message)] },
  };
}

/** Returns the result if it is part of the previous step. */
export function findPartOfStep(context: StepContext, message: StoredMessageOf): ResultOf | undefined {
  const isPart = message.tool_call_id === null && splitMetadata(message.metadata).notes.is_in_step;
  return isPart ? toResult(context, message) : undefined;
}

export function toCompactionStep(context: StepContext, summary: StoredMessageOf): NewStep {
  const { notes, rest } = splitMetadata(summary.metadata);
  const { role, tool_calls, tool_call_id, usage, model, content } = summary;
  const { context_management, ...metadata } = { ...rest, ...notes.extra };
  const isManagement = isJsonObject(context_management);
  const ours = definedOf({
    role: role === 'system' ? undefined : role,
    tool_calls: nonEmpty(tool_calls),
    tool_call_id,
    usage,
    model,
    metadata: isManagement || context_management === undefined ? undefined : { context_management },
  });
  return {
    timestamp: timestampOf(summary, notes),
    source: 'system',
    message: notes.message ?? COMPACTED,
    observation: { results: findResults(context, notes, content) ?? [{ content }] },
    is_copied_context: notes.is_copied_context,
    llm_call_count: notes.llm_call_count ?? undefined,
    extra: {
      ...toExtra(ours, metadata, true),
      context_management: {
        ...(isManagement && context_management),
        type: 'compaction',
        boundary: 'replace',
      },
    },
  };
}

/**
 * Returns the results as the imported document had them, unless they refer to something that does not exist. The summary is included even
 * if the document did not have it there.
 */
function findResults(
  context: StepContext,
  { observation }: MessageNotesOf,
  summary: string,
): ResultOf[] | undefined {
  const [first, ...others] = observation?.results ?? [];
  if (!first) return undefined;
  const results = [first, ...others];
  const isSound = results.every(
    ({ source_call_id, subagent_trajectory_ref }) =>
      !isGiven(source_call_id) && areResolved(context, subagent_trajectory_ref ?? []),
  );
  if (!isSound) return undefined;
  return results.some(({ content }) => isGiven(content))
    ? results
    : [{ ...first, content: summary }, ...others];
}

/** Returns an empty observation only if the imported document had one. */
function toObservation({ observation }: MessageNotesOf, results: ResultOf[]): NewStep['observation'] {
  return results.length > 0 || observation?.results.length === 0 ? { results } : undefined;
}

function timestampOf({ created_at }: StoredMessageOf, { timestamp }: MessageNotesOf): string | undefined {
  return timestamp === undefined ? created_at : (timestamp ?? undefined);
}
