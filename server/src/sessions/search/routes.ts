import { workspaceRoutes } from '../../platform/http/operations.ts';
import { getFacets, type SearchOptions } from './facets.ts';
import { listSessions } from './list.ts';
import { SessionQuery } from './query.ts';
import { SessionFacetsResponse, SessionListQuery, SessionListResponse } from './schema.ts';

export function searchRoutes(options: SearchOptions) {
  return workspaceRoutes('Sessions', (on) => {
    on.get(
      '/sessions',
      {
        id: 'listSessions',
        summary: 'List sessions',
        description:
          'Those that you can see: your own, and what others share with the workspace. In the order of `updated_at`, and with no filter but `origin`, `archived` and `include_workload_sessions`, `total` may count only 100 beyond the page, unless `exact_total` is set; `total_is_exact` tells whether it does.',
        scope: 'sessions:read',
        role: 'reader',
        query: SessionListQuery,
        response: SessionListResponse,
      },
      ({ scope, query }) => listSessions(options, scope, query),
    );

    on.get(
      '/sessions/facets',
      {
        id: 'getSessionFacets',
        summary: 'Count sessions by their facets',
        description: 'The filters are those of the list, and all of them apply to every facet.',
        scope: 'sessions:read',
        role: 'reader',
        query: SessionQuery,
        response: SessionFacetsResponse,
      },
      ({ scope, query }) => getFacets(options, scope, query),
    );
  });
}
