/** Deletes the training jobs of a workspace that is about to be deleted. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { deleteStream } from '../../platform/events/event-log.ts';
import { abandonPrefix } from '../../platform/object-storage/abandoned-prefixes.ts';
import { unpinVersions } from '../../registry/service.ts';
import { trainingPrefix } from '../checkpoint-store.ts';
import type { Place } from '../reading/store.ts';
import { pinnedBy, type StoredRequest } from '../stored-job.ts';

/** A trainer that has one of them learns with its next report that the job is gone. Published models stay. */
export async function deleteAllTrainingJobs(db: Db, { organizationId, workspaceId }: Place): Promise<void> {
  for (;;) {
    const isDone = await transaction(db, async (trx) => {
      const { rows } = await sql<{ id: string; request: StoredRequest }>`
        SELECT id, request FROM training_jobs
         WHERE organization_id = ${organizationId} AND workspace_id = ${workspaceId} LIMIT 1 FOR UPDATE`.execute(
        trx,
      );
      for (const { id, request } of rows) {
        await unpinVersions(trx, pinnedBy(request), id);
        await sql`DELETE FROM training_jobs WHERE organization_id = ${organizationId} AND id = ${id}`.execute(
          trx,
        );
        await deleteStream(trx, { organizationId, streamId: id });
        await abandonPrefix(trx, organizationId, trainingPrefix({ organizationId, id }));
      }
      return rows.length === 0;
    });
    if (isDone) return;
  }
}
