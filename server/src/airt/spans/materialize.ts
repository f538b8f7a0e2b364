/** Makes findings and trials of the spans of an assessment that a client has run. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { recordSet } from '../../platform/db/record-set.ts';
import { type Trx, transaction } from '../../platform/db/transaction.ts';
import type { JobRef } from '../../platform/jobs/job-kind.ts';
import { complianceTags } from '../../platform/red-team/scoring/compliance.ts';
import type { RunSummary } from '../../platform/red-team/scoring/summary.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { findNewestSpan, listReportedSpans, type SpanSource } from '../../traces/service.ts';
import { saveFigures } from '../analytics/figures.ts';
import { reopenRemediated } from '../findings/reopen.ts';
import type { FindingRef } from '../findings/reviews.ts';
import { recordFindings } from '../lineage.ts';
import { sumUpFinding } from '../running/end-finding.ts';
import { type ReportedRun, type ReportedTrial, readAttackRuns } from './read-attack-runs.ts';

/** Spans that arrive later than this after the end change nothing. */
const LATE_MINUTES = 10;
const MAX_SPANS = 200_000;

interface Reported {
  readonly workspace_id: string;
  readonly project_id: string;
  readonly spans_until: string | null;
  readonly until: string;
}

/** The caller holds the lock of the assessment, which has ended. What was made before is made again from all spans. */
export async function materialize(trx: Trx, ref: JobRef): Promise<void> {
  const { organizationId, id } = ref;
  const assessment = await getReported(trx, ref);
  if (!assessment) return;
  const { workspace_id: workspaceId, project_id: projectId } = assessment;
  const source = toSource(ref, assessment);
  const newest = await findNewestSpan(trx, source);
  const runs = readAttackRuns(await listReportedSpans(trx, source, MAX_SPANS));
  // Locks are taken in the order of ids, like those of bulk triage, so that the two do not wait for each other in a circle.
  await sql`
    SELECT FROM airt_findings
     WHERE organization_id = ${organizationId} AND assessment_id = ${id} ORDER BY id FOR NO KEY UPDATE`.execute(
    trx,
  );
  // Positions are given again below; none may be taken twice on the way.
  const { rows: known } = await sql<KnownFinding>`
    UPDATE airt_findings AS f SET position = -1 - position
     WHERE organization_id = ${organizationId} AND assessment_id = ${id}
    RETURNING id, trace_id, span_id, jailbreak_trials, EXISTS (
      SELECT FROM airt_finding_reviews AS r WHERE r.organization_id = f.organization_id AND r.finding_id = f.id) AS is_reviewed`.execute(
    trx,
  );
  const bySpan = new Map(known.map((finding) => [`${finding.trace_id} ${finding.span_id}`, finding]));
  for (const [position, run] of runs.entries()) {
    const before = findKnown(bySpan, run);
    const findingId = before?.id ?? uuidv7();
    const at = { organizationId, workspaceId, projectId, assessmentId: id, findingId, position };
    const { jailbreakTrials } = await saveRun(trx, at, run);
    // A success that was known before has opened findings again already.
    if (jailbreakTrials > (before?.jailbreak_trials ?? 0))
      await reopenRemediated(trx, { organizationId, assessmentId: id, id: findingId });
  }
  await sql`
    DELETE FROM airt_findings
     WHERE organization_id = ${organizationId} AND assessment_id = ${id} AND position < 0`.execute(trx);
  await sql`
    UPDATE airt_assessments SET spans_until = ${newest}::timestamptz, updated_at = now()
     WHERE organization_id = ${organizationId} AND id = ${id}`.execute(trx);
  await saveFigures(trx, ref);
}

async function getReported(db: Db, { organizationId, id }: JobRef): Promise<Reported | undefined> {
  const { rows } = await sql<Reported>`
    SELECT workspace_id, project_id, spans_until::text AS spans_until,
           (coalesce(completed_at, now()) + make_interval(mins => ${LATE_MINUTES}))::text AS until
      FROM airt_assessments WHERE organization_id = ${organizationId} AND id = ${id}`.execute(db);
  return rows[0];
}

const toSource = ({ organizationId, id }: JobRef, { workspace_id, until }: Reported): SpanSource => ({
  organizationId,
  workspaceId: workspace_id,
  assessmentId: id,
  until,
});

interface KnownFinding {
  readonly id: string;
  readonly trace_id: string | null;
  readonly span_id: string | null;
  readonly jailbreak_trials: number;
  readonly is_reviewed: boolean;
}

/**
 * A finding is known by the span of its study, or by one of its trials where the study came later. Where several become one, it is the
 * one that people have reviewed, so that triage stays.
 */
function findKnown(
  bySpan: ReadonlyMap<string, KnownFinding>,
  { traceId, spanId, trials }: ReportedRun,
): KnownFinding | undefined {
  const spans = [spanId, ...trials.map((trial) => trial.spanId)];
  const found = spans.flatMap((span) => bySpan.get(`${traceId} ${span}`) ?? []);
  return found.find(({ is_reviewed }) => is_reviewed) ?? found[0];
}

