/** Stores trials, and sums a finding up when its attack has ended. */
import { sql } from 'kysely';
import { cancelAgentRuns } from '../../evaluations/service.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import { appendEvents } from '../../platform/events/event-log.ts';
import type { JobRef } from '../../platform/jobs/job-kind.ts';
import { type CountedTrial, type RunSummary, summarizeRun } from '../../platform/red-team/scoring/summary.ts';
import { toStorable, toStorableText } from '../../platform/storable-text.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { reopenRemediated } from '../findings/reopen.ts';
import type { FindingRef } from '../findings/reviews.ts';
import type { RunState } from '../schema.ts';
import type { RunTrial } from './attack-run.ts';

export async function saveTrial(
  trx: Trx,
  { organizationId, assessmentId, id: findingId }: FindingRef,
  trial: RunTrial,
): Promise<void> {
  const text = toStorableText;
  const { index, score, isJailbreak, isRefusal, error, sessionId, actions, delivery } = trial;
  const id = uuidv7();
  await trx
    .insertInto('airt_trials')
    .values({
      organization_id: organizationId,
      id,
      assessment_id: assessmentId,
      finding_id: findingId,
      trial_index: index,
      trial_status: error === null ? 'finished' : 'failed',
      candidate: text(trial.candidate),
      transformed_prompt: text(trial.transformedPrompt),
      response: text(trial.response),
      judge_reasoning: text(trial.judgeReasoning),
      score,
      is_jailbreak: isJailbreak,
      is_refusal: isRefusal,
      transforms_applied: [...trial.transforms],
      error: error === null ? null : text(error),
      session_id: sessionId,
      actions: actions === null ? null : JSON.stringify(actions),
      delivery: delivery === null ? null : JSON.stringify(toStorable(delivery)),
      execution_time_s: trial.executionSeconds,
    })
    .execute();
  await sql`
    UPDATE airt_findings
       SET total_trials = total_trials + 1, finished_trials = finished_trials + ${score === null ? 0 : 1},
           jailbreak_trials = jailbreak_trials + ${isJailbreak ? 1 : 0}, best_score = greatest(best_score, ${score}::double precision),
           execution_time_s = coalesce(execution_time_s, 0) + ${trial.executionSeconds}
     WHERE organization_id = ${organizationId} AND id = ${findingId}`.execute(trx);
  const data = { finding_id: findingId, trial_id: id, trial_index: index, score, is_jailbreak: isJailbreak };
  await appendEvents(trx, { organizationId, streamId: assessmentId }, [
    { type: 'trial', data: error === null ? data : { ...data, error: error.slice(0, 500) } },
  ]);
}

interface StoredRun {
  readonly goal_category: string | null;
  readonly threshold: number;
}

interface End {
  readonly status: RunState;
  readonly error: string | null;
}

export async function endFinding(trx: Trx, ref: FindingRef, end: End): Promise<void> {
  const { organizationId, assessmentId, id } = ref;
  const summary = await sumUpFinding(trx, ref, end);
  if (summary.jailbreakTrials > 0) await reopenRemediated(trx, ref);
  const { findingType: finding_type, severity, bestScore: best_score } = summary;
  await sql`DELETE FROM airt_calls WHERE organization_id = ${organizationId} AND finding_id = ${id}`.execute(
    trx,
  );
  const data = { finding_id: id, status: end.status, finding_type, severity, best_score };
  await appendEvents(trx, { organizationId, streamId: assessmentId }, [{ type: 'finding_end', data }]);
}

/** Sums the stored trials up. Fields that were triaged keep what a person gave them. */
export async function sumUpFinding(trx: Trx, ref: FindingRef, { status, error }: End): Promise<RunSummary> {
  const { organizationId, id } = ref;
  const summary = await summarizeStored(trx, ref);
  const { findingType, severity, bestScore, bestIndex, ...counts } = summary;
  await sql`
    UPDATE airt_findings AS f
       SET status = ${status}, error = ${error}, completed_at = coalesce(completed_at, now()), updated_at = now(), best_score = ${bestScore},
           total_trials = ${counts.totalTrials}, finished_trials = ${counts.finishedTrials},
           jailbreak_trials = ${counts.jailbreakTrials},
           finding_type = CASE WHEN f.is_type_reviewed THEN f.finding_type ELSE ${findingType} END,
           severity = CASE WHEN f.is_severity_reviewed THEN f.severity ELSE ${severity} END,
           -- Triage during the run replaced a placeholder.
           original_severity = CASE WHEN f.completed_at IS NULL AND f.original_severity IS NOT NULL THEN ${severity}
                                    ELSE f.original_severity END,
           run_finding_type = ${findingType}, run_severity = ${severity},
           best_candidate = t.candidate, best_transformed_prompt = t.transformed_prompt, best_response = t.response,
           best_judge_reasoning = t.judge_reasoning
      FROM (SELECT 1) AS one
      LEFT JOIN airt_trials AS t ON t.organization_id = ${organizationId} AND t.finding_id = ${id} AND t.trial_index = ${bestIndex}
     WHERE f.organization_id = ${organizationId} AND f.id = ${id}`.execute(trx);
  return summary;
}

async function summarizeStored(trx: Trx, { organizationId, id }: FindingRef): Promise<RunSummary> {
  const { rows: runs } = await sql<StoredRun>`
    SELECT goal_category, threshold FROM airt_findings
     WHERE organization_id = ${organizationId} AND id = ${id}`.execute(trx);
  const [run] = runs;
  if (!run) throw new Error(`finding ${id} is gone`);
  const { rows: trials } = await sql<CountedTrial>`
    SELECT trial_index AS index, score, is_refusal AS "isRefusal", trial_status IN ('pruned', 'pending') AS "isPruned" FROM airt_trials
     WHERE organization_id = ${organizationId} AND finding_id = ${id}`.execute(trx);
  return summarizeRun(trials, { goalCategory: run.goal_category, threshold: run.threshold });
}

/** Ends the findings of an assessment that were not run to their end. */
export async function closeOpenFindings(trx: Trx, { organizationId, id }: JobRef): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM airt_findings
     WHERE organization_id = ${organizationId} AND assessment_id = ${id} AND status IN ('pending', 'running') ORDER BY id`.execute(
    trx,
  );
  for (const finding of rows) {
    await cancelAgentRuns(trx, organizationId, finding.id);
    await endFinding(
      trx,
      { organizationId, assessmentId: id, id: finding.id },
      { status: 'failed', error: 'The assessment ended before this attack did.' },
    );
  }
}
