import type { Db } from '../../platform/db/connect.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import { requireAssessment } from '../assessments/store.ts';
import { ASSESSMENT_PATH, AssessmentParams, MAY_READ, PROJECT_PATH, ProjectParams } from '../schema.ts';
import { getAnalytics } from './analytics.ts';
import { getProjectSummary } from './project-summary.ts';
import { AirtAnalytics, AirtProjectSummary } from './schema.ts';

export function analyticsRoutes({ db }: { readonly db: Db }) {
  return workspaceRoutes('Red team', (on) => {
    on.get(
      `${ASSESSMENT_PATH}/analytics`,
      {
        id: 'getAssessmentAnalytics',
        summary: 'Analyze an assessment, with the decisions of triage',
        description:
          'Findings that were marked `false_positive` or `incorrect_scoring` count as held. `run` has the figures before triage.',
        ...MAY_READ,
        params: AssessmentParams,
        response: AirtAnalytics,
      },
      async ({ scope, params }) => {
        const id = await requireAssessment(db, scope, params.assessment_id);
        return getAnalytics(db, { organizationId: scope.organizationId, id });
      },
    );

    on.get(
      `${PROJECT_PATH}/summary`,
      {
        id: 'getRedTeamSummary',
        summary: 'Summarize the red team of a project',
        ...MAY_READ,
        params: ProjectParams,
        response: AirtProjectSummary,
      },
      ({ scope, params }) => getProjectSummary(db, scope, params.project),
    );
  });
}
