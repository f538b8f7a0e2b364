/** Schemas of runtimes that all parts of this domain use. */
import { z } from 'zod';
import { Id, Timestamp, Uuid } from '../platform/fields.ts';
import { listOf } from '../platform/http/requests/lists.ts';
import { RuntimeSeconds } from './config-schema.ts';

export const PauseReason = z.enum(['timeout', 'user', 'insufficient_credits', 'member_limit_exceeded']);
export type PauseReason = z.output<typeof PauseReason>;

export const StartRequest = z
  .object({
    secret_ids: listOf(Uuid, 100).nullish(),
    requested_runtime_limit_seconds: RuntimeSeconds.nullish(),
  })
  .meta({ id: 'RuntimeStartRequest' });
export type StartRequest = z.output<typeof StartRequest>;

const LIMIT_LEVELS = [
  'l1_platform_max',
  'l1_platform_default',
  'l2_org_max',
  'l3_org_default',
  'l4_requested',
] as const;

export const RUNTIME_STATUSES = ['idle', 'running', 'paused'] as const;

export const SANDBOX_STATES = ['running', 'paused', 'killed'] as const;

/** The purpose of a sandbox: a user, or background work, whose sandboxes are ephemeral. The same names as session origins. */
export const SANDBOX_ORIGINS = ['user', 'worker', 'eval', 'optimization', 'training', 'world'] as const;
export type SandboxOrigin = (typeof SANDBOX_ORIGINS)[number];

const Seconds = z.int().nullable();
const Level = z.enum(LIMIT_LEVELS).nullable();

/** One sandbox of a runtime: the current one, or the last. */
export const RuntimeInstanceData = z
  .object({
    sandbox_id: Id,
    provider: z.string(),
    provider_sandbox_id: z.string(),
    state: z.enum(SANDBOX_STATES),
    created_at: Timestamp,
    total_runtime_seconds: z.int().describe('Without the time in which it was paused'),
    sandbox_url: z.string().nullable(),
    expires_at: Timestamp.nullable().describe('null while it does not run'),
    pause_reason: PauseReason.nullable(),
    supports_pause: z.boolean().describe('Where it is false, a pause is refused as 409'),
    requested_runtime_limit_seconds: Seconds,
    requested_runtime_limit_source_level: Level,
    configured_runtime_limit_seconds: Seconds,
    configured_runtime_limit_source_level: Level,
    actual_runtime_limit_seconds: Seconds,
    runtime_limited_by_credits: z.boolean(),
    billed_credits: z.int().describe('As in the ledger'),
    running_credits: z.int().describe('Since the last billing'),
    estimated_total_credits: z.int().describe('Both, and what is left until it expires'),
  })
  .meta({ id: 'RuntimeInstanceData' });
export type InstanceOf = z.output<typeof RuntimeInstanceData>;

const RUNTIME = {
  id: Id,
  key: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  status: z.enum(RUNTIME_STATUSES),
  config_digest: z.string().describe('SHA-256 of the canonical JSON of its configuration'),
  config_version: z.string(),
  workspace_id: Id,
  project_id: Id.nullable(),
  project_key: z.string().nullable(),
  project_name: z.string().nullable(),
  created_by: Id.nullable(),
  owned_by_me: z.boolean().describe('Whether you may operate it'),
  created_at: Timestamp,
  updated_at: Timestamp,
  instance: RuntimeInstanceData.nullable(),
};

/** RuntimeCreateResponse without `created`. */
export const Runtime = z.object(RUNTIME).meta({ id: 'Runtime' });
export type RuntimeOf = z.output<typeof Runtime>;

export const RuntimeCreateResponse = z
  .object({ ...RUNTIME, created: z.boolean().describe('Whether this call created it') })
  .meta({ id: 'RuntimeCreateResponse' });
export type CreatedRuntime = z.output<typeof RuntimeCreateResponse>;

export const RuntimeParams = z.object({ runtime: z.string().describe('Runtime key or uuid') });
