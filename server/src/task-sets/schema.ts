import { z } from 'zod';
import { UserIdentity } from '../accounts/service.ts';
import { Description, Id, Timestamp } from '../platform/fields.ts';
import { listOf } from '../platform/http/requests/lists.ts';
import { pageOf, pageQuery } from '../platform/http/responses/pages.ts';
import {
  ArtifactName,
  parsePlace,
  parseReference,
  SemVer,
  UpdateVisibilityResponse,
} from '../registry/service.ts';

const MAX_MEMBERS = 10_000;
const MAX_TAGS = 100;

/** Enough for the maximum number of members, each with a note of a paragraph. */
export const MANIFEST_BYTES = 16 * 1024 * 1024;

const TaskReference = z
  .string()
  .refine(
    (text) => parseReference(text) !== undefined,
    'must be "name" or "org/name", pinned as "name@1.0.0" to an exact semantic version: no range, no "latest", no leading "v"',
  );

const TaskSetMemberRequest = z
  .object({
    task_name: z
      .string()
      .refine(
        (text) => parsePlace(text) !== undefined,
        'must be "name" or "org/name"; a version goes into task_version',
      )
      .describe('`name`, in the organization of the set, or `org/name`'),
    task_version: SemVer.nullish().describe('Omitted: the newest release, whenever the set is read'),
    notes: z.string().max(2_000).nullish(),
  })
  .meta({ id: 'TaskSetMemberRequest' });

const Member = z.union([TaskReference, TaskSetMemberRequest], {
  error: 'must be a text such as "name@1.0.0", or an object with task_name',
});

export const TaskSetReplaceRequest = z
  .object({
    description: Description.nullish(),
    members: listOf(Member, MAX_MEMBERS).describe('In this order; none twice'),
    source: z.string().max(255).nullish(),
    tags: listOf(z.string().min(1).max(100), MAX_TAGS).nullish(),
  })
  .meta({ id: 'TaskSetReplaceRequest' });

export const TaskSetCreateRequest = TaskSetReplaceRequest.extend({
  name: ArtifactName,
  is_public: z.boolean().nullish(),
}).meta({ id: 'TaskSetCreateRequest' });

const summary = {
  id: Id,
  name: z.string(),
  description: z.string().nullable(),
  source: z.string().nullable(),
  tags: z.array(z.string()).nullable(),
  is_public: z.boolean(),
  member_count: z.int(),
  organization_id: Id.nullable(),
  org_key: z.string().nullable(),
  created_by_user: UserIdentity.nullable().describe('null for users who are not members of the organization'),
  created_at: Timestamp,
  updated_at: Timestamp,
};

const TaskSetSummary = z.object(summary).meta({ id: 'TaskSetSummary' });

const TaskSetMember = z
  .object({
    task_name: z.string(),
    task_version: z.string().nullable().describe('As it was given; null: the newest release'),
    resolved_version: z.string().nullable().describe('What that is now, for the caller'),
    task_version_pinned: z.string().nullable().describe('The same as task_version'),
    task_version_resolved: z.string().nullable().describe('The same as resolved_version'),
    publicly_runnable: z.boolean().describe('Whether the task is public'),
    notes: z.string().nullable(),
    unresolvable_reason: z.enum(['not_found', 'version_not_found']).nullable(),
  })
  .meta({ id: 'TaskSetMember' });

export const TaskSetDetail = z
  .object({
    ...summary,
    members: z.array(TaskSetMember),
    unresolvable_count: z.int(),
    publicly_runnable: z.boolean().describe('Whether the task of every member is public'),
    warnings: z.array(z.string()).describe('The members of a public set that others cannot run'),
  })
  .meta({ id: 'TaskSetDetail' });

export const TaskSetVisibilityResponse = UpdateVisibilityResponse.extend({
  warnings: z.array(z.string()).describe('The members of a public set that others cannot run'),
}).meta({ id: 'TaskSetVisibilityResponse' });

export const TaskSetListResponse = pageOf('task_sets', TaskSetSummary).meta({ id: 'TaskSetListResponse' });

export const taskSetQuery = z.object({
  source: z.array(z.string()).optional().describe('Any of these'),
  search: z
    .string()
    .max(1_000)
    .optional()
    .describe('Words, or how they begin, all of them in name, description, tags or source'),
  tags: z.array(z.string()).optional().describe('At least one of these'),
  contains: TaskReference.optional().describe(
    'Only sets that refer to this task: `name` with any version or none, `name@version` pinned to exactly that one',
  ),
  sort_by: z.enum(['name', 'source', 'created_at', 'updated_at']).default('created_at'),
  sort_dir: z.enum(['asc', 'desc']).default('desc'),
  ...pageQuery({ defaultLimit: 50, maxLimit: 100 }),
  include_public: z.boolean().default(false).describe('Public sets of other organizations as well'),
});

export const taskSetParam = z.object({ name: z.string().describe('Name of the task set') });

export type MemberRequest = z.output<typeof Member>;
export type TaskSetManifest = z.output<typeof TaskSetReplaceRequest>;
export type NewTaskSet = z.output<typeof TaskSetCreateRequest>;
export type TaskSetQuery = z.output<typeof taskSetQuery>;
export type TaskSetSummaryOf = z.output<typeof TaskSetSummary>;
export type TaskSetDetailOf = z.output<typeof TaskSetDetail>;
