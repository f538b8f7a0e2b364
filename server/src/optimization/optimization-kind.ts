/**
 * The kind of an optimization job, which routes need to enqueue and to cancel it. `running/optimization-job.ts` adds the step. A job that
 * ends cancels its evaluations and closes its stream of events.
 */
import { sql } from 'kysely';
import { cancelScorings } from '../evaluations/service.ts';
import { appendEvents } from '../platform/events/event-log.ts';
import type { JobKind } from '../platform/jobs/job-kind.ts';

export const OPTIMIZATION: JobKind = {
  kind: 'optimization.run',
  table: 'optimization_jobs',
  ended: async (trx, job, status) => {
    const { organizationId, id } = job;
    const { rows: batches } = await sql<{ evaluation_id: string }>`
      SELECT evaluation_id FROM optimization_batches
       WHERE organization_id = ${organizationId} AND job_id = ${id} AND NOT is_inherited`.execute(trx);
    await cancelScorings(
      trx,
      organizationId,
      batches.map((batch) => batch.evaluation_id),
    );
    const { rows } = await sql<{
      error: string | null;
      stop_reason: string | null;
      best_index: number | null;
    }>`
      UPDATE optimization_jobs SET stop_reason = coalesce(stop_reason, ${status === 'cancelled' ? 'cancelled' : null})
       WHERE organization_id = ${organizationId} AND id = ${id} RETURNING error, stop_reason, best_index`.execute(
      trx,
    );
    const [row] = rows;
    const { error, stop_reason = null, best_index = null } = row ?? { error: null };
    await appendEvents(
      trx,
      { organizationId, streamId: id },
      [
        ...(error === null ? [] : [{ type: 'optimization_error', data: { message: error } }]),
        { type: 'optimization_end', data: { status, stop_reason, best_index } },
      ],
      { close: true },
    );
  },
};
