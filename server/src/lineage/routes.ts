import { orgRoutes, type RouteGroup, workspaceRoutes } from '../platform/http/operations.ts';
import { SessionParams } from '../sessions/service.ts';
import { getArtifactLineage, getSessionLineage, type LineageOptions } from './read-lineage.ts';
import { LineageQuery, LineageResponse, SessionLineageQuery } from './schema.ts';

const TAG = 'Lineage';
const DESCRIPTION =
  'Nodes and edges, the nearest first. What the caller may not see is left out, and so is what can be reached through it alone.';

export function lineageRoutes(options: LineageOptions): RouteGroup[] {
  return [
    orgRoutes(TAG, (on) => {
      on.get(
        '/lineage',
        {
          id: 'getLineage',
          summary: 'Get the lineage of a version: its sources and what is derived from it',
          description: DESCRIPTION,
          scope: 'sessions:read',
          role: 'member',
          query: LineageQuery,
          response: LineageResponse,
        },
        ({ scope, query }) => getArtifactLineage(options, scope, query),
      );
    }),
    workspaceRoutes(TAG, (on) => {
      on.get(
        '/sessions/:session_id/lineage',
        {
          id: 'getSessionLineage',
          summary: 'Get the lineage of a session: its sources and what is derived from it',
          description: DESCRIPTION,
          scope: 'sessions:read',
          role: 'reader',
          params: SessionParams,
          query: SessionLineageQuery,
          response: LineageResponse,
        },
        ({ scope, params, query }) => getSessionLineage(options, scope, params.session_id, query),
      );
    }),
  ];
}
