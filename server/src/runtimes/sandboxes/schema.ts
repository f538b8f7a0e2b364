import { z } from 'zod';
import { UserIdentity } from '../../accounts/service.ts';
import { Id, Timestamp, Uuid } from '../../platform/fields.ts';
import { cursorPageOf, cursorQuery } from '../../platform/http/responses/pages.ts';
import { RuntimeInstanceData, SANDBOX_ORIGINS, SANDBOX_STATES } from '../schema.ts';

export const Sandbox = z
  .object({
    ...RuntimeInstanceData.shape,
    origin: z
      .enum(SANDBOX_ORIGINS)
      .describe('What it was started for; every other than `user` is removed with the work that started it'),
    runtime_id: Id,
    runtime_key: z.string().nullable().describe('null: the runtime was deleted'),
    runtime_name: z.string().nullable(),
    workspace_id: Id,
    workspace_key: z.string(),
    project_id: Id.nullable(),
    project_key: z.string().nullable(),
    created_by: UserIdentity.nullable().describe('Its owner'),
    owned_by_me: z.boolean(),
    config_digest: z.string().describe('Of the configuration that it was started with'),
    limits: z.record(z.string(), z.number()).describe('Those that are held'),
    ended_at: Timestamp.nullable(),
    end_reason: z.string().nullable(),
  })
  .meta({ id: 'Sandbox' });
export type SandboxOf = z.output<typeof Sandbox>;

export const SandboxPage = cursorPageOf(Sandbox).meta({ id: 'SandboxPage' });

export const sandboxQuery = z.object({
  state: z.array(z.enum(SANDBOX_STATES)).optional().describe('In any of these states'),
  project_id: Uuid.optional(),
  ...cursorQuery({ defaultLimit: 50, maxLimit: 200 }),
});
export type SandboxQuery = z.output<typeof sandboxQuery>;

export const sandboxParams = z.object({ sandbox_id: Uuid });

/** Usage of the caller in this organization. */
export const SandboxUsageResponse = z
  .object({
    current_month_seconds: z.int().describe('Since the 1st of the month, UTC'),
    sessions_count: z.int().describe('Sandboxes that were created'),
    total_runtime_seconds: z.int(),
  })
  .meta({ id: 'SandboxUsageResponse' });

const LOG_KINDS = ['lifecycle', 'egress'] as const;

export const SandboxLogEntry = z
  .object({
    number: z.int(),
    at: Timestamp,
    kind: z.enum(LOG_KINDS),
    message: z.string(),
    details: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'SandboxLogEntry' });
export type LogEntry = z.output<typeof SandboxLogEntry>;

export const SandboxLogPage = cursorPageOf(SandboxLogEntry).meta({ id: 'SandboxLogPage' });

export const logQuery = z.object({
  kind: z.enum(LOG_KINDS).optional(),
  ...cursorQuery({ defaultLimit: 100, maxLimit: 1_000 }),
});
export type LogQuery = z.output<typeof logQuery>;

export const SandboxProvider = z
  .object({
    name: z.string(),
    available: z.boolean(),
    reason: z.string().optional().describe('Why it is not available, and what to do about it'),
    supports_pause: z.boolean(),
    preserves: z.array(z.enum(['disk', 'memory', 'processes'])).describe('What a pause keeps'),
    limits: z.array(z.enum(['cpu', 'memory', 'pids'])).describe('What can be enforced'),
    isolation: z.enum(['process', 'container', 'vm']).describe('What stands between two sandboxes'),
  })
  .meta({ id: 'SandboxProvider' });
export type SandboxProviderOf = z.output<typeof SandboxProvider>;
