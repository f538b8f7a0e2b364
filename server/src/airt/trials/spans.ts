/** Attack runs and trials in the form in which clients read the spans of an assessment, whether a client or the server ran it. */
import { sql } from 'kysely';
import type { z } from 'zod';
import type { Db } from '../../platform/db/connect.ts';
import { type Place, requireAssessment } from '../assessments/store.ts';
import type { AirtAttackSpan, AirtTrialSpan, TrialSpanQueryOf } from './schema.ts';

const MAX_ATTACKS = 5_000;

export async function listAttackSpans(db: Db, scope: Place, given: string) {
  const id = await requireAssessment(db, scope, given);
  const { rows } = await sql<z.output<typeof AirtAttackSpan>>`
    SELECT trace_id, span_id, id AS finding_id, attack_name, goal, goal_category, reported ->> 'category' AS category,
           reported ->> 'sub_category' AS sub_category, coalesce(transforms_applied, '{}') AS transforms,
           jailbreak_trials > 0 AS is_jailbreak, execution_time_s, target_model, attacker_model, evaluator_model, created_at,
           best_score, jailbreak_trials::double precision / nullif(finished_trials, 0) AS asr, total_trials, finished_trials
      FROM airt_findings
     WHERE organization_id = ${scope.organizationId} AND assessment_id = ${id} ORDER BY position LIMIT ${MAX_ATTACKS}`.execute(
    db,
  );
  return rows;
}

/** @returns the best first */
export async function listTrialSpans(db: Db, scope: Place, given: string, query: TrialSpanQueryOf) {
  const id = await requireAssessment(db, scope, given);
  const { attack_name = null, min_score = null, jailbreaks_only, limit } = query;
  const { rows } = await sql<z.output<typeof AirtTrialSpan>>`
    SELECT f.trace_id, t.span_id, t.finding_id, f.attack_name, f.goal, f.goal_category, f.reported ->> 'category' AS category,
           f.reported ->> 'sub_category' AS sub_category, t.transforms_applied AS transforms, t.is_jailbreak, t.execution_time_s,
           f.target_model, f.attacker_model, f.evaluator_model, t.created_at, t.trial_index, t.trial_status, t.score, t.candidate,
           t.transformed_prompt, t.response, t.judge_reasoning
      FROM airt_trials AS t JOIN airt_findings AS f ON f.organization_id = t.organization_id AND f.id = t.finding_id
     WHERE t.organization_id = ${scope.organizationId} AND t.assessment_id = ${id}
       AND (${attack_name}::text IS NULL OR f.attack_name = ${attack_name})
       AND (${min_score}::double precision IS NULL OR t.score >= ${min_score}) AND (${!jailbreaks_only} OR t.is_jailbreak)
     ORDER BY t.score DESC NULLS LAST, f.position, t.trial_index LIMIT ${limit}`.execute(db);
  return rows;
}
