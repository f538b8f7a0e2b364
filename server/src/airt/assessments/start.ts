/** Starts the run of an assessment on the server. */
import { sql } from 'kysely';
import { audit } from '../../platform/audit/audit.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import { recordSet } from '../../platform/db/record-set.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';
import { appendEvents } from '../../platform/events/event-log.ts';
import type { JobQueue } from '../../platform/jobs/queue.ts';
import { complianceTags } from '../../platform/red-team/scoring/compliance.ts';
import { toStorable } from '../../platform/storable-text.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { ASSESSMENT_RUN } from '../assessment-kind.ts';
import { findTarget, recordFindings } from '../lineage.ts';
import { type PlanOptions, planRun, type RunPlan } from './plan.ts';
import type { AssessmentOf } from './schema.ts';
import { getAssessment, lockAssessment } from './store.ts';

export interface StartOptions extends PlanOptions {
  readonly queue: Pick<JobQueue, 'enqueue'>;
}

export async function startAssessment(
  options: StartOptions,
  scope: WorkspaceScope,
  given: string,
  signal: AbortSignal,
): Promise<AssessmentOf> {
  const { db } = options;
  const assessment = await getAssessment(db, scope, given);
  requirePending(assessment.status);
  const plan = await planRun(options, scope, assessment, signal);
  return transactionFor(db, scope, async (trx) => {
    const { id, status, project_id } = await lockAssessment(trx, scope, given);
    requirePending(status);
    await beginRun(trx, options.queue, scope, { id, projectId: project_id }, plan);
    await audit(trx, scope, {
      action: 'assessment.started',
      resource: `airt/assessments/${id}`,
      after: { findings: plan.findings.length },
    });
    return getAssessment(trx, scope, id);
  });
}

function requirePending(status: AssessmentOf['status']): void {
  if (status === 'pending') return;
  throw new ApiError(
    'conflict_error',
    `The assessment is ${status}; only a pending one can be started. Create another one to run it again.`,
  );
}

/** Stores the plan and enqueues the job, in the caller's transaction. */
export async function beginRun(
  trx: Trx,
  queue: Pick<JobQueue, 'enqueue'>,
  scope: WorkspaceScope,
  { id, projectId }: { readonly id: string; readonly projectId: string },
  plan: RunPlan,
): Promise<void> {
  const { organizationId } = scope;
  const { execution } = plan;
  await sql`
    UPDATE airt_assessments
       SET status = 'running', run_by = 'server', started_at = now(), updated_at = now(),
           execution = ${JSON.stringify(toStorable(execution))}::jsonb, target_model = ${execution.targetModel},
           attacker_model = ${execution.attackerModel}, judge_model = ${execution.judgeModel}
     WHERE organization_id = ${organizationId} AND id = ${id}`.execute(trx);
  await insertFindings(trx, scope, { id, projectId }, plan);
  await trx.insertInto('airt_runs').values({ organization_id: organizationId, id }).execute();
  await queue.enqueue(trx, ASSESSMENT_RUN, { organizationId, id });
  const start = { type: 'assessment_start', data: { findings: plan.findings.length } };
  await appendEvents(trx, { organizationId, streamId: id }, [start]);
}

const FINDINGS = recordSet({
  id: 'uuid',
  position: 'integer',
  attack_name: 'text',
  goal: 'text',
  goal_category: 'text',
  request: 'jsonb',
  threshold: 'double precision',
  compliance_tags: 'jsonb',
  transforms_applied: 'text[]',
});
/** Findings in one statement: a goal has up to 20,000 characters. */
const BATCH = 200;

async function insertFindings(
  trx: Trx,
  { organizationId, workspaceId }: WorkspaceScope,
  { id, projectId }: { readonly id: string; readonly projectId: string },
  { findings, execution }: RunPlan,
): Promise<void> {
  const rows = findings.map(({ attack, goal, goalCategory, request }, position) => ({
    id: uuidv7(),
    position,
    attack_name: attack.name,
    goal,
    goal_category: goalCategory,
    request: toStorable(request) as never,
    threshold: request.threshold,
    compliance_tags: complianceTags(goalCategory, attack.name) as never,
    transforms_applied: [...new Set(request.chains.flat())] as never,
  }));
  const { targetModel, attackerModel, judgeModel } = execution;
  const place = { organizationId, workspaceId, assessmentId: id };
  await recordFindings(
    trx,
    place,
    rows.map((row) => row.id),
    await findTarget(trx, organizationId, execution),
  );
  for (let start = 0; start < rows.length; start += BATCH)
    await sql`
      INSERT INTO airt_findings (organization_id, assessment_id, workspace_id, project_id, target_model, attacker_model,
                                 evaluator_model, ${FINDINGS.names})
      SELECT ${organizationId}::uuid, ${id}::uuid, ${workspaceId}::uuid, ${projectId}::uuid, ${targetModel}::text, ${attackerModel}::text,
             ${judgeModel}::text, f.* FROM (${FINDINGS.select(rows.slice(start, start + BATCH))}) AS f`.execute(
      trx,
    );
}
