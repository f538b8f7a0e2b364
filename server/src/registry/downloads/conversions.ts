/** Conversions, done once per content and organization: started by the first download and kept for later ones. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { JobKind } from '../../platform/jobs/job-kind.ts';
import type { JobQueue } from '../../platform/jobs/queue.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { digestOf, digestsOf, type Making } from './content.ts';

export const CONVERSION: JobKind = { kind: 'registry.convert', table: 'artifact_conversions' };

export type Enqueue = Pick<JobQueue, 'enqueue'>;

export interface Conversion {
  readonly id: string;
  readonly status: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';
  /** Hexadecimal digest of the result of a completed conversion. */
  readonly result: string | null;
}

/** Exactly one of several concurrent requests starts a conversion. A failure is reported once. */
export async function findOrBegin(
  db: Db,
  queue: Enqueue,
  organizationId: string,
  making: Making,
): Promise<Conversion> {
  for (;;) {
    const known = await find(db, organizationId, making);
    if (known && known.status !== 'failed' && known.status !== 'cancelled') return known;
    const changed = known
      ? await forgetFailed(db, organizationId, known)
      : await begin(db, queue, organizationId, making);
    if (changed) return changed;
  }
}

async function find(db: Db, organizationId: string, making: Making): Promise<Conversion | undefined> {
  const { rows } = await sql<Conversion>`
    SELECT id, status, encode(result_sha256, 'hex') AS result FROM artifact_conversions
     WHERE organization_id = ${organizationId} AND source_digest = ${digestOf(making)} AND format = ${making.format}
  `.execute(db);
  return rows[0];
}

/**
 * Removes a failed conversion, so that the next request starts it again.
 * @returns undefined when another request was first
 */
async function forgetFailed(
  db: Db,
  organizationId: string,
  { id }: Conversion,
): Promise<Conversion | undefined> {
  const forgotten = await db
    .deleteFrom('artifact_conversions')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('status', 'in', ['failed', 'cancelled'])
    .returning('id')
    .executeTakeFirst();
  return forgotten && { id, status: 'failed', result: null };
}

/** @returns undefined when another request was first */
async function begin(
  db: Db,
  queue: Enqueue,
  organizationId: string,
  making: Making,
): Promise<Conversion | undefined> {
  const id = uuidv7();
  return transaction(db, async (trx) => {
    const values = {
      organization_id: organizationId,
      id,
      source_digest: digestOf(making),
      source_sha256s: digestsOf(making).map((sha256) => Buffer.from(sha256, 'hex')),
      format: making.format,
      source: JSON.stringify(making.source),
    };
    const begun = await trx
      .insertInto('artifact_conversions')
      .values(values)
      .onConflict((conflict) => conflict.constraint('artifact_conversions_source_key').doNothing())
      .returning('id')
      .executeTakeFirst();
    if (!begun) return undefined;
    await queue.enqueue(trx, CONVERSION, { organizationId, id });
    return { id, status: 'queued', result: null };
  });
}

const BATCH = 1_000;

/**
 * Removes conversions in any state whose content no version has used for an hour; their results become unused. The source blobs are not
 * deleted before.
 */
export async function forgetConversions(db: Db): Promise<number> {
  for (let all = 0; ; ) {
    const forgotten = await transaction(db, async (trx) => {
      const { rows } = await sql<{ organization_id: string; result_sha256: Buffer | null }>`
        WITH gone AS (
          SELECT c.organization_id, c.id
            FROM artifact_blobs b /* of every organization */
            JOIN artifact_conversions c ON c.organization_id = b.organization_id AND c.source_sha256s @> ARRAY[b.sha256]
           WHERE b.unused_since < now() - interval '1 hour'
             AND NOT EXISTS (SELECT FROM artifact_files f
                              WHERE f.organization_id = b.organization_id AND f.sha256 = b.sha256)
           LIMIT ${BATCH})
        DELETE FROM artifact_conversions c USING gone g WHERE c.organization_id = g.organization_id AND c.id = g.id
        RETURNING c.organization_id, c.result_sha256
      `.execute(trx);
      await sql`
        UPDATE artifact_blobs b /* of every organization */ SET unused_since = now()
          FROM unnest(${rows.map((row) => row.organization_id)}::uuid[], ${rows.map((row) => row.result_sha256)}::bytea[])
               AS result (organization_id, sha256)
         WHERE b.organization_id = result.organization_id AND b.sha256 = result.sha256
      `.execute(trx);
      return rows.length;
    });
    all += forgotten;
    if (forgotten < BATCH) return all;
  }
}
