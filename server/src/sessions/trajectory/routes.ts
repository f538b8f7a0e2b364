/** Route of the session export. */
import type { Db } from '../../platform/db/connect.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import { SessionParams } from '../schema.ts';
import { exportTrajectory } from './export.ts';
import { SessionTrajectory, TrajectoryQuery } from './schema.ts';

export function trajectoryRoutes(db: Db) {
  return workspaceRoutes('Sessions', (on) => {
    on.stream(
      '/sessions/:session_id/trajectory',
      {
        id: 'getSessionTrajectory',
        summary: 'Get the trajectory of a session',
        description: 'The document is streamed; discard it when it is cut off.',
        scope: 'sessions:read',
        role: 'reader',
        params: SessionParams,
        query: TrajectoryQuery,
        response: SessionTrajectory,
        long: true,
      },
      ({ scope, params, query: { format, include_compacted } }) =>
        exportTrajectory(db, scope, params.session_id, { format, includeCompacted: include_compacted }),
    );
  });
}
