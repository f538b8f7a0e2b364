/** Multipart uploads: each part has a blob until it becomes part of an object or is dropped. */
import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { type Trx, transaction } from '../../db/transaction.ts';
import { uuidv7 } from '../../uuid.ts';
import { inBatchesOfBlobs } from './blobs/blob-batches.ts';
import { rangeUnder } from './objects/key-range.ts';
import { isLate, ObjectIndex } from './objects/object-index.ts';
import {
  type Blob,
  type ChecksumAlgorithm,
  type ChecksumType,
  type Description,
  type NewObject,
  NoSuchUpload,
  PartChanged,
  type ServedHeaders,
  type StoredObject,
  TooLate,
  type WriteCondition,
  type WrittenBlob,
} from './stored-object.ts';
import { listUploads, type UploadPage, type UploadQuery } from './upload-listing.ts';

export interface NewUpload extends Description {
  readonly key: string;
  readonly checksumAlgorithm?: ChecksumAlgorithm | undefined;
  readonly checksumType?: ChecksumType | undefined;
}

export interface Upload extends NewUpload {
  readonly id: string;
  readonly createdAt: Date;
}

export interface Part {
  readonly partNumber: number;
  readonly blob: Blob;
  /** Hexadecimal. */
  readonly md5: string;
  /** Base64, in the upload's algorithm. */
  readonly checksum: string | undefined;
  readonly updatedAt: Date;
}

export interface PartOptions {
  readonly checksum?: string | undefined;
  /** Time until which the blob certainly exists. */
  readonly deadline?: Date | undefined;
}

type UploadRef = Pick<Upload, 'id' | 'key'>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export class Uploads {
  private readonly db: Db;

  constructor(db: Db) {
    this.db = db;
  }

  async create(upload: NewUpload): Promise<Upload> {
    const id = uuidv7();
    const { created_at } = await this.db
      .insertInto('object_uploads')
      .values({
        id,
        key: upload.key,
        headers: JSON.stringify(upload.headers),
        metadata: JSON.stringify(upload.metadata),
        checksum_algorithm: upload.checksumAlgorithm ?? null,
        checksum_type: upload.checksumType ?? null,
      })
      .returning('created_at')
      .executeTakeFirstOrThrow();
    return { ...upload, id, createdAt: new Date(created_at) };
  }

  async find(id: string, key: string): Promise<Upload | undefined> {
    if (!UUID.test(id)) return undefined;
    const row = await this.db
      .selectFrom('object_uploads')
      .select(['headers', 'metadata', 'checksum_algorithm', 'checksum_type', 'created_at'])
      .where('id', '=', id)
      .where('key', '=', key)
      .executeTakeFirst();
    return (
      row && {
        id,
        key,
        headers: row.headers as ServedHeaders,
        metadata: row.metadata as Record<string, string>,
        checksumAlgorithm: (row.checksum_algorithm as ChecksumAlgorithm | null) ?? undefined,
        checksumType: row.checksum_type ?? undefined,
        createdAt: new Date(row.created_at),
      }
    );
  }

  /** Writes or replaces the part of that number. Throws NoSuchUpload when the upload has ended, or TooLate: then the blob has no owner. */
  async putPart(
    { id, key }: UploadRef,
    partNumber: number,
    blob: WrittenBlob,
    { checksum, deadline }: PartOptions = {},
  ): Promise<void> {
    // The lock keeps the upload from ending between the check and the new row, and does not block other parts.
    const { rows } = await sql<{ is_late: boolean; is_written: boolean }>`
      WITH upload AS (SELECT id FROM object_uploads WHERE id = ${id} AND key = ${key} FOR KEY SHARE),
      ${isLate(deadline)},
      written AS (
        INSERT INTO object_upload_parts (upload_id, part_number, blob_id, size_bytes, md5, checksum)
        SELECT id, ${partNumber}::integer, ${blob.id}::uuid, ${blob.sizeBytes}::bigint, ${blob.md5}::text,
               ${checksum}::text
          FROM upload, now_is WHERE NOT now_is.late
        ON CONFLICT (upload_id, part_number) DO UPDATE
          SET blob_id = excluded.blob_id, size_bytes = excluded.size_bytes, md5 = excluded.md5,
              checksum = excluded.checksum, updated_at = clock_timestamp()
        RETURNING part_number)
      SELECT late AS is_late, EXISTS (SELECT FROM written) AS is_written FROM now_is`.execute(this.db);
    if (rows[0]?.is_late) throw new TooLate(`the content of part ${partNumber} was written too long ago`);
    if (!rows[0]?.is_written) throw new NoSuchUpload(`there is no upload ${id} of ${key}`);
  }

  async listParts(
    { id }: UploadRef,
    { after = 0, limit }: { after?: number | undefined; limit: number },
  ): Promise<Part[]> {
    const rows = await this.db
      .selectFrom('object_upload_parts')
      .select(['part_number', 'blob_id', 'size_bytes', 'md5', 'checksum', 'updated_at'])
      .where('upload_id', '=', id)
      .where('part_number', '>', after)
      .orderBy('part_number')
      .limit(limit)
      .execute();
    return rows.map((row) => ({
      partNumber: row.part_number,
      blob: { id: row.blob_id, sizeBytes: row.size_bytes },
      md5: row.md5,
      checksum: row.checksum ?? undefined,
      updatedAt: new Date(row.updated_at),
    }));
  }

  list(query: UploadQuery): Promise<UploadPage> {
    return listUploads(this.db, query);
  }

  /**
   * Makes an object of the named parts in this order and drops the others. Throws NoSuchUpload, PartChanged and ConditionFailed, each of
   * which leaves the upload unchanged.
   */
  complete(
    upload: Upload,
    parts: readonly Part[],
    { etag, checksum }: Pick<NewObject, 'etag' | 'checksum'>,
    condition?: WriteCondition,
  ): Promise<StoredObject> {
    const { id, key, headers, metadata } = upload;
    const blobs = parts.map(({ blob }) => blob).filter(({ sizeBytes }) => sizeBytes > 0);
    return transaction(this.db, async (trx) => {
      await lockUpload(trx, upload);
      await requireSameParts(trx, upload, parts);
      const object = { key, blobs, etag, headers, metadata, checksum };
      // Deletes the upload first; otherwise the bytes would count twice against the quota.
      await trx.deleteFrom('object_uploads').where('id', '=', id).execute();
      const stored = await new ObjectIndex(trx).put(object, condition);
      // All parts are recorded as dropped now; these have a new owner.
      await sql`DELETE FROM dropped_blobs WHERE id = ANY (${blobs.map((blob) => blob.id)}::uuid[])`.execute(
        trx,
      );
      return stored;
    });
  }

  /** @returns whether the upload existed */
  async abort(id: string, key: string): Promise<boolean> {
    if (!UUID.test(id)) return false;
    const { numDeletedRows } = await this.db
      .deleteFrom('object_uploads')
      .where('id', '=', id)
      .where('key', '=', key)
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  }

  /**
   * Aborts at most this many uploads.
   * @returns the number found
   */
  async abortUnder(prefix: string, limit: number): Promise<number> {
    const { from, to } = rangeUnder(prefix);
    const { rows } = await sql<CountedUpload>`
      SELECT u.id, (SELECT count(*) FROM object_upload_parts p WHERE p.upload_id = u.id) AS blobs
        FROM object_uploads u
       WHERE u.key >= ${from} AND u.key < ${to}
       ORDER BY u.key, u.id LIMIT ${limit}`.execute(this.db);
    for (const some of inBatchesOfBlobs(rows)) await abortUploads(this.db, some);
    return rows.length;
  }
}

