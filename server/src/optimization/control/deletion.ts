/** Deletes the optimization jobs of a workspace that is about to be deleted. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { deleteStream } from '../../platform/events/event-log.ts';
import { unpinVersions } from '../../registry/service.ts';
import { listPinned } from '../pinned-versions.ts';
import type { Place } from '../reading/store.ts';

/** A worker that runs one of them ends when it finds that the row is gone. The evaluations of the jobs are deleted by their own domain. */
export async function deleteAllJobs(db: Db, { organizationId, workspaceId }: Place): Promise<void> {
  for (;;) {
    const isDone = await transaction(db, async (trx) => {
      const { rows } = await sql<{ id: string }>`
        SELECT id FROM optimization_jobs
         WHERE organization_id = ${organizationId} AND workspace_id = ${workspaceId} LIMIT 1 FOR UPDATE`.execute(
        trx,
      );
      for (const { id } of rows) {
        const pinned = await listPinned(trx, { organizationId, id });
        await unpinVersions(trx, pinned, id);
        await sql`DELETE FROM optimization_jobs WHERE organization_id = ${organizationId} AND id = ${id}`.execute(
          trx,
        );
        await deleteStream(trx, { organizationId, streamId: id });
      }
      return rows.length === 0;
    });
    if (isDone) return;
  }
}
