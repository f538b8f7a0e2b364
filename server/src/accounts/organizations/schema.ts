import { z } from 'zod';
import { Description, Id, Name, Timestamp } from '../../platform/fields.ts';

const SOURCE_LEVELS = ['l1_platform_max', 'l1_platform_default', 'l2_org_max', 'l3_org_default'] as const;
const SourceLevel = z.enum(SOURCE_LEVELS);

export const Organization = z
  .object({
    id: Id,
    key: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    is_active: z.boolean(),
    member_count: z.int(),
    max_members: z.int().optional().describe('Absent: no limit'),
    max_sandbox_runtime_seconds: z.int().nullable(),
    default_sandbox_runtime_seconds: z.int().nullable(),
    effective_max_sandbox_runtime_seconds: z.int(),
    max_sandbox_runtime_source_level: SourceLevel,
    effective_default_sandbox_runtime_seconds: z.int(),
    default_sandbox_runtime_source_level: SourceLevel,
    platform_max_sandbox_runtime_seconds: z.int(),
    platform_default_sandbox_runtime_seconds: z.int(),
    max_concurrent_sandboxes: z.int().nullable(),
    trace_retention_days: z.int(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Organization' });

const RuntimeSeconds = z.int().min(60).max(2_147_483_647);

export const OrganizationUpdateRequest = z
  .object({
    name: Name.optional(),
    description: Description.nullish(),
    max_members: z.int().min(1).max(1_000_000).nullish().describe('Platform admins only; null: no limit'),
    max_sandbox_runtime_seconds: RuntimeSeconds.nullish(),
    default_sandbox_runtime_seconds: RuntimeSeconds.nullish(),
    max_concurrent_sandboxes: z.int().min(0).max(1_000_000).nullish().describe('null: no limit'),
    trace_retention_days: z.int().min(1).max(3_650).optional(),
  })
  .meta({ id: 'OrganizationUpdateRequest' });

export type OrganizationUpdate = z.output<typeof OrganizationUpdateRequest>;
export type SourceLevelName = (typeof SOURCE_LEVELS)[number];
