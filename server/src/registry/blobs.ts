/**
 * The content of artifacts: stored once per organization, by its SHA-256, in the object storage. Content arrives through an upload, whose
 * prefix is recorded before anything is written, so that a cleanup finds leftovers whatever happens to the writer.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import type { CleanUp } from '../platform/clean-up.ts';
import type { Db } from '../platform/db/connect.ts';
import { type Trx, transaction } from '../platform/db/transaction.ts';
import { ApiError } from '../platform/errors.ts';
import type { ObjectStorage } from '../platform/object-storage/object-storage.ts';
import { REGISTRY_PREFIX } from '../platform/object-storage/prefixes.ts';
import { requireQuota } from '../platform/storage-limits/quotas.ts';
import { uuidv7 } from '../platform/uuid.ts';

/** Longer than any write to an upload may take, by the server or through a signed link. */
export const UPLOAD_HOURS = 24;

export interface Upload {
  readonly organizationId: string;
  readonly id: string;
}

/** An object in the storage that is not a blob yet. */
export interface StagedBlob {
  readonly object_key: string;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly size_bytes: number;
}

export interface StoredBlob {
  readonly object_key: string;
  readonly size_bytes: number;
}

/** Returns the prefix of all objects of an upload. */
export const uploadPrefix = ({ organizationId, id }: Upload) => `${REGISTRY_PREFIX}${organizationId}/${id}/`;

/** Returns a unique key within an upload. */
export const newObjectKey = (upload: Upload) => uploadPrefix(upload) + uuidv7();

/** @throws {StorageLimitError} when the organization has used up its quota */
export async function beginUpload(db: Db, organizationId: string, createdBy: string | null): Promise<Upload> {
  await requireQuota(db, organizationId, 'registry', 1);
  const id = uuidv7();
  await db
    .insertInto('registry_uploads')
    .values({
      organization_id: organizationId,
      id,
      created_by: createdBy,
      sweep_at: sql`now() + make_interval(hours => ${UPLOAD_HOURS})`,
    })
    .execute();
  return { organizationId, id };
}

/** @param options.sizeBytes size of the content, if known */
export async function stageBlob(
  storage: ObjectStorage,
  upload: Upload,
  body: Readable | Uint8Array,
  options: { readonly sizeBytes?: number } = {},
): Promise<StagedBlob> {
  const object_key = newObjectKey(upload);
  const digest = createHash('sha256');
  if (body instanceof Uint8Array) {
    await storage.put(object_key, body);
    return { object_key, sha256: digest.update(body).digest('hex'), size_bytes: body.length };
  }
  let size_bytes = 0;
  async function* counted(chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      digest.update(chunk);
      size_bytes += chunk.length;
      yield chunk;
    }
  }
  await storage.put(object_key, Readable.from(counted(body), { objectMode: false }), options);
  return { object_key, sha256: digest.digest('hex'), size_bytes };
}

/**
 * Makes staged objects blobs of the organization when the transaction commits. Content that exists already keeps its older object, and the
 * new one is deleted with the upload. Blobs are unused until `keepBlobs` is called for them: they are deleted after an hour, but not before
 * the upload ends.
 */
export async function adoptBlobs(trx: Trx, upload: Upload, staged: readonly StagedBlob[]): Promise<void> {
  const { organizationId, id } = upload;
  // The sweep of the upload waits for this lock: what it deletes has not become a blob and never will.
  const open = await trx
    .selectFrom('registry_uploads')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('is_closed', '=', false)
    .forShare()
    .executeTakeFirst();
  if (!open) throw new ApiError('conflict_error', 'The upload took too long and has ended. Begin again.');
  const bySha256 = new Map(staged.map((blob) => [blob.sha256, blob]));
  // Inserts in a fixed order, so that concurrent uploads of the same files do not deadlock.
  const blobs = [...bySha256.values()].toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
  await sql`
    INSERT INTO artifact_blobs (organization_id, sha256, size_bytes, upload_id, object_key)
    SELECT ${organizationId}, decode(sha256, 'hex'), size_bytes, ${id}, object_key
      FROM unnest(${blobs.map((blob) => blob.sha256)}::text[], ${blobs.map((blob) => blob.size_bytes)}::bigint[],
                  ${blobs.map((blob) => blob.object_key)}::text[]) AS t (sha256, size_bytes, object_key)
        ON CONFLICT (organization_id, sha256)
        DO UPDATE SET unused_since = CASE WHEN artifact_blobs.unused_since IS NOT NULL THEN now() END`.execute(
    trx,
  );
}

