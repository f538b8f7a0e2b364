/** Schemas of ATIF 1.0 to 1.7; members that older versions lack are optional in the newest. */
import { z } from 'zod';
import { Integers, listOf, Numbers } from './lists.ts';

export const ATIF_VERSION = 'ATIF-v1.7';
const VERSIONS = [0, 1, 2, 3, 4, 5, 6, 7].map((minor) => `ATIF-v1.${minor}`);

export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** ATIF treats null like an absent member. */
export const isGiven = <Value>(value: Value): value is NonNullable<Value> =>
  value !== undefined && value !== null;

/** Not a zod record, which would drop a key named `__proto__`. */
const AnyObject = z.custom<JsonObject>(isJsonObject, 'must be an object');
const Extra = AnyObject.nullish();

export const ContentPart = z
  .strictObject({
    type: z.enum(['text', 'image']),
    text: z.string().nullish(),
    source: z
      .strictObject({
        media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
        path: z.string(),
      })
      .nullish(),
  })
  .refine(
    ({ type, text, source }) =>
      type === 'text' ? isGiven(text) && !isGiven(source) : isGiven(source) && !isGiven(text),
    'must have a text, or be an image with a source',
  );

const Content = z.union([z.string(), listOf(ContentPart)], 'must be a text or a list of parts');

export const SubagentRef = z.strictObject({
  trajectory_id: z.string().nullish(),
  session_id: z.string().nullish(),
  trajectory_path: z.string().nullish(),
  extra: Extra,
});

const ObservationResult = z.strictObject({
  source_call_id: z.string().nullish(),
  content: Content.nullish(),
  subagent_trajectory_ref: listOf(SubagentRef).nullish(),
  extra: Extra,
});

export const Observation = z.strictObject({ results: listOf(ObservationResult) });

export const Metrics = z.strictObject({
  prompt_tokens: z.int().nullish(),
  completion_tokens: z.int().nullish(),
  cached_tokens: z.int().nullish(),
  cost_usd: z.number().nullish(),
  prompt_token_ids: Integers.nullish(),
  completion_token_ids: Integers.nullish(),
  logprobs: Numbers.nullish(),
  extra: Extra,
});

const AtifToolCall = z.strictObject({
  tool_call_id: z.string(),
  function_name: z.string(),
  arguments: AnyObject,
  extra: Extra,
});

export const Step = z.strictObject({
  step_id: z.int().min(1),
  timestamp: z.string().refine(isTimestamp, 'must be a timestamp of ISO 8601').nullish(),
  source: z.enum(['system', 'user', 'agent']),
  model_name: z.string().nullish(),
  reasoning_effort: z.union([z.string(), z.number()], 'must be a text or a number').nullish(),
  message: Content,
  reasoning_content: z.string().nullish(),
  tool_calls: listOf(AtifToolCall).nullish(),
  observation: Observation.nullish(),
  metrics: Metrics.nullish(),
  is_copied_context: z.boolean().nullish(),
  llm_call_count: z.int().min(0).nullish(),
  extra: Extra,
});

const Agent = z.strictObject({
  name: z.string(),
  version: z.string(),
  model_name: z.string().max(255).nullish(),
  tool_definitions: listOf(AnyObject).nullish(),
  extra: Extra,
});

const FinalMetrics = z.strictObject({
  total_prompt_tokens: z.int().nullish(),
  total_completion_tokens: z.int().nullish(),
  total_cached_tokens: z.int().nullish(),
  total_cost_usd: z.number().nullish(),
  total_steps: z.int().min(0).nullish(),
  extra: Extra,
});

/** Everything except the steps and the embedded trajectories, whose number is unlimited. */
export const TrajectoryFrame = z.strictObject({
  schema_version: z.enum(VERSIONS).optional(),
  session_id: z.string().nullish(),
  trajectory_id: z.string().nullish(),
  agent: Agent,
  steps: z.array(z.unknown()).min(1),
  notes: z.string().nullish(),
  final_metrics: FinalMetrics.nullish(),
  continued_trajectory_ref: z.string().nullish(),
  extra: Extra,
  subagent_trajectories: z.array(z.unknown()).nullish(),
});

type FrameOf = z.output<typeof TrajectoryFrame>;

export interface TrajectoryOf extends Omit<FrameOf, 'steps' | 'subagent_trajectories'> {
  readonly steps: readonly StepOf[];
  readonly subagent_trajectories?: readonly TrajectoryOf[] | null | undefined;
}

export type StepOf = z.output<typeof Step>;
export type ContentOf = z.output<typeof Content>;
export type MetricsOf = z.output<typeof Metrics>;
export type ToolCallOf = z.output<typeof AtifToolCall>;
export type ResultOf = z.output<typeof ObservationResult>;
export type FinalMetricsOf = z.output<typeof FinalMetrics>;

/** Members that only steps of agents may have. */
export const AGENT_ONLY = [
  'model_name',
  'reasoning_effort',
  'reasoning_content',
  'tool_calls',
  'metrics',
] as const;

const TIMESTAMP = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?<zone>Z|[+-]\d\d:?\d\d)?)?$/;

/** Converts a time to UTC with milliseconds, as stored; a time without a zone is taken as UTC. */
export function toInstant(text: string): string | undefined {
  const found = TIMESTAMP.exec(text);
  if (!found) return undefined;
  const zone = found.groups?.['zone'] || text.length === 10 ? '' : 'Z';
  const date = new Date(text.replace(' ', 'T') + zone);
  if (Number.isNaN(date.getTime())) return undefined;
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999 ? date.toISOString() : undefined;
}

export function isTimestamp(text: string): boolean {
  return toInstant(text) !== undefined;
}

/** Recognizes the one kind of context management that we support: a summary replaces everything before it. */
export function isCompaction(value: unknown): boolean {
  return isJsonObject(value) && value['type'] === 'compaction' && value['boundary'] === 'replace';
}

/** Returns the text of a content without its images. */
export function textOf(content: ContentOf | null | undefined): string {
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content;
  return content.map(({ text, source }) => text ?? `[image: ${source?.path}]`).join('\n');
}
