/** Pins keep the files of a deleted version while something still needs them, such as an evaluation. */
import { sql } from 'kysely';
import type { Trx } from '../platform/db/transaction.ts';
import { dropFiles } from './artifacts/delete-version.ts';

export interface PinnedVersion {
  /** Id of the organization that published the version. */
  readonly ownerId: string;
  readonly versionId: string;
}

/**
 * Keeps the files of these versions until `unpinVersions` with the same holder.
 * @returns how many of the versions exist. A version that was deleted before has lost its files and is not pinned.
 */
export async function pinVersions(
  trx: Trx,
  versions: readonly PinnedVersion[],
  holderId: string,
): Promise<number> {
  let count = 0;
  for (const [ownerId, ofOwner] of Map.groupBy(versions, (version) => version.ownerId)) {
    // A deletion locks the version's row as well, so it either sees the pin or has finished.
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM artifact_versions
       WHERE organization_id = ${ownerId} AND id = ANY (${ofOwner.map(({ versionId }) => versionId)}::uuid[])
         AND deleted_at IS NULL
       ORDER BY id FOR SHARE`.execute(trx);
    const ids = rows.map(({ id }) => id);
    await sql`
      INSERT INTO artifact_pins (organization_id, version_id, holder_id)
      SELECT ${ownerId}, id, ${holderId} FROM unnest(${ids}::uuid[]) AS t (id) ON CONFLICT DO NOTHING`.execute(
      trx,
    );
    count += ids.length;
  }
  return count;
}

/** Removes the pins of a holder, and the files of deleted versions that nothing else has pinned. */
export async function unpinVersions(
  trx: Trx,
  versions: readonly PinnedVersion[],
  holderId: string,
): Promise<void> {
  for (const [ownerId, ofOwner] of Map.groupBy(versions, (version) => version.ownerId)) {
    const ids = ofOwner.map(({ versionId }) => versionId);
    await sql`
      DELETE FROM artifact_pins
       WHERE organization_id = ${ownerId} AND version_id = ANY (${ids}::uuid[]) AND holder_id = ${holderId}`.execute(
      trx,
    );
    // Two concurrent holders would each still see the pin of the other, so the second waits here for the commit of the first.
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM artifact_versions
       WHERE organization_id = ${ownerId} AND id = ANY (${ids}::uuid[]) AND deleted_at IS NOT NULL
       ORDER BY id FOR NO KEY UPDATE`.execute(trx);
    for (const { id } of rows) await dropFiles(trx, ownerId, id);
  }
}