interface Place {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly projectId: string;
  readonly assessmentId: string;
  readonly findingId: string;
  readonly position: number;
}

async function saveRun(trx: Trx, place: Place, run: ReportedRun): Promise<RunSummary> {
  const { organizationId, workspaceId, projectId, assessmentId, findingId, position } = place;
  const tags = run.complianceTags ?? complianceTags(run.goalCategory, run.attackName);
  const values = {
    position,
    attack_name: run.attackName,
    goal: run.goal,
    goal_category: run.goalCategory,
    threshold: run.threshold,
    transforms_applied: [...run.transforms],
    compliance_tags: JSON.stringify(tags),
    target_model: run.targetModel,
    attacker_model: run.attackerModel,
    evaluator_model: run.evaluatorModel,
    reported: JSON.stringify(run.reported),
    execution_time_s:
      run.executionSeconds ?? run.trials.reduce((sum, trial) => sum + trial.executionSeconds, 0),
    trace_id: run.traceId,
    span_id: run.spanId,
  };
  const of = { assessment_id: assessmentId, workspace_id: workspaceId, project_id: projectId };
  await trx
    .insertInto('airt_findings')
    .values({ organization_id: organizationId, id: findingId, ...of, ...values })
    .onConflict((conflict) => conflict.columns(['organization_id', 'id']).doUpdateSet(values))
    .execute();
  await recordFindings(trx, { organizationId, workspaceId, assessmentId }, [findingId], []);
  const ref = { organizationId, assessmentId, id: findingId };
  await replaceTrials(trx, ref, run.trials);
  return sumUpFinding(trx, ref, { status: 'completed', error: null });
}

const TRIALS = recordSet({
  id: 'uuid',
  trial_index: 'integer',
  trial_status: 'text',
  candidate: 'text',
  transformed_prompt: 'text',
  response: 'text',
  judge_reasoning: 'text',
  score: 'double precision',
  is_jailbreak: 'boolean',
  is_refusal: 'boolean',
  transforms_applied: 'text[]',
  error: 'text',
  span_id: 'text',
  execution_time_s: 'double precision',
});
/** Trials in one statement. */
const BATCH = 200;

async function replaceTrials(
  trx: Trx,
  { organizationId, assessmentId, id }: FindingRef,
  trials: readonly ReportedTrial[],
): Promise<void> {
  await sql`DELETE FROM airt_trials WHERE organization_id = ${organizationId} AND finding_id = ${id}`.execute(
    trx,
  );
  const rows = trials.map((trial) => ({
    id: uuidv7(),
    trial_index: trial.index,
    trial_status: trial.status,
    candidate: trial.candidate,
    transformed_prompt: trial.transformedPrompt,
    response: trial.response,
    judge_reasoning: trial.judgeReasoning,
    score: trial.score,
    is_jailbreak: trial.isJailbreak,
    is_refusal: trial.isRefusal,
    transforms_applied: [...trial.transforms] as never,
    error: trial.error,
    span_id: trial.spanId,
    execution_time_s: trial.executionSeconds,
  }));
  for (let start = 0; start < rows.length; start += BATCH)
    await sql`
      INSERT INTO airt_trials (organization_id, assessment_id, finding_id, ${TRIALS.names})
      SELECT ${organizationId}::uuid, ${assessmentId}::uuid, ${id}::uuid, t.*
        FROM (${TRIALS.select(rows.slice(start, start + BATCH))}) AS t`.execute(trx);
}

/**
 * Processes spans that arrived after the end of their assessment.
 * @returns how many assessments were computed again
 */
export async function takeInLateSpans(db: Db): Promise<number> {
  const { rows } = await sql<{ organizationId: string; id: string }>`
    SELECT organization_id AS "organizationId", id FROM airt_assessments /* of every organization */
     WHERE run_by = 'client' AND completed_at > now() - make_interval(mins => ${LATE_MINUTES + 2})`.execute(
    db,
  );
  let count = 0;
  const failures: unknown[] = [];
  for (const ref of rows)
    try {
      if (await takeIn(db, ref)) count++;
    } catch (error) {
      // Others must not wait for one that cannot be made.
      failures.push(error);
    }
  if (failures.length > 0) throw new AggregateError(failures, 'assessments could not be made again');
  return count;
}

/** @returns whether there were new spans */
function takeIn(db: Db, ref: JobRef): Promise<boolean> {
  const { organizationId, id } = ref;
  return transaction(db, async (trx) => {
    await sql`
      SELECT FROM airt_assessments WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`.execute(
      trx,
    );
    const assessment = await getReported(trx, ref);
    if (!assessment) return false;
    if ((await findNewestSpan(trx, toSource(ref, assessment))) === assessment.spans_until) return false;
    await materialize(trx, ref);
    return true;
  });
}
