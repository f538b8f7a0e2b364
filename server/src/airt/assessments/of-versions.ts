/** Attacks on versions of a capability: the newest assessments that the server has run, and what they found. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { type SuccessRate, successRate } from '../../platform/red-team/scoring/rates.ts';
import type { Place } from './store.ts';

export interface AssessmentOfVersion {
  readonly id: string;
  readonly name: string;
  readonly success: SuccessRate;
  /** null before the end. */
  readonly risk_score: number | null;
  readonly completed_at: string | null;
}

interface Row extends Omit<AssessmentOfVersion, 'success'> {
  readonly versionId: string;
  readonly finished: number;
  readonly jailbreaks: number;
}

/** @returns assessments by the id of the version, newest first, at most `limit` of each */
export async function listAssessmentsOf(
  db: Db,
  { organizationId, workspaceId }: Place,
  { versionIds, limit }: { readonly versionIds: readonly string[]; readonly limit: number },
): Promise<Map<string, AssessmentOfVersion[]>> {
  const { rows } = await sql<Row>`
    SELECT v.id AS "versionId", a.id, a.name, a.risk_score, a.completed_at, f.finished, f.jailbreaks
      FROM unnest(${[...versionIds]}::uuid[]) AS v (id)
     CROSS JOIN LATERAL (
        SELECT a.id, a.name, a.risk_score, a.created_at, a.completed_at
          FROM airt_assessments AS a
         WHERE a.organization_id = ${organizationId} AND a.workspace_id = ${workspaceId}
           AND a.execution -> 'agent' -> 'capability' ->> 'versionId' = v.id::text
         ORDER BY a.created_at DESC, a.id DESC LIMIT ${limit}) AS a
     CROSS JOIN LATERAL (
        SELECT coalesce(sum(f.finished_trials), 0) AS finished, coalesce(sum(f.jailbreak_trials), 0) AS jailbreaks
          FROM airt_findings AS f WHERE f.organization_id = ${organizationId} AND f.assessment_id = a.id) AS f
     ORDER BY a.created_at DESC, a.id DESC`.execute(db);
  return Map.groupBy(rows.map(toAssessment), ({ versionId }) => versionId);
}

const toAssessment = ({ finished, jailbreaks, ...row }: Row) => ({
  ...row,
  success: successRate({ finished, jailbreaks }),
});

export interface FindingCounts {
  /** Findings with a trial in which the attack succeeded. */
  readonly opened: number;
  readonly remediated: number;
}

/** @returns counts by the id of the version; versions without a finding are left out */
export async function countFindingsOf(
  db: Db,
  { organizationId, workspaceId }: Place,
  versionIds: readonly string[],
): Promise<Map<string, FindingCounts>> {
  const { rows } = await sql<FindingCounts & { readonly versionId: string }>`
    SELECT v.id AS "versionId", count(*) AS opened, count(*) FILTER (WHERE f.finding_status = 'remediated') AS remediated
      FROM unnest(${[...versionIds]}::uuid[]) AS v (id)
      JOIN airt_assessments AS a ON a.organization_id = ${organizationId} AND a.workspace_id = ${workspaceId}
       AND a.execution -> 'agent' -> 'capability' ->> 'versionId' = v.id::text
      JOIN airt_findings AS f ON f.organization_id = a.organization_id AND f.assessment_id = a.id AND f.jailbreak_trials > 0
     GROUP BY v.id`.execute(db);
  return new Map(rows.map(({ versionId, ...counts }) => [versionId, counts]));
}
