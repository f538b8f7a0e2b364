/** Statistics over the samples of an evaluation. */
import type { Trx } from '../../platform/db/transaction.ts';
import type { JobRef } from '../../platform/jobs/job-kind.ts';

/** Keeps the analytics as of the end of an evaluation. */
export async function saveSnapshot(_trx: Trx, _job: JobRef): Promise<void> {}
