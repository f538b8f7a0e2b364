/** The kind of an evaluation's job, which routes need to enqueue and to cancel it. `running/evaluation-job.ts` adds the step. */

import type { Trx } from '../platform/db/transaction.ts';
import type { JobKind, JobRef } from '../platform/jobs/job-kind.ts';
import { closeOpenItems } from './close-items.ts';
import { saveSnapshot } from './reading/analytics.ts';

export const EVALUATION: JobKind = {
  kind: 'evaluations.run',
  table: 'evaluations',
  ended: async (trx: Trx, { organizationId, id }: JobRef, status) => {
    await closeOpenItems(trx, { organizationId, evaluationId: id }, status);
    await saveSnapshot(trx, { organizationId, id });
  },
};
