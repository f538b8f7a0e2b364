import { z } from 'zod';
import { Description, Id, Name, Slug, Timestamp } from '../../platform/fields.ts';
import { WorkspaceRole } from '../fields.ts';
import { UserIdentity } from '../service.ts';

export const Workspace = z
  .object({
    id: Id,
    key: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    org_id: Id,
    is_default: z.boolean(),
    is_restricted: z.boolean().describe('Seen only by its listed members and the admins of the organization'),
    record_content: z
      .boolean()
      .describe(
        'Whether recorded model calls keep prompts and responses, or only roles, tools, usage and cost',
      ),
    project_count: z.int(),
    created_by: Id,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Workspace' });

export const WorkspaceCreateRequest = z
  .object({
    name: Name,
    key: Slug.optional().describe('Derived from the name by default'),
    description: Description.nullish(),
    is_restricted: z.boolean().default(false),
    record_content: z.boolean().default(true),
  })
  .meta({ id: 'WorkspaceCreateRequest' });

export const WorkspaceUpdateRequest = z
  .object({
    name: Name.optional(),
    description: Description.nullish(),
    is_restricted: z.boolean().optional(),
    record_content: z.boolean().optional(),
  })
  .meta({ id: 'WorkspaceUpdateRequest' });

export const WorkspaceMember = z
  .object({ user_id: Id, role: WorkspaceRole, user: UserIdentity, created_at: Timestamp })
  .meta({ id: 'WorkspaceMember' });

export const WorkspaceMemberRequest = z
  .object({ role: WorkspaceRole })
  .meta({ id: 'WorkspaceMemberRequest' });

export type NewWorkspace = z.output<typeof WorkspaceCreateRequest>;
export type WorkspaceUpdate = z.output<typeof WorkspaceUpdateRequest>;
