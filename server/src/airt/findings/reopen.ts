/** Opens findings again that were remediated, when the same attack succeeds again. */
import { sql } from 'kysely';
import type { Trx } from '../../platform/db/transaction.ts';
import { appendReview, type FindingRef, lockFindings } from './reviews.ts';

/**
 * The same attack: the finding that this one tries again, and findings of the project with the same attack, goal and target, which is a
 * model, the URL of a service, or a capability of any version.
 */
export async function reopenRemediated(
  trx: Trx,
  { organizationId, assessmentId, id }: FindingRef,
): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    SELECT f.id
      FROM airt_findings AS n
      JOIN airt_assessments AS a ON a.organization_id = n.organization_id AND a.id = n.assessment_id
      JOIN airt_findings AS f ON f.organization_id = n.organization_id AND f.finding_status = 'remediated' AND f.id <> n.id
       AND f.project_id = n.project_id AND f.attack_name = n.attack_name AND md5(f.goal) = md5(n.goal) AND f.goal = n.goal
      JOIN airt_assessments AS b ON b.organization_id = f.organization_id AND b.id = f.assessment_id
     WHERE n.organization_id = ${organizationId} AND n.id = ${id} AND a.retest_of IS NULL AND ${hasSameTarget('a', 'b')}
    UNION
    SELECT a.retest_of FROM airt_assessments AS a
     WHERE a.organization_id = ${organizationId} AND a.id = ${assessmentId} AND a.retest_of IS NOT NULL`.execute(
    trx,
  );
  await reopenFindings(
    trx,
    organizationId,
    rows.map((row) => row.id),
    `The attack succeeded again in assessment ${assessmentId}, finding ${id}.`,
  );
}

/** Opens those of these findings that were remediated. */
export async function reopenFindings(
  trx: Trx,
  organizationId: string,
  ids: readonly string[],
  reasoning: string,
): Promise<void> {
  for (const finding of await lockFindings(trx, organizationId, ids)) {
    if (finding.finding_status !== 'remediated') continue;
    await sql`
      UPDATE airt_findings SET finding_status = 'open', updated_at = now()
       WHERE organization_id = ${organizationId} AND id = ${finding.id}`.execute(trx);
    await appendReview(
      trx,
      finding,
      { ...finding, finding_status: 'open' },
      { userId: null, updatedBy: 'system', reasoning, retestId: null },
    );
  }
}

const targetOf = (alias: string) => {
  const config = sql.ref(`${alias}.target_config`);
  return sql`coalesce(${config} ->> 'url', ${config} -> 'capability' ->> 'name', ${sql.ref(`${alias}.target_model`)}, '')`;
};

export const hasTarget = (alias: string, name: string) => sql<boolean>`${targetOf(alias)} = ${name}`;

/** Compares the targets of two assessments: a model, the URL of a service, or a capability of any version. */
export const hasSameTarget = (one: string, other: string) =>
  sql<boolean>`${targetOf(one)} = ${targetOf(other)}`;
