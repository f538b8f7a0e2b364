/** A route that passes every check and reads nothing, mounted like each route of the server. */
import { Id, Timestamp } from '@drydock/server/src/platform/fields.ts';
import { workspaceRoutes } from '@drydock/server/src/platform/http/operations.ts';
import { pageQuery } from '@drydock/server/src/platform/http/responses/pages.ts';
import { z } from 'zod';
import { SAMPLE } from './sample.ts';

const Sample = z.object({
  id: Id,
  key: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  tags: z.array(z.string()),
  owner: z.object({ id: Id, username: z.string(), email_address: z.string().nullable() }),
  items: z.array(
    z.object({
      id: Id,
      name: z.string(),
      score: z.number(),
      is_active: z.boolean(),
      created_at: Timestamp,
    }),
  ),
  total: z.int(),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const query = z.object({
  ...pageQuery({ defaultLimit: 20, maxLimit: 100 }),
  is_active: z.boolean().optional(),
  order: z.enum(['asc', 'desc']).default('asc'),
  tag: z.array(z.string()).optional(),
});

export const sampleRoutes = workspaceRoutes('Bench', (on) => {
  on.get(
    '/bench/:item',
    {
      id: 'getSample',
      summary: 'Get the sample',
      scope: 'projects:read',
      role: 'reader',
      params: z.object({ item: z.string() }),
      query,
      response: Sample,
    },
    () => SAMPLE,
  );
});