/**
 * Marks blobs as used.
 * @returns how many of them exist
 */
export async function keepBlobs(
  trx: Trx,
  organizationId: string,
  sha256s: readonly string[],
): Promise<number> {
  // All statements that change several blobs lock them in this order.
  const { rows } = await sql<{ count: number }>`
    WITH locked AS (
      SELECT sha256 FROM artifact_blobs
       WHERE organization_id = ${organizationId} AND sha256 = ANY(${toBytes(sha256s)}::bytea[])
       ORDER BY sha256 FOR NO KEY UPDATE),
    kept AS (
      UPDATE artifact_blobs b SET unused_since = NULL FROM locked
       WHERE b.organization_id = ${organizationId} AND b.sha256 = locked.sha256 AND b.unused_since IS NOT NULL)
    SELECT count(*) FROM locked`.execute(trx);
  return rows[0]?.count ?? 0;
}

/** Whether anything refers to the blob `b`. */
const IS_NEEDED = sql`(
  EXISTS (SELECT FROM artifact_files f WHERE f.organization_id = b.organization_id AND f.sha256 = b.sha256)
  OR EXISTS (SELECT FROM artifact_conversions c
              WHERE c.organization_id = b.organization_id AND c.result_sha256 = b.sha256))`;

/** Deletes objects that did not become blobs. The cleanup job continues after a crash. */
export async function endUpload(db: Db, storage: ObjectStorage, upload: Upload): Promise<void> {
  const { rows } = await sql<ClaimedUpload>`
    UPDATE registry_uploads SET is_closed = true, sweep_at = now() + make_interval(secs => ${LEASE_SECONDS})
     WHERE organization_id = ${upload.organizationId} AND id = ${upload.id}
    RETURNING organization_id, id, sweep_at`.execute(db);
  for (const claimed of rows) await sweepUpload(db, storage, claimed);
}

export async function findBlobs(
  db: Db,
  organizationId: string,
  sha256s: readonly string[],
): Promise<Map<string, StoredBlob>> {
  const { rows } = await sql<StoredBlob & { readonly sha256: string }>`
    SELECT encode(sha256, 'hex') AS sha256, object_key, size_bytes FROM artifact_blobs
     WHERE organization_id = ${organizationId} AND sha256 = ANY(${toBytes(sha256s)}::bytea[])`.execute(db);
  return new Map(rows.map(({ sha256, ...blob }) => [sha256, blob]));
}

/** The caller reads the stream to its end or destroys it. */
export async function openBlob(
  db: Db,
  storage: ObjectStorage,
  organizationId: string,
  sha256: string,
): Promise<Readable> {
  const blob = (await findBlobs(db, organizationId, [sha256])).get(sha256);
  const opened = blob && (await storage.open(blob.object_key));
  if (!opened) throw new Error(`Blob ${sha256} of organization ${organizationId} is not there`);
  return opened.body;
}

/** The order matters: deleting a blob leaves its object to the sweep of uploads. */
export function registryCleanUps(storage: ObjectStorage): CleanUp[] {
  return [
    { name: 'registry blobs', run: deleteUnusedBlobs },
    { name: 'registry uploads', run: (db) => sweepUploads(db, storage) },
  ];
}

/** Seconds for which a process exclusively sweeps an upload; after that, another may try. */
const LEASE_SECONDS = 600;
const BATCH = 1_000;

interface ClaimedUpload {
  readonly organization_id: string;
  readonly id: string;
  /** The time that the claim has set. */
  readonly sweep_at: string;
}

/** A failing upload does not block the others, because claiming it postpones its next turn. */
async function sweepUploads(db: Db, storage: ObjectStorage): Promise<number> {
  const failures: unknown[] = [];
  for (let count = 0; ; count++) {
    const claimed = await claimUpload(db);
    if (!claimed && failures.length > 0) throw failures[0];
    if (!claimed) return count;
    await sweepUpload(db, storage, claimed).catch((error: unknown) => failures.push(error));
  }
}

