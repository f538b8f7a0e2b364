import { z } from 'zod';
import { DateTime, Description, Name, Slug, Uuid } from '../../platform/http/fields.ts';

export const Project = z
  .object({
    id: Uuid,
    key: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    workspace_id: Uuid,
    is_default: z.boolean(),
    created_at: DateTime,
    updated_at: DateTime,
  })
  .meta({ id: 'Project' });

export const ProjectCreateRequest = z
  .object({
    name: Name,
    key: Slug.optional().describe('Omitted: made from the name'),
    description: Description.nullish(),
  })
  .meta({ id: 'ProjectCreateRequest' });

export const ProjectUpdateRequest = z
  .object({ name: Name.optional(), description: Description.nullish() })
  .meta({ id: 'ProjectUpdateRequest' });

export const projectParam = z.object({ project: z.string().describe('Project key or uuid') });

export type NewProject = z.output<typeof ProjectCreateRequest>;
export type ProjectUpdate = z.output<typeof ProjectUpdateRequest>;
