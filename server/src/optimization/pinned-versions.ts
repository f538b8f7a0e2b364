/** The versions whose files a job needs: its capability and its tasks. */
import { sql } from 'kysely';
import type { Trx } from '../platform/db/transaction.ts';
import type { JobRef } from '../platform/jobs/job-kind.ts';

export interface PinnedVersion {
  readonly ownerId: string;
  readonly versionId: string;
}

export async function listPinned(trx: Trx, { organizationId, id }: JobRef): Promise<PinnedVersion[]> {
  const { rows } = await sql<PinnedVersion>`
    SELECT request -> 'capability' ->> 'ownerId' AS "ownerId", request -> 'capability' ->> 'versionId' AS "versionId"
      FROM optimization_jobs WHERE organization_id = ${organizationId} AND id = ${id}
    UNION
    SELECT source ->> 'ownerId', source ->> 'versionId' FROM optimization_examples
     WHERE organization_id = ${organizationId} AND job_id = ${id} AND row_index IS NULL`.execute(trx);
  return rows;
}
