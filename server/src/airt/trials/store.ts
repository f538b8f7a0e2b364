/** Reads the trials of findings. */
import { sql } from 'kysely';
import type { z } from 'zod';
import type { Db } from '../../platform/db/connect.ts';
import { type Place, requireAssessment } from '../assessments/store.ts';
import type { AirtTrial, TrialEvidenceOf } from '../schema.ts';
import type { AirtAttackSpan, AirtTrialSpan, TrialQuery, TrialSpanQueryOf } from './schema.ts';

const TOP = 10;

/** Best first; trials without a score last. */
const BY_SCORE = sql`ORDER BY score DESC NULLS LAST, trial_index`;

/** @returns the best ten */
export async function listTopTrials(
  db: Db,
  organizationId: string,
  findingId: string,
): Promise<TrialEvidenceOf[]> {
  const { rows } = await sql<TrialEvidenceOf>`
    SELECT (row_number() OVER (${BY_SCORE}))::integer AS rank, candidate, transformed_prompt, response, judge_reasoning, trial_index,
           trial_status, coalesce(score, 0) AS score, is_jailbreak, execution_time_s, coalesce(span_id, '') AS span_id
      FROM airt_trials WHERE organization_id = ${organizationId} AND finding_id = ${findingId} AND score IS NOT NULL
     ORDER BY rank LIMIT ${TOP}`.execute(db);
  return rows;
}

export async function listTrials(db: Db, scope: Place, given: string, query: TrialQuery) {
  const id = await requireAssessment(db, scope, given);
  const { organizationId } = scope;
  const { page, page_size, finding_id = null, attack_name = null, min_score = null, jailbreaks_only } = query;
  const where = sql`t.organization_id = ${organizationId} AND t.assessment_id = ${id}
    AND (${finding_id}::uuid IS NULL OR t.finding_id = ${finding_id})
    AND (${attack_name}::text IS NULL OR f.attack_name = ${attack_name})
    AND (${min_score}::double precision IS NULL OR t.score >= ${min_score})
    AND (${!jailbreaks_only} OR t.is_jailbreak)`;
  const from = sql`airt_trials AS t JOIN airt_findings AS f ON f.organization_id = t.organization_id AND f.id = t.finding_id`;
  const { rows: counted } = await sql<{ total: number }>`
    SELECT count(*) AS total FROM ${from} WHERE ${where}`.execute(db);
  // The page is picked before its rows are ranked, which takes the other trials of their findings. They are ranked once: without
  // MATERIALIZED, and with the statistics of an empty table, PostgreSQL ranks them again for every row (23 s for a page of 100).
  const { rows: items } = await sql<z.output<typeof AirtTrial>>`
    WITH page AS MATERIALIZED (
      SELECT t.id, t.finding_id, f.position FROM ${from} WHERE ${where}
       ORDER BY f.position, t.trial_index LIMIT ${page_size} OFFSET ${(page - 1) * page_size}
    ), ranked AS MATERIALIZED (
      SELECT id, (row_number() OVER (PARTITION BY finding_id ${BY_SCORE}))::integer AS rank
        FROM airt_trials WHERE organization_id = ${organizationId} AND finding_id IN (SELECT finding_id FROM page)
    )
    SELECT t.id, t.finding_id, f.attack_name, f.goal, f.goal_category, ranked.rank, t.candidate, t.transformed_prompt, t.response,
           t.judge_reasoning, t.trial_index, t.trial_status, coalesce(t.score, 0) AS score, t.is_jailbreak, t.execution_time_s,
           coalesce(t.span_id, '') AS span_id, t.transforms_applied, t.error, t.session_id, t.actions, t.created_at
      FROM page
      JOIN ranked ON ranked.id = page.id
      JOIN airt_trials AS t ON t.organization_id = ${organizationId} AND t.id = page.id
      JOIN airt_findings AS f ON f.organization_id = t.organization_id AND f.id = t.finding_id
     ORDER BY page.position, t.trial_index`.execute(db);
  return { items, total: counted[0]?.total ?? 0, page, page_size };
}

const MAX_ATTACKS = 5_000;

/** Lists attack runs in the form in which clients read the spans of an assessment, whether a client or the server ran it. */
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

/** Lists trials in the same form, the best first. */
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
