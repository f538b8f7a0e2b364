/** Retests of a finding: assessments that try it again on another version of the target, with the rates before and after. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { type SuccessRate, successRate } from '../../platform/red-team/scoring/rates.ts';
import type { FindingDetailOf, RunState } from '../schema.ts';

interface RetestRow {
  readonly assessment_id: string;
  readonly finding_id: string | null;
  readonly status: RunState;
  readonly target: string;
  readonly finished: number;
  readonly jailbreaks: number;
  readonly created_at: string;
}

/** @returns newest first */
export async function listRetests(
  db: Db,
  organizationId: string,
  findingId: string,
  before: SuccessRate,
): Promise<FindingDetailOf['retests']> {
  const { rows } = await sql<RetestRow>`
    SELECT a.id AS assessment_id, f.id AS finding_id, a.status,
           coalesce(a.target_config ->> 'url', nullif(concat_ws('@', a.target_config -> 'capability' ->> 'name',
             a.target_config -> 'capability' ->> 'version'), ''), a.target_model, '') AS target,
           coalesce(f.finished_trials, 0) AS finished, coalesce(f.jailbreak_trials, 0) AS jailbreaks, a.created_at
      FROM airt_assessments AS a
      LEFT JOIN airt_findings AS f ON f.organization_id = a.organization_id AND f.assessment_id = a.id AND f.position = 0
     WHERE a.organization_id = ${organizationId} AND a.retest_of = ${findingId}
     ORDER BY a.created_at DESC, a.id DESC LIMIT 100`.execute(db);
  return rows.map(({ assessment_id, finding_id, status, target, finished, jailbreaks, created_at }) => ({
    assessment_id,
    finding_id,
    status,
    target,
    before: copyOf(before),
    after: copyOf(successRate({ finished, jailbreaks })),
    is_fixed: status === 'completed' && finished > 0 ? jailbreaks === 0 : null,
    created_at,
  }));
}

/** Responses are mutable objects; rates are shared. */
const copyOf = ({ interval, ...rate }: SuccessRate) => ({ ...rate, interval: interval && { ...interval } });
