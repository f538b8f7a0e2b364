/**
 * The kind of an assessment's job, which routes need to enqueue and to cancel it. `running/assessment-job.ts` adds the step. The end of
 * the job is the end of the assessment.
 */
import { sql } from 'kysely';
import type { Trx } from '../platform/db/transaction.ts';
import { appendEvents } from '../platform/events/event-log.ts';
import type { EndStatus, JobKind, JobRef } from '../platform/jobs/job-kind.ts';
import { saveFigures } from './analytics/figures.ts';
import { closeOpenFindings } from './running/end-finding.ts';

export const ASSESSMENT_RUN: JobKind = {
  kind: 'airt.run',
  table: 'airt_runs',
  ended: endAssessment,
};

async function endAssessment(trx: Trx, { organizationId, id }: JobRef, ended: EndStatus): Promise<void> {
  await closeOpenFindings(trx, { organizationId, id });
  const status = ended === 'completed' ? 'completed' : 'failed';
  const { rows } = await sql<{ stop_reason: string | null; error: string | null }>`
    UPDATE airt_assessments AS a
       SET status = ${status}, completed_at = now(), updated_at = now(), error = r.error,
           stop_reason = coalesce(a.stop_reason, ${ended === 'cancelled' ? 'cancelled' : null})
      FROM airt_runs AS r
     WHERE a.organization_id = ${organizationId} AND a.id = ${id} AND r.organization_id = a.organization_id AND r.id = a.id
    RETURNING a.stop_reason, a.error`.execute(trx);
  await saveFigures(trx, { organizationId, id });
  const { stop_reason = null, error = null } = rows[0] ?? {};
  await appendEvents(
    trx,
    { organizationId, streamId: id },
    [{ type: 'assessment_end', data: { status, stop_reason, error } }],
    { close: true },
  );
}
