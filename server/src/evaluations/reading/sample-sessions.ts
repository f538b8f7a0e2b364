/** The sessions of samples with their scores, for domains that learn from them. */
import { sql } from 'kysely';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';

export interface SampleSession {
  readonly session_id: string;
  readonly score: number | null;
  readonly passed: boolean | null;
  /** null where the evaluation belongs to an optimization job or a finding. */
  readonly evaluation_id: string | null;
}

/** Lists the sessions of attempts that count, in the order of the samples. Evaluations that the workspace does not have are left out. */
export async function listSampleSessions(
  db: Db,
  { organizationId, workspaceId }: Pick<WorkspaceScope, 'organizationId' | 'workspaceId'>,
  evaluationIds: readonly string[],
): Promise<SampleSession[]> {
  const { rows } = await sql<SampleSession>`
    SELECT i.session_id, i.score, i.passed,
           CASE WHEN e.optimization_job_id IS NULL AND e.airt_finding_id IS NULL THEN e.id END AS evaluation_id
      FROM evaluations AS e
      JOIN evaluation_items AS i ON i.organization_id = e.organization_id AND i.evaluation_id = e.id
     WHERE e.organization_id = ${organizationId} AND e.workspace_id = ${workspaceId}
       AND e.id = ANY (${[...evaluationIds]}::uuid[]) AND i.session_id IS NOT NULL
     ORDER BY e.id, i.position`.execute(db);
  return rows;
}