export interface CountedUpload {
  readonly id: string;
  /** Number of parts. */
  readonly blobs: number;
}

/** Locks uploads in the order of their ids, so that two processes that abort the same ones do not deadlock. */
export async function abortUploads(db: Db, uploads: readonly CountedUpload[]): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    DELETE FROM object_uploads WHERE id IN (
      SELECT id FROM object_uploads WHERE id = ANY (${uploads.map(({ id }) => id)}::uuid[])
       ORDER BY id FOR UPDATE)`.execute(db);
  return Number(numAffectedRows);
}

async function lockUpload(trx: Trx, { id, key }: UploadRef): Promise<void> {
  const { rows } = await sql`
    SELECT id FROM object_uploads WHERE id = ${id} AND key = ${key} FOR UPDATE`.execute(trx);
  if (rows.length === 0) throw new NoSuchUpload(`there is no upload ${id} of ${key}`);
}

/** A part that was replaced since it was read has another blob, and the old one may be removed at any moment. */
async function requireSameParts(trx: Trx, { id }: UploadRef, parts: readonly Part[]): Promise<void> {
  const rows = await trx
    .selectFrom('object_upload_parts')
    .select(['part_number', 'blob_id'])
    .where('upload_id', '=', id)
    .execute();
  const blobIds = new Map(rows.map(({ part_number, blob_id }) => [part_number, blob_id]));
  const changed = parts.find(({ partNumber, blob }) => blobIds.get(partNumber) !== blob.id);
  if (changed) throw new PartChanged(`part ${changed.partNumber} of upload ${id} is not as it was`);
}
