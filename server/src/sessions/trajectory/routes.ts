/** The export of a session. */
import { z } from 'zod';
import type { Db } from '../../platform/db/connect.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import { SessionParams } from '../schema.ts';
import { exportTrajectory, FORMATS } from './export.ts';

const SessionTrajectory = z
  .record(z.string(), z.unknown())
  .meta({ id: 'SessionTrajectory', description: 'A document in the format that was asked for' });

const TrajectoryQuery = z.object({
  format: z
    .enum(FORMATS)
    .default('atif')
    .describe(
      'ATIF-v1.7; `{messages, tools, metadata}` as in Chat Completions; or the rows as they are stored',
    ),
  include_compacted: z.boolean().default(false).describe('All eras, not only the current one'),
});

export function trajectoryRoutes(db: Db) {
  return workspaceRoutes('Sessions', (on) => {
    on.stream(
      '/sessions/:session_id/trajectory',
      {
        id: 'getSessionTrajectory',
        summary: 'Get the trajectory of a session',
        description: 'The document is sent while it is made; one that is cut off is not to be used.',
        scope: 'sessions:read',
        role: 'reader',
        params: SessionParams,
        query: TrajectoryQuery,
        answer: SessionTrajectory,
        long: true,
      },
      ({ scope, params, query: { format, include_compacted } }) =>
        exportTrajectory(db, scope, params.session_id, { format, includeCompacted: include_compacted }),
    );
  });
}
