/** The figures of an assessment that are stored when it ends. Triage changes only what `/analytics` computes. */
import { sql } from 'kysely';
import type { Trx } from '../../platform/db/transaction.ts';
import type { JobRef } from '../../platform/jobs/job-kind.ts';
import { analyze } from './analyze.ts';
import { readMeasured } from './measured.ts';

export async function saveFigures(trx: Trx, { organizationId, id }: JobRef): Promise<void> {
  const measured = await readMeasured(trx, { organizationId, id });
  if (!measured) return;
  const figures = analyze(measured, { isTriaged: false });
  await sql`
    UPDATE airt_assessments
       SET overall_asr = ${figures.overall_asr}, risk_score = ${figures.risk_score},
           analytics_snapshot = ${JSON.stringify(figures)}::jsonb
     WHERE organization_id = ${organizationId} AND id = ${id}`.execute(trx);
}
