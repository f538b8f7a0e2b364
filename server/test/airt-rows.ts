/** Inserts assessments with a finding, trials and a review directly into the tables. */
import type { Db } from '../src/platform/db/connect.ts';
import { uuidv7 } from '../src/platform/uuid.ts';
import type { EvaluationPlace } from './evaluation-rows.ts';

interface AssessmentPlace extends EvaluationPlace {
  readonly createdBy: string;
}

interface AssessmentText {
  /** Written into every column that holds free text. */
  readonly text: string;
  readonly projectId: string;
}

/** Inserts a completed assessment with one finding: a trial that succeeded, and one that failed. */
export async function insertAssessmentRows(
  db: Db,
  { organizationId, workspaceId, createdBy }: AssessmentPlace,
  { text, projectId }: AssessmentText,
): Promise<void> {
  const [assessment_id, finding_id] = [uuidv7(), uuidv7()];
  const organization_id = organizationId;
  const place = { organization_id, workspace_id: workspaceId };
  const now = new Date().toISOString();
  const ended = { status: 'completed', started_at: now, completed_at: now } as const;
  await db
    .insertInto('airt_assessments')
    .values({
      ...place,
      ...ended,
      id: assessment_id,
      project_id: projectId,
      created_by: createdBy,
      name: text,
      description: text,
      target_model: 'sim/guarded',
      judge_model: 'sim/judge',
      run_by: 'server',
      overall_asr: 1,
      risk_score: 10,
    })
    .execute();
  await db
    .insertInto('airt_findings')
    .values({
      ...place,
      ...ended,
      id: finding_id,
      assessment_id,
      project_id: projectId,
      position: 0,
      attack_name: 'baseline',
      goal: text,
      goal_category: 'credential_leak',
      finding_type: 'jailbreak',
      run_finding_type: 'jailbreak',
      severity: 'critical',
      run_severity: 'critical',
      best_score: 1,
      total_trials: 2,
      finished_trials: 1,
      jailbreak_trials: 1,
      transforms_applied: ['base64'],
      compliance_tags: JSON.stringify({ owasp_llm: ['LLM01:2025'] }),
      best_response: text,
      cost_usd: 0.25,
    })
    .execute();
  for (const [trial_index, score] of [1, null].entries())
    await db
      .insertInto('airt_trials')
      .values({
        organization_id,
        id: uuidv7(),
        assessment_id,
        finding_id,
        trial_index,
        trial_status: score === null ? 'failed' : 'finished',
        candidate: text,
        transformed_prompt: text,
        response: text,
        judge_reasoning: text,
        score,
        is_jailbreak: score === 1,
        is_refusal: false,
        transforms_applied: ['base64'],
        error: score === null ? text : null,
      })
      .execute();
  await db
    .insertInto('airt_finding_reviews')
    .values({
      ...place,
      id: uuidv7(),
      assessment_id,
      finding_id,
      attack_name: 'baseline',
      original_finding_type: 'jailbreak',
      updated_finding_type: 'jailbreak',
      original_severity: 'critical',
      updated_severity: 'high',
      original_status: 'open',
      updated_status: 'open',
      reasoning: text,
      user_id: createdBy,
      updated_by: 'owner',
    })
    .execute();
}
