/** The kind of a check's job, which routes need to enqueue and to cancel it. `check-job.ts` adds the step. */
import { sql } from 'kysely';
import { cancelAssessments } from '../airt/service.ts';
import { cancelScorings } from '../evaluations/service.ts';
import { appendEvents } from '../platform/events/event-log.ts';
import type { JobKind } from '../platform/jobs/job-kind.ts';
import type { GateRuleOf } from './schema.ts';
import { runsOf } from './stored-check.ts';

export const GATE_CHECK: JobKind = {
  kind: 'gates.check',
  table: 'gate_checks',
  /** What still runs for a check that has ended early is cancelled. */
  ended: async (trx, { organizationId, id }, status) => {
    const { rows } = await sql<{ rules: GateRuleOf[]; verdict: string | null; error: string | null }>`
      SELECT rules, verdict, error FROM gate_checks WHERE organization_id = ${organizationId} AND id = ${id}`.execute(
      trx,
    );
    const [check] = rows;
    const runs = runsOf(id, check?.rules ?? []);
    const idsOf = (kind: string) => runs.filter((run) => run.kind === kind).map((run) => run.id);
    await cancelScorings(trx, organizationId, idsOf('evaluation'));
    await cancelAssessments(trx, organizationId, idsOf('assessment'));
    const { verdict = null, error = null } = check ?? {};
    await appendEvents(
      trx,
      { organizationId, streamId: id },
      [{ type: 'check_end', data: { status, verdict, error } }],
      { close: true },
    );
  },
};
