/** Converts ATIF steps to messages: the inverse of `trajectory/atif-steps.ts`. */
import { isDeepStrictEqual } from 'node:util';
import { fromExtra, joinMetadata, type MessageNotesOf, type StepNotesOf } from '../trajectory/atif-notes.ts';
import {
  AGENT_ONLY,
  isGiven,
  isJsonObject,
  type JsonObject,
  type MetricsOf,
  type StepOf,
  textOf,
  toInstant,
} from '../trajectory/atif-schema.ts';
import { COMPACTED, toMetrics } from '../trajectory/atif-steps.ts';
import { MAX_TOKENS } from '../transcript/schema.ts';
import { collide, toCall, toCreatedAt, toToolMessage, toToolResults } from './atif-results.ts';
import type { ImportedMessage } from './imported-session.ts';

/** The largest cost that a message of any other origin may have. */
const MAX_COST_USD = 1_000_000_000;

type Usage = NonNullable<ImportedMessage['usage']>;

/** Converts a step to its message and the messages of its tool results. */
export function toMessages(step: StepOf): ImportedMessage[] {
  const calls = step.source === 'agent' ? (step.tool_calls ?? []).map(toCall) : [];
  const { notes: ours, rest } = fromExtra(step.extra);
  const results = toToolResults(step, calls);
  const notes: MessageNotesOf = {
    ...toCommonNotes(step),
    call_extras: calls.some(({ extra }) => extra) ? calls.map(({ extra }) => extra) : undefined,
    result_order: results.order,
    observation: step.observation?.results.length === 0 ? { results: [] } : undefined,
  };
  const message =
    step.source === 'agent'
      ? toAssistant(step, notes, rest, ours)
      : {
          ...toPlain(step, ours),
          metadata: joinMetadata(...collide(notes, withAgentOnly(step, rest), ['atif'])),
        };
  const tool_calls = calls.length > 0 ? calls.map(({ call }) => call) : ours.tool_calls;
  return [{ ...message, ...(tool_calls && { tool_calls }) }, ...results.messages];
}

/** Converts a system step with the result of a call of another step, or of no call. */
export function toResultMessages(step: StepOf): ImportedMessage[] {
  const created_at = toCreatedAt(step);
  return (step.observation?.results ?? []).map((result) => toToolMessage(result, created_at));
}

export function toSummary(step: StepOf): ImportedMessage {
  const { notes: ours, rest } = fromExtra(step.extra);
  const { context_management, ...others } = rest;
  const results = step.observation?.results ?? [];
  const texts = results.filter((result) => isGiven(result.content)).map((result) => textOf(result.content));
  const content = texts.join('\n\n');
  const isPlain = results.length === 1 && Object.keys(definedOf(results[0] ?? {})).join() === 'content';
  const isAsGiven = isPlain && typeof results[0]?.content === 'string';
  const notes: MessageNotesOf = {
    ...toCommonNotes(step),
    message: step.message === COMPACTED ? undefined : step.message,
    observation: isAsGiven || results.length === 0 ? undefined : { results },
  };
  const {
    type: _type,
    boundary: _boundary,
    ...management
  } = isJsonObject(context_management) ? context_management : {};
  const metadata = {
    ...withAgentOnly(step, others),
    ...(Object.keys(management).length > 0 && { context_management: management }),
    ...ours.metadata,
  };
  return {
    ...toPlain(step, ours),
    role: ours.role ?? 'system',
    content,
    metadata: joinMetadata(...collide(notes, metadata, ['atif'])),
    ...(ours.tool_calls && { tool_calls: ours.tool_calls }),
  };
}

/** Builds the fields that messages of all roles take from a step. */
function toPlain(step: StepOf, ours: Partial<StepNotesOf>): ImportedMessage {
  const { tool_call_id, usage, model } = ours;
  return {
    role: step.source === 'agent' ? 'assistant' : step.source,
    content: textOf(step.message),
    model: model ?? null,
    created_at: toCreatedAt(step),
    ...(tool_call_id !== undefined && { tool_call_id }),
    ...(usage && { usage }),
  };
}

function toAssistant(
  step: StepOf,
  notes: MessageNotesOf,
  rest: JsonObject,
  ours: Partial<StepNotesOf>,
): ImportedMessage {
  const usage = step.metrics ? toUsage(step.metrics) : undefined;
  const metrics = step.metrics ? definedOf(step.metrics) : undefined;
  const isAsOurs =
    usage && metrics && isDeepStrictEqual(toMetrics({ ...usage, cost_usd: usage.cost_usd ?? null }), metrics);
  const count = step.llm_call_count ?? null;
  const reserved = ['atif', 'reasoning_content', 'reasoning_effort'];
  const [kept, metadata] = collide(
    {
      ...notes,
      metrics: isAsOurs ? undefined : metrics,
      llm_call_count: count === (usage ? 1 : null) ? undefined : count,
    },
    rest,
    reserved,
  );
  const { reasoning_content, reasoning_effort } = step;
  const reasoning = {
    ...(isGiven(reasoning_content) && { reasoning_content }),
    ...(isGiven(reasoning_effort) && { reasoning_effort }),
  };
  return {
    ...toPlain(step, ours),
    model: step.model_name ?? null,
    metadata: joinMetadata(kept, { ...metadata, ...reasoning }),
    ...(usage && { usage }),
  };
}

/** Returns undefined when the document has no token counts. Counts that cannot be stored stay in the metrics in the metadata. */
function toUsage({
  prompt_tokens,
  completion_tokens,
  cached_tokens,
  cost_usd,
  extra,
}: MetricsOf): Usage | undefined {
  if (typeof prompt_tokens !== 'number' && typeof completion_tokens !== 'number') return undefined;
  const cache_read_input_tokens = toCount(cached_tokens);
  const cache_creation_input_tokens = toCount(extra?.['cache_creation_input_tokens']);
  return {
    input_tokens: toCount((prompt_tokens ?? 0) - cache_read_input_tokens - cache_creation_input_tokens),
    output_tokens: toCount(completion_tokens),
    cache_read_input_tokens,
    cache_creation_input_tokens,
    cost_usd: typeof cost_usd === 'number' && cost_usd >= 0 && cost_usd <= MAX_COST_USD ? cost_usd : null,
  };
}

const toCount = (value: unknown) =>
  Number.isSafeInteger(value) ? Math.min(Math.max(0, value as number), MAX_TOKENS) : 0;

function toCommonNotes(step: StepOf): MessageNotesOf {
  const { timestamp, message, is_copied_context, llm_call_count, source } = step;
  const isAsStored = isGiven(timestamp) && timestamp === toInstant(timestamp);
  return {
    timestamp: isAsStored ? undefined : (timestamp ?? null),
    message: typeof message === 'string' ? undefined : message,
    is_copied_context: is_copied_context ?? undefined,
    llm_call_count: source === 'agent' ? undefined : (llm_call_count ?? undefined),
  };
}

/** Moves fields that this kind of step must not have into its metadata. */
function withAgentOnly(step: StepOf, rest: JsonObject): JsonObject {
  const misplaced = AGENT_ONLY.filter((field) => isGiven(step[field]));
  if (misplaced.length === 0) return rest;
  return { ...Object.fromEntries(misplaced.map((field) => [field, step[field]])), ...rest };
}

/** Drops null members: ATIF treats null like an absent member. */
function definedOf<Value extends object>(value: Value): { [Key in keyof Value]: Exclude<Value[Key], null> } {
  const entries = Object.entries(value).filter(([, item]) => isGiven(item));
  return Object.fromEntries(entries) as { [Key in keyof Value]: Exclude<Value[Key], null> };
}