/** Claims the next upload that is due; undefined when there is none. */
async function claimUpload(db: Db): Promise<ClaimedUpload | undefined> {
  const { rows } = await sql<ClaimedUpload>`
    WITH due AS MATERIALIZED (
      SELECT organization_id, id FROM registry_uploads WHERE sweep_at <= now()
       ORDER BY sweep_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    UPDATE registry_uploads AS u /* of every organization */
       SET is_closed = true, sweep_at = now() + make_interval(secs => ${LEASE_SECONDS}) FROM due
     WHERE u.organization_id = due.organization_id AND u.id = due.id
    RETURNING u.organization_id, u.id, u.sweep_at`.execute(db);
  return rows[0];
}

/** Deletes the objects of a closed upload that are not blobs: none of them can become one any more. */
async function sweepUpload(db: Db, storage: ObjectStorage, claimed: ClaimedUpload): Promise<void> {
  const { organization_id, id, sweep_at } = claimed;
  const upload = { organizationId: organization_id, id };
  let keys: string[] = [];
  for await (const { key } of storage.list(uploadPrefix(upload))) {
    keys.push(key);
    if (keys.length < BATCH) continue;
    await deleteWhatIsNoBlob(db, storage, upload, keys);
    keys = [];
  }
  await deleteWhatIsNoBlob(db, storage, upload, keys);
  // A blob that was deleted during the sweep has changed the time: its object may have been skipped, so the row is still needed.
  await db
    .deleteFrom('registry_uploads')
    .where('organization_id', '=', organization_id)
    .where('id', '=', id)
    .where('sweep_at', '=', sweep_at)
    .execute();
}

async function deleteWhatIsNoBlob(db: Db, storage: ObjectStorage, upload: Upload, keys: readonly string[]) {
  if (keys.length === 0) return;
  const blobs = await db
    .selectFrom('artifact_blobs')
    .select('object_key')
    .where('organization_id', '=', upload.organizationId)
    .where('upload_id', '=', upload.id)
    .where('object_key', 'in', keys)
    .execute();
  const kept = new Set(blobs.map((blob) => blob.object_key));
  await storage.delete(keys.filter((key) => !kept.has(key)));
}

/**
 * Deletes blobs that have been unused for an hour and schedules a sweep of their uploads. A transaction that starts to use one of them has
 * changed its row, or fails on the foreign key, or makes this statement fail.
 * @returns how many rows were examined
 */
async function deleteUnusedBlobs(db: Db): Promise<number> {
  for (let all = 0; ; ) {
    const count = await deleteSomeUnusedBlobs(db);
    all += count;
    if (count < BATCH) return all;
  }
}

async function deleteSomeUnusedBlobs(db: Db): Promise<number> {
  return transaction(db, async (trx) => {
    const { rows } = await sql<{ count: number }>`
      WITH unused AS /* of every organization */ (
        SELECT b.organization_id, b.sha256,
               ${IS_NEEDED} AS is_needed
          FROM artifact_blobs b WHERE b.unused_since < now() - interval '1 hour'
           -- Who is about to complete it counts on them.
           AND NOT EXISTS (SELECT FROM registry_uploads u
                            WHERE u.organization_id = b.organization_id AND u.id = b.upload_id AND NOT u.is_closed)
           -- What something is made of goes after that.
           AND (EXISTS (SELECT FROM artifact_files f WHERE f.organization_id = b.organization_id AND f.sha256 = b.sha256)
             OR NOT EXISTS (SELECT FROM artifact_conversions c
                             WHERE c.organization_id = b.organization_id AND c.source_sha256s @> ARRAY[b.sha256]))
         ORDER BY b.unused_since LIMIT ${BATCH} FOR UPDATE OF b SKIP LOCKED),
      kept AS (
        UPDATE artifact_blobs b SET unused_since = NULL FROM unused u
         WHERE u.is_needed AND b.organization_id = u.organization_id AND b.sha256 = u.sha256),
      deleted AS (
        DELETE FROM artifact_blobs b USING unused u
         WHERE NOT u.is_needed AND b.organization_id = u.organization_id AND b.sha256 = u.sha256
        RETURNING b.organization_id, b.upload_id),
      ordered AS (
        INSERT INTO registry_uploads AS r (organization_id, id, sweep_at, is_closed)
        SELECT DISTINCT organization_id, upload_id, now(), true FROM deleted ORDER BY 1, 2
            ON CONFLICT (organization_id, id) DO UPDATE SET sweep_at = r.sweep_at + interval '1 millisecond')
      SELECT count(*) FROM unused`.execute(trx);
    return rows[0]?.count ?? 0;
  });
}

const toBytes = (sha256s: readonly string[]) => sha256s.map((sha256) => Buffer.from(sha256, 'hex'));
