import { z } from 'zod';
import { Description, Id, Name, Slug, Timestamp } from '../../platform/fields.ts';

export const Project = z
  .object({
    id: Id,
    key: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    workspace_id: Id,
    is_default: z.boolean(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Project' });

export const ProjectCreateRequest = z
  .object({
    name: Name,
    key: Slug.optional().describe('Derived from the name by default'),
    description: Description.nullish(),
  })
  .meta({ id: 'ProjectCreateRequest' });

export const ProjectUpdateRequest = z
  .object({ name: Name.optional(), description: Description.nullish() })
  .meta({ id: 'ProjectUpdateRequest' });

export const projectParam = z.object({ project: z.string().describe('Project key or uuid') });

export type NewProject = z.output<typeof ProjectCreateRequest>;
export type ProjectUpdate = z.output<typeof ProjectUpdateRequest>;
