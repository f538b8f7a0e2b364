import { z } from 'zod';
import type { Db } from '../../platform/db/connect.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import { ASSESSMENT_PATH, AssessmentParams, MAY_READ } from '../schema.ts';
import {
  AirtAttackSpan,
  AirtTrialSpan,
  TrialListQuery,
  TrialListResponse,
  TrialSpanQuery,
} from './schema.ts';
import { listAttackSpans, listTrialSpans, listTrials } from './store.ts';

const ofAssessment = { ...MAY_READ, params: AssessmentParams };

/** Trials, and the same in the form in which clients read spans. */
export function trialRoutes({ db }: { readonly db: Db }) {
  return workspaceRoutes('Red team', (on) => {
    on.get(
      `${ASSESSMENT_PATH}/trials`,
      {
        id: 'listTrials',
        summary: 'List the trials of an assessment, by finding and number',
        ...ofAssessment,
        query: TrialListQuery,
        response: TrialListResponse,
      },
      ({ scope, params, query }) => listTrials(db, scope, params.assessment_id, query),
    );

    on.get(
      `${ASSESSMENT_PATH}/traces/attacks`,
      {
        id: 'listAttackSpans',
        summary: 'List the attack runs of an assessment',
        ...ofAssessment,
        response: z.array(AirtAttackSpan),
      },
      ({ scope, params }) => listAttackSpans(db, scope, params.assessment_id),
    );

    on.get(
      `${ASSESSMENT_PATH}/traces/trials`,
      {
        id: 'listTrialSpans',
        summary: 'List the best trials of an assessment',
        ...ofAssessment,
        query: TrialSpanQuery,
        response: z.array(AirtTrialSpan),
      },
      ({ scope, params, query }) => listTrialSpans(db, scope, params.assessment_id, query),
    );
  });
}
