/** Reads what the evidence of an assessment holds, page by page. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import type { JobRef } from '../../platform/jobs/job-kind.ts';

/** A trial may have texts of several 100 kB. */
const PAGE = 50;

type Row = Readonly<Record<string, unknown>>;

/** Reads rows in the order of a unique key, and continues each page after the last key of the one before. */
async function* readPages<Key>(
  first: Key,
  keyOf: (row: Row) => Key,
  read: (after: Key) => Promise<readonly Row[]>,
): AsyncGenerator<Row> {
  for (let after = first; ; ) {
    const rows = await read(after);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = keyOf(last);
  }
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const idOf = (row: Row) => row['id'] as string;

export const readFindings = (db: Db, { organizationId, id }: JobRef) =>
  readPages(
    -1,
    (row) => row['position'] as number,
    async (after) => {
      const { rows } = await sql<Row>`
      SELECT id, assessment_id, position, attack_name, goal, goal_category, request, status, error, finding_status, finding_type, severity,
             run_finding_type, run_severity, original_severity, notes, threshold, best_score, total_trials, finished_trials,
             jailbreak_trials, execution_time_s, compliance_tags, transforms_applied, target_model, attacker_model, evaluator_model,
             reported, trace_id, span_id, retest_id, cost_usd, model_calls, created_at, started_at, updated_at, completed_at
        FROM airt_findings
       WHERE organization_id = ${organizationId} AND assessment_id = ${id} AND position > ${after}
       ORDER BY position LIMIT ${PAGE}`.execute(db);
      return rows;
    },
  );

export const readTrials = (db: Db, ref: JobRef) =>
  readById(
    db,
    ref,
    sql`id, finding_id, trial_index, trial_status, candidate, transformed_prompt, response, judge_reasoning, score, is_jailbreak,
        is_refusal, transforms_applied, error, session_id, actions, span_id, execution_time_s, created_at FROM airt_trials`,
  );

export const readReviews = (db: Db, ref: JobRef) =>
  readById(
    db,
    ref,
    sql`id, finding_id, attack_name, original_finding_type, updated_finding_type, original_severity, updated_severity, original_status,
        updated_status, reasoning, retest_id, user_id, updated_by, updated_at FROM airt_finding_reviews`,
  );

const readById = (db: Db, { organizationId, id }: JobRef, columns: RawBuilder<unknown>) =>
  readPages(FIRST_ID, idOf, async (after) => {
    const { rows } = await sql<Row>`
      SELECT ${columns} WHERE organization_id = ${organizationId} AND assessment_id = ${id} AND id > ${after}
       ORDER BY id LIMIT ${PAGE}`.execute(db);
    return rows;
  });

/** @returns a value that changes with everything in the evidence, by which a change during the download is noticed */
export async function readState(db: Db, { organizationId, id }: JobRef): Promise<string> {
  const { rows } = await sql<Row>`
    SELECT a.updated_at, f.findings, f.trials, f.changed_at, r.reviews
      FROM airt_assessments AS a
     CROSS JOIN LATERAL (
       SELECT count(*) AS findings, sum(total_trials) AS trials, max(updated_at) AS changed_at
         FROM airt_findings WHERE organization_id = a.organization_id AND assessment_id = a.id) AS f
     CROSS JOIN LATERAL (
       SELECT count(*) AS reviews
         FROM airt_finding_reviews WHERE organization_id = a.organization_id AND assessment_id = a.id) AS r
     WHERE a.organization_id = ${organizationId} AND a.id = ${id}`.execute(db);
  return JSON.stringify(rows);
}
