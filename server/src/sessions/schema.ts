/** Schemas that several session operations share. */
import { z } from 'zod';
import { UserIdentity } from '../accounts/service.ts';
import { Id, Timestamp, Uuid } from '../platform/fields.ts';
import { countedFirst } from '../platform/http/requests/lists.ts';

/** All origins; `SAVED_ORIGINS` lists those that a client may set. */
export const ORIGINS = ['user', 'worker', 'eval', 'optimization', 'training', 'world'] as const;
export const SAVED_ORIGINS = ['user', 'eval', 'worker'] as const;
export const VISIBILITIES = ['private', 'workspace'] as const;
export const GROUP_KINDS = ['worker_run', 'evaluation_item', 'workflow'] as const;
export const GROUP_STATUSES = ['running', 'completed', 'failed', 'cancelled'] as const;

export const MAX_TITLE = 255;
export const MAX_RECENT = 25;

export const SessionGroupSummary = z
  .object({
    id: Id,
    kind: z.enum(GROUP_KINDS),
    status: z.enum(GROUP_STATUSES).nullable(),
    title: z.string().nullable(),
    worker: z.string().nullable(),
    capability: z.string().nullable(),
    capability_version: z.string().nullable(),
    evaluation_id: Id.nullable(),
    evaluation_item_id: Id.nullable(),
    evaluation_item_attempt_id: Id.nullable(),
    runtime_id: Id.nullable(),
    session_count: z.int().describe('Sessions of the group that you can see; so for all its counts'),
    active_session_count: z.int().describe('Those that are neither archived nor frozen'),
    message_count: z.int(),
    total_tokens: z.int(),
    started_at: Timestamp.nullable(),
    completed_at: Timestamp.nullable(),
    last_activity_at: Timestamp.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'SessionGroupSummary' });

export type SessionGroupOf = z.output<typeof SessionGroupSummary>;

export const SessionUsageResponse = z
  .object({
    compaction_count: z.int(),
    current_message_count: z.int().describe('Messages of the current era'),
    current_input_tokens: z.int(),
    current_output_tokens: z.int(),
    current_cache_read_input_tokens: z.int(),
    current_cache_creation_input_tokens: z.int(),
    current_tool_call_count: z.int(),
    current_cost_usd: z.number().nullable().describe('null when a generation has no cost'),
    total_message_count: z.int().describe('Messages of all eras'),
    total_input_tokens: z.int(),
    total_output_tokens: z.int(),
    total_cache_read_input_tokens: z.int(),
    total_cache_creation_input_tokens: z.int(),
    total_tool_call_count: z.int(),
    total_cost_usd: z.number().nullable().describe('null when a generation has no cost'),
    last_generation_input_tokens: z.int().nullable(),
  })
  .meta({ id: 'SessionUsageResponse' });

export const SessionResponse = z
  .object({
    id: Id,
    user_id: Id,
    workspace_id: Id,
    model: z.string(),
    agent: z.string().nullable(),
    title: z.string().nullable(),
    origin: z.enum(ORIGINS),
    visibility: z.enum(VISIBILITIES),
    archived_at: Timestamp.nullable(),
    frozen_at: Timestamp.nullable(),
    frozen_by: z.enum(['evaluation', 'user']).nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
    last_message_at: Timestamp.nullable(),
    message_count: z.int(),
    recent_message_count: z.int().max(MAX_RECENT).nullable(),
    preview_text: z.string().nullable(),
    labels: z.record(z.string(), z.array(z.string())),
    created_by: UserIdentity.nullable(),
    group_id: Id.nullable(),
    group: SessionGroupSummary.nullable(),
    project_id: Id.nullable(),
    project_key: z.string().nullable(),
    project_name: z.string().nullable(),
    runtime_id: Id.nullable(),
    usage: SessionUsageResponse,
  })
  .meta({ id: 'SessionResponse' });

export type SessionOf = z.output<typeof SessionResponse>;

/** The path parameter: the whole id, or a unique prefix. */
export const SessionParams = z.object({
  session_id: z.string().describe('The id, or a prefix of at least 8 characters that only one session has'),
});

const MAX_NAME = 255;
const MAX_LABELS_BYTES = 65_536;

export const Title = z.string().max(MAX_TITLE);
export const Model = z.string().min(1).max(MAX_NAME);
export const Agent = z.string().max(MAX_NAME);

const MAX_LABELS = 100;

/** Returns the length of the longest list, or the number of keys if that is larger. */
const labelCount = (given: unknown) =>
  typeof given === 'object' && given !== null
    ? Object.values(given).reduce(
        (most: number, values: unknown) => Math.max(most, Array.isArray(values) ? values.length : 0),
        Object.keys(given).length,
      )
    : 0;

/** Maps keys to lists of values; duplicate values are removed. */
export const Labels = countedFirst(
  z
    .record(z.string().min(1).max(MAX_NAME), z.array(z.string().max(MAX_NAME)).max(MAX_LABELS))
    .refine(
      (labels) => Buffer.byteLength(JSON.stringify(labels)) <= MAX_LABELS_BYTES,
      `must have at most ${MAX_LABELS_BYTES} bytes as JSON`,
    )
    .transform((labels) =>
      Object.fromEntries(Object.entries(labels).map(([key, values]) => [key, [...new Set(values)]])),
    ),
  MAX_LABELS,
  labelCount,
);

export const GroupParams = z.object({ group_id: Uuid });
