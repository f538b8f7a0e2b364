/** The job of an assessment: its findings, several at once, until none is left, or its budget or credits are. */
import { sql } from 'kysely';
import { ShortMemory } from '../../platform/auth/short-memory.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';
import { appendEvents } from '../../platform/events/event-log.ts';
import {
  type ClaimedRow,
  completed,
  defineJob,
  failed,
  type JobDefinition,
  type Outcome,
  unfinished,
  type Work,
} from '../../platform/jobs/job-kind.ts';
import { GuardedClient } from '../../platform/net/guarded-client.ts';
import { ASSESSMENT_RUN } from '../assessment-kind.ts';
import { AttackRun } from './attack-run.ts';
import {
  type FindingContext,
  getRunAssessment,
  getRunFinding,
  OutOfBudget,
  type RunAssessment,
  type RunTools,
  type SharedTools,
} from './context.ts';
import { endFinding, saveTrial } from './end-finding.ts';
import { Journal } from './journal.ts';
import { agentTarget } from './targets/agent-target.ts';
import { httpTarget } from './targets/http-target.ts';
import { modelTarget } from './targets/model-target.ts';
import type { Target } from './targets/target.ts';

/** Assessments that a process runs at once. They wait for models most of the time. */
const CONCURRENCY = 32;
const MAX_PER_ORGANIZATION = 8;
/** The queue aborts a step after a day. After 12 hours no more findings begin, and the next step goes on with the rest. */
const STEP_HOURS = 12;
/** A step lasts for hours, in which workers may be killed for other reasons than the assessment. */
const MAX_LOST_WORKERS = 100;
const OPEN = ['pending', 'running'];

type Step = Work<Record<string, never>>;

export function assessmentJob(given: RunTools): JobDefinition {
  const targets = new GuardedClient(given.inference.allowsPrivate ? { isReachable: () => true } : {});
  const tools: SharedTools = { ...given, targets, scopes: new ShortMemory() };
  return defineJob<Record<string, never>>(ASSESSMENT_RUN, {
    concurrency: CONCURRENCY,
    maxPerOrganization: MAX_PER_ORGANIZATION,
    maxStepSeconds: 86_400,
    maxLostWorkers: MAX_LOST_WORKERS,
    step: (work) => run(tools, work),
  });
}

async function run(tools: SharedTools, work: Step): Promise<Outcome<Record<string, never>>> {
  const assessment = await getRunAssessment(tools.db, work);
  const until = performance.now() + STEP_HOURS * 3_600_000;
  try {
    await work.claimRows({
      table: 'airt_findings',
      parent: 'assessment_id',
      open: OPEN,
      concurrency: async () => (performance.now() > until ? 0 : assessment.execution.concurrency),
      run: (row) => runFinding(tools, work, assessment, row),
    });
  } catch (error) {
    work.signal.throwIfAborted();
    return toOutcome(work, error);
  }
  const isAnyOpen = await hasOpenFindings(tools, work);
  return isAnyOpen ? unfinished({}, { afterSeconds: 1 }) : completed();
}

/** Errors that a user can act on end the assessment, which keeps what it has. Any other error is a defect, and the step is tried again. */
function toOutcome({ organizationId, id }: Step, error: unknown): Outcome<Record<string, never>> {
  if (error instanceof OutOfBudget) {
    const stop = async (trx: Trx) => {
      await sql`
        UPDATE airt_assessments SET stop_reason = ${error.reason}
         WHERE organization_id = ${organizationId} AND id = ${id}`.execute(trx);
    };
    return error.reason === 'budget' ? completed(stop) : failed(error.message, stop);
  }
  if (error instanceof ApiError && error.status < 500) return failed(error.message);
  throw error;
}

async function hasOpenFindings({ db }: SharedTools, { organizationId, id }: Step): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM airt_findings
     WHERE organization_id = ${organizationId} AND assessment_id = ${id} AND status = ANY (${OPEN}::text[]) LIMIT 1`.execute(
    db,
  );
  return rows.length > 0;
}

async function runFinding(
  tools: SharedTools,
  { organizationId, id: assessmentId }: Step,
  assessment: RunAssessment,
  row: ClaimedRow,
): Promise<void> {
  const ref = { organizationId, assessmentId, id: row.id };
  const finding = await getRunFinding(tools.db, ref);
  const context: FindingContext = {
    tools,
    organizationId,
    assessmentId,
    assessment,
    finding,
    row,
    signal: row.signal,
  };
  await row.save((trx) => beginFinding(trx, context));
  const journal = await Journal.read(context, () => requireBudget(context));
  const stored = await countTrials(context);
  const attack = new AttackRun(context, journal, createTarget(context));
  for await (const trial of attack.trials())
    if (trial.index >= stored) await row.save((trx) => saveTrial(trx, ref, trial));
  await row.save((trx) => endFinding(trx, ref, { status: 'completed', error: null }));
}

async function beginFinding(
  trx: Trx,
  { organizationId, assessmentId, finding }: FindingContext,
): Promise<void> {
  const { rows } = await sql`
    UPDATE airt_findings SET status = 'running', started_at = now(), updated_at = now()
     WHERE organization_id = ${organizationId} AND id = ${finding.id} AND status = 'pending' RETURNING id`.execute(
    trx,
  );
  if (rows.length === 0) return;
  const data = { finding_id: finding.id, attack_name: finding.attack_name, goal: finding.goal.slice(0, 500) };
  await appendEvents(trx, { organizationId, streamId: assessmentId }, [{ type: 'finding_start', data }]);
}

async function countTrials({ tools, organizationId, finding }: FindingContext): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM airt_trials
     WHERE organization_id = ${organizationId} AND finding_id = ${finding.id}`.execute(tools.db);
  return rows[0]?.count ?? 0;
}

/** @throws {OutOfBudget} once the assessment has cost as much as it may */
async function requireBudget({
  tools,
  organizationId,
  assessmentId,
  assessment,
  signal,
}: FindingContext): Promise<void> {
  signal.throwIfAborted();
  const { budgetUsd } = assessment.execution;
  if (budgetUsd === null) return;
  const { rows } = await sql<{ cost: number }>`
    SELECT coalesce(sum(cost_usd), 0) AS cost FROM airt_findings
     WHERE organization_id = ${organizationId} AND assessment_id = ${assessmentId}`.execute(tools.db);
  if ((rows[0]?.cost ?? 0) >= budgetUsd)
    throw new OutOfBudget('budget', `The budget of ${budgetUsd} US dollars is used up.`);
}

/** Makes the target of an assessment, by its kind. */
function createTarget(context: FindingContext): Target {
  const { target, targetModel } = context.assessment.execution;
  if (target.kind === 'http') return httpTarget(context, target.config);
  if (targetModel === null) throw new Error('the plan has no model for the target');
  return target.kind === 'agent'
    ? agentTarget(context, targetModel, target.config)
    : modelTarget(context, targetModel, target.config);
}
