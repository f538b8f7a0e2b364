/** Lists registry models that training can start from. */
import { sql } from 'kysely';
import type { Principal } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';

export interface TrainableModel {
  /** `org/name`. */
  readonly name: string;
  readonly version: string;
  readonly summary: string | null;
  readonly architecture: string | null;
  readonly size_bytes: number;
}

/**
 * Lists the newest releases of all organizations of a user that have their own weights, which excludes adapters.
 * @param organizationId limits the list to one organization
 */
export async function listTrainableModels(
  db: Db,
  { userId, apiKey }: Principal,
  { organizationId, limit }: { readonly organizationId?: string | undefined; readonly limit: number },
): Promise<{ models: TrainableModel[]; total: number }> {
  const only = organizationId ?? apiKey?.organizationId ?? null;
  const { rows } = await sql<TrainableModel & { total: number }>`
    SELECT o.key || '/' || a.name AS name, a.latest_release AS version, a.summary, v.details ->> 'architecture' AS architecture,
           a.file_size_bytes AS size_bytes, count(*) OVER () AS total
      FROM memberships AS m
      JOIN organizations AS o ON o.id = m.organization_id AND o.is_active
      JOIN artifacts AS a ON a.organization_id = m.organization_id AND a.kind = 'model' AND a.version_count > 0
       AND a.latest_release IS NOT NULL AND a.framework IS DISTINCT FROM 'peft'
      JOIN artifact_versions AS v ON v.organization_id = a.organization_id AND v.id = a.latest_id
     WHERE m."user_id" = ${userId} AND (${only}::uuid IS NULL OR m.organization_id = ${only})
     ORDER BY a.updated_at DESC, a.id LIMIT ${limit}`.execute(db);
  const models = rows.map(({ name, version, summary, architecture, size_bytes }) => ({
    name,
    version,
    summary,
    architecture,
    size_bytes,
  }));
  return { models, total: rows[0]?.total ?? 0 };
}
