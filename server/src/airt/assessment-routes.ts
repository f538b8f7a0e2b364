import { workspaceRoutes } from '../platform/http/operations.ts';
import { type CreateRules, createAssessment } from './assessments/create.ts';
import { estimateAssessment } from './assessments/estimate.ts';
import { ASSESSMENT_EVENTS, getFeed } from './assessments/events.ts';
import {
  AssessmentEstimateResponse,
  AssessmentListQuery,
  AssessmentListResponse,
  AssessmentQuery,
  AssessmentResponse,
  CreateAssessmentRequest,
  UpdateAssessmentRequest,
} from './assessments/schema.ts';
import { type StartOptions, startAssessment } from './assessments/start.ts';
import { getAssessment, listAssessments } from './assessments/store.ts';
import { ASSESSMENT_PATH, AssessmentParams, MAY_CHANGE, MAY_READ } from './schema.ts';
import { cancelAssessment, deleteAssessment, updateAssessment } from './update-assessment.ts';

const ofAssessment = { params: AssessmentParams };

/** Assessments: created, read, changed, deleted. */
export function assessmentRoutes(options: StartOptions & CreateRules) {
  const { db } = options;
  return workspaceRoutes('Red team', (on) => {
    on.post(
      '/airt/assessments',
      {
        id: 'createAssessment',
        summary: 'Create a red-team assessment',
        description:
          'It is `pending` until `start` runs it on the server, or a client sets its status to `running`, reports spans and completes it.',
        ...MAY_CHANGE,
        query: AssessmentQuery,
        body: CreateAssessmentRequest,
        response: AssessmentResponse,
        status: 201,
      },
      ({ scope, query, body }) => createAssessment(db, options, scope, query.project_id, body),
    );

    on.get(
      '/airt/assessments',
      {
        id: 'listAssessments',
        summary: 'List assessments, newest first',
        ...MAY_READ,
        query: AssessmentListQuery,
        response: AssessmentListResponse,
      },
      ({ scope, query }) => listAssessments(db, scope, query),
    );

    on.get(
      ASSESSMENT_PATH,
      {
        id: 'getAssessment',
        summary: 'Get an assessment',
        ...MAY_READ,
        ...ofAssessment,
        response: AssessmentResponse,
      },
      ({ scope, params }) => getAssessment(db, scope, params.assessment_id),
    );

    on.patch(
      ASSESSMENT_PATH,
      {
        id: 'updateAssessment',
        summary: 'Rename an assessment, or move the status of one that you run yourself',
        ...MAY_CHANGE,
        ...ofAssessment,
        body: UpdateAssessmentRequest,
        response: AssessmentResponse,
        long: true,
      },
      ({ scope, params, body }) => updateAssessment(db, scope, params.assessment_id, body),
    );

    on.delete(
      ASSESSMENT_PATH,
      {
        id: 'deleteAssessment',
        summary: 'Delete an assessment with its findings and trials',
        description: 'The review events of its findings are kept for audits until the workspace is deleted.',
        ...MAY_CHANGE,
        ...ofAssessment,
      },
      ({ scope, params }) => deleteAssessment(db, scope, params.assessment_id),
    );
  });
}

/** What is done with an assessment: started, cancelled, watched, estimated. */
export function runRoutes(options: StartOptions & CreateRules) {
  const { db } = options;
  return workspaceRoutes('Red team', (on) => {
    on.post(
      `${ASSESSMENT_PATH}/start`,
      {
        id: 'startAssessment',
        summary: 'Run the attacks of an assessment on the server',
        ...MAY_CHANGE,
        ...ofAssessment,
        response: AssessmentResponse,
        watched: true,
        long: true,
      },
      ({ scope, params, signal }) => startAssessment(options, scope, params.assessment_id, signal),
    );

    on.post(
      `${ASSESSMENT_PATH}/cancel`,
      {
        id: 'cancelAssessment',
        summary: 'Cancel an assessment',
        description:
          'It ends as `failed` with the stop reason `cancelled`. Everything that was measured is kept.',
        ...MAY_CHANGE,
        ...ofAssessment,
        response: AssessmentResponse,
      },
      ({ scope, params }) => cancelAssessment(db, scope, params.assessment_id),
    );

    on.events(
      `${ASSESSMENT_PATH}/events`,
      {
        id: 'streamAssessmentEvents',
        summary: 'Watch an assessment',
        ...MAY_READ,
        ...ofAssessment,
        events: ASSESSMENT_EVENTS,
      },
      ({ scope, params }) => getFeed(db, scope, params.assessment_id),
    );

    on.post(
      '/airt/assessments/estimate',
      {
        id: 'estimateAssessment',
        summary: 'Estimate the trials and the cost of an assessment',
        description: 'Checks the request like `start`, and stores nothing.',
        scope: 'airt:read',
        role: 'contributor',
        body: CreateAssessmentRequest,
        response: AssessmentEstimateResponse,
        watched: true,
        idempotency: false,
        long: true,
      },
      ({ scope, body, signal }) => estimateAssessment(options, scope, body, signal),
    );
  });
}
