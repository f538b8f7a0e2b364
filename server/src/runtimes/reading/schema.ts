import { z } from 'zod';
import { cursorPageOf, cursorQuery } from '../../platform/http/responses/pages.ts';
import { RUNTIME_STATUSES, Runtime } from '../schema.ts';

export const RuntimePage = cursorPageOf(Runtime).meta({ id: 'RuntimePage' });

export const runtimeQuery = z.object({
  state: z.array(z.enum(RUNTIME_STATUSES)).optional().describe('In any of these states'),
  project_id: z.string().min(1).optional().describe('Project uuid or key'),
  owner: z.string().min(1).optional().describe('`me`, a user id or a username'),
  ...cursorQuery({ defaultLimit: 50, maxLimit: 200 }),
});

export type RuntimeQuery = z.output<typeof runtimeQuery>;
