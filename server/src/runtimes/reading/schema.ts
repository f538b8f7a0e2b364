import { z } from 'zod';
import { cursorPageOf, cursorQuery } from '../../platform/http/pages.ts';
import { RUNTIME_STATUSES, Runtime } from '../schema.ts';

export const RuntimePage = cursorPageOf(Runtime).meta({ id: 'RuntimePage' });

export const runtimeQuery = z.object({
  state: z.enum(RUNTIME_STATUSES).optional(),
  project_id: z.string().min(1).optional().describe('Project uuid or key'),
  ...cursorQuery({ defaultLimit: 50, maxLimit: 200 }),
});

export type RuntimeQuery = z.output<typeof runtimeQuery>;
