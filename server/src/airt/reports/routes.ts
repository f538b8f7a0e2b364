import { z } from 'zod';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import { ASSESSMENT_PATH, AssessmentParams, MAY_CHANGE, MAY_READ } from '../schema.ts';
import { AssessmentReport, CreateReportRequest, ReportParams } from './schema.ts';
import { createReport, getReport, listReports, type ReportOptions } from './store.ts';

/** Room for content and content_json of 5 MiB each, with escapes. */
const MAX_BODY_BYTES = 16 * 1024 ** 2;

export function reportRoutes(options: ReportOptions) {
  const { db } = options;
  return workspaceRoutes('Red team', (on) => {
    on.stream(
      `${ASSESSMENT_PATH}/reports`,
      {
        id: 'listReports',
        summary: 'List the reports of an assessment, newest first',
        description: 'At most the newest 100, each with its content.',
        ...MAY_READ,
        params: AssessmentParams,
        response: z.array(AssessmentReport),
      },
      ({ scope, params }) => listReports(db, scope, params.assessment_id),
    );

    on.post(
      `${ASSESSMENT_PATH}/reports`,
      {
        id: 'createReport',
        summary: 'Create a report of an assessment',
        description:
          'Without content, the report is generated from the assessment as it is now, with the decisions of triage; the assessment has to have ended. It does not change later.',
        ...MAY_CHANGE,
        params: AssessmentParams,
        body: CreateReportRequest,
        response: AssessmentReport,
        status: 201,
        largeBody: { maxBytes: MAX_BODY_BYTES },
        isBulk: true,
        long: true,
      },
      ({ scope, params, body }) => createReport(options, scope, params.assessment_id, body),
    );

    on.get(
      `${ASSESSMENT_PATH}/reports/:report_id`,
      {
        id: 'getReport',
        summary: 'Get a report of an assessment',
        ...MAY_READ,
        params: ReportParams,
        response: AssessmentReport,
      },
      ({ scope, params }) => getReport(db, scope, params),
    );
  });
}
