/** Optimization for other domains: which job made a version of a capability, and what it measured. */
import { sql } from 'kysely';
import type { WorkspaceScope } from '../platform/auth/principal.ts';
import type { Db } from '../platform/db/connect.ts';

export interface Promotion {
  readonly optimization_job_id: string;
  readonly candidate: number;
  readonly from_version: string;
  readonly score: number;
  readonly score_before: number | null;
  readonly holdout_score: number | null;
  readonly holdout_score_before: number | null;
  readonly model: string;
  /** The version that the job started from. */
  readonly fromOwnerId: string;
  readonly fromVersionId: string;
}

/**
 * Lists promotions, except versions that jobs of other workspaces made.
 * @param name of a capability of the organization
 * @returns promotions by version
 */
export async function listPromotionsOf(
  db: Db,
  { organizationId, workspaceId }: Pick<WorkspaceScope, 'organizationId' | 'workspaceId'>,
  { name, versions }: { readonly name: string; readonly versions: readonly string[] },
): Promise<Map<string, Promotion>> {
  const { rows } = await sql<Promotion & { readonly version: string }>`
    SELECT p.version, p.job_id AS optimization_job_id, p.candidate_index AS candidate, j.model,
           j.request -> 'capability' ->> 'version' AS from_version, j.request -> 'capability' ->> 'ownerId' AS "fromOwnerId",
           j.request -> 'capability' ->> 'versionId' AS "fromVersionId", c.mean_score AS score, s.mean_score AS score_before,
           c.holdout_score, s.holdout_score AS holdout_score_before
      FROM optimization_promotions AS p
      JOIN optimization_jobs AS j ON j.organization_id = p.organization_id AND j.id = p.job_id
      JOIN optimization_candidates AS c ON c.organization_id = p.organization_id AND c.job_id = p.job_id AND c.index = p.candidate_index
      LEFT JOIN optimization_candidates AS s ON s.organization_id = p.organization_id AND s.job_id = p.job_id AND s.index = 0
     WHERE p.organization_id = ${organizationId} AND p.capability = ${name} AND p.version = ANY (${[...versions]}::text[])
       AND j.workspace_id = ${workspaceId}`.execute(db);
  return new Map(rows.map(({ version, ...promotion }) => [version, promotion]));
}
