import type { Db } from '../platform/db/connect.ts';
import { type RouteGroup, workspaceRoutes } from '../platform/http/operations.ts';
import { getJourney } from './journey.ts';
import { JourneyParams, JourneyQuery, JourneyResponse } from './schema.ts';

export const journeyRoutes = (db: Db): RouteGroup =>
  workspaceRoutes('Capabilities', (on) => {
    on.get(
      '/capabilities/:capability/journey',
      {
        id: 'getCapabilityJourney',
        summary: 'List the versions of a capability with their changes, origins and measurements',
        description:
          'The newest publication comes first. Deleted versions are left out. Runs, checks and findings are those of the workspace.',
        scope: 'evaluations:read',
        role: 'reader',
        params: JourneyParams,
        query: JourneyQuery,
        response: JourneyResponse,
      },
      ({ scope, params, query }) => getJourney(db, scope, params.capability, query),
    );
  });
