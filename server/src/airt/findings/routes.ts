import type { Db } from '../../platform/db/connect.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import type { CreateRules } from '../assessments/create.ts';
import { AssessmentResponse } from '../assessments/schema.ts';
import type { StartOptions } from '../assessments/start.ts';
import {
  ASSESSMENT_PATH,
  AssessmentParams,
  FINDING_PATH,
  FindingDetail,
  FindingParams,
  MAY_CHANGE,
  MAY_READ,
  PROJECT_PATH,
  ProjectParams,
} from '../schema.ts';
import { createRegressionTask } from './regression-task.ts';
import { retestFinding } from './retest.ts';
import {
  BulkFindingRequest,
  BulkFindingResponse,
  FindingListQuery,
  FindingListResponse,
  RegressionTaskRequest,
  RegressionTaskResponse,
  RetestRequest,
  UpdateFindingRequest,
} from './schema.ts';
import { getFinding, listAssessmentFindings, listProjectFindings } from './store.ts';
import { updateFinding, updateFindings } from './triage.ts';

/** Operations that make something, which may take minutes. */
const MAKES = { status: 201, watched: true, long: true } as const;

/** Findings and their triage. */
export function findingRoutes({ db }: { readonly db: Db }) {
  return workspaceRoutes('Red team', (on) => {
    on.get(
      FINDING_PATH,
      {
        id: 'getFinding',
        summary: 'Get a finding with its history and its best trials',
        ...MAY_READ,
        params: FindingParams,
        response: FindingDetail,
      },
      ({ scope, params }) => getFinding(db, scope, params.finding_id),
    );

    on.patch(
      FINDING_PATH,
      {
        id: 'updateFinding',
        summary: 'Triage a finding',
        description:
          'Every change is kept as a review event with the values before and after. A request that gives nothing changes nothing.',
        ...MAY_CHANGE,
        params: FindingParams,
        body: UpdateFindingRequest,
        response: FindingDetail,
      },
      ({ scope, params, body }) => updateFinding(db, scope, params.finding_id, body),
    );

    on.post(
      '/airt/findings/bulk',
      {
        id: 'updateFindings',
        summary: 'Triage up to 500 findings at once',
        description: 'All of them are changed, or none.',
        ...MAY_CHANGE,
        body: BulkFindingRequest,
        response: BulkFindingResponse,
      },
      async ({ scope, body }) => ({ items: await updateFindings(db, scope, body) }),
    );
  });
}

/** Operations after triage: a proof, and a task that keeps the finding from coming back. */
export function proofRoutes(options: StartOptions & CreateRules) {
  return workspaceRoutes('Red team', (on) => {
    on.post(
      `${FINDING_PATH}/retest`,
      {
        id: 'retestFinding',
        summary: 'Try a finding again, on the same target or another version of it',
        description:
          'The best prompts are sent as they were, then the same attack runs with the same seed. `retests` of the finding has the rates before and after.',
        ...MAY_CHANGE,
        params: FindingParams,
        body: RetestRequest.nullish(),
        response: AssessmentResponse,
        ...MAKES,
      },
      ({ scope, params, body, signal }) =>
        retestFinding(options, scope, params.finding_id, body ?? {}, signal),
    );

    on.post(
      `${FINDING_PATH}/regression-task`,
      {
        id: 'createRegressionTask',
        summary: 'Publish a finding as a task of a task set',
        description:
          'The prompt that succeeded is the instruction; the task passes where the attack fails, by the canary or the judge of the finding. The same finding gives the same task again.',
        ...MAY_CHANGE,
        params: FindingParams,
        body: RegressionTaskRequest.nullish(),
        response: RegressionTaskResponse,
        ...MAKES,
      },
      ({ scope, params, body, signal }) =>
        createRegressionTask(options, scope, params.finding_id, body ?? {}, signal),
    );
  });
}

/** Lists of findings. */
export function findingListRoutes({ db }: { readonly db: Db }) {
  return workspaceRoutes('Red team', (on) => {
    on.get(
      `${ASSESSMENT_PATH}/findings`,
      {
        id: 'listAssessmentFindings',
        summary: 'List the findings of an assessment',
        ...MAY_READ,
        params: AssessmentParams,
        query: FindingListQuery,
        response: FindingListResponse,
      },
      ({ scope, params, query }) => listAssessmentFindings(db, scope, params.assessment_id, query),
    );

    on.get(
      `${PROJECT_PATH}/findings`,
      {
        id: 'listProjectFindings',
        summary: 'List the findings of a project',
        ...MAY_READ,
        params: ProjectParams,
        query: FindingListQuery,
        response: FindingListResponse,
      },
      ({ scope, params, query }) => listProjectFindings(db, scope, params.project, query),
    );
  });
}
