/** The index of objects and of the blobs with their content. */
import { sql } from 'kysely';
import type { Db } from '../../../db/connect.ts';
import { prepared } from '../../../db/prepared.ts';
import { inBatchesOfBlobs } from '../blobs/blob-batches.ts';
import {
  type ChecksumAlgorithm,
  type ChecksumType,
  ConditionFailed,
  type NewObject,
  type ServedHeaders,
  type StoredObject,
  TooLate,
  type WriteCondition,
} from '../stored-object.ts';
import { rangeUnder } from './key-range.ts';
import { type ListPage, type ListQuery, listObjects } from './object-listing.ts';

export class ObjectIndex {
  private readonly db: Db;

  constructor(db: Db) {
    this.db = db;
  }

  async find(key: string): Promise<StoredObject | undefined> {
    const [row] = await findObject(this.db, { key });
    return row && toStoredObject(key, row.columns);
  }

  /**
   * Writes in one statement, so that each of two concurrent writers replaces everything or nothing; the replaced content is recorded as
   * dropped in the same statement. Throws ConditionFailed and TooLate.
   * @param deadline time until which the blobs certainly exist
   */
  async put(object: NewObject, condition?: WriteCondition, deadline?: Date): Promise<StoredObject> {
    const sizeBytes = object.blobs.reduce((sum, blob) => sum + blob.sizeBytes, 0);
    const { rows } = await sql<{ is_late: boolean; updated_at: string | null }>`
      WITH ${isLate(deadline)}, written AS (${writeStatement(object, sizeBytes, condition)})
      SELECT late AS is_late, (SELECT updated_at FROM written) AS updated_at FROM now_is`.execute(this.db);
    const [row] = rows;
    if (row?.is_late) throw new TooLate(`the content of ${object.key} was written too long ago`);
    if (!row?.updated_at) throw new ConditionFailed(`the condition on ${object.key} does not hold`);
    return { ...object, sizeBytes, updatedAt: new Date(row.updated_at) };
  }

  /** Deleting a missing key succeeds. */
  async delete(keys: readonly string[]): Promise<void> {
    if (keys.length === 1) return this.deleteAtOnce(keys);
    const { rows } = await sql<CountedObject>`
      SELECT key, cardinality(blob_ids) AS blobs FROM stored_objects
       WHERE key = ANY (${keys}::text[])`.execute(this.db);
    await this.deleteCounted(rows);
  }

  private async deleteCounted(objects: readonly CountedObject[]): Promise<void> {
    for (const some of inBatchesOfBlobs(objects)) await this.deleteAtOnce(some.map(({ key }) => key));
  }

  /** Locks rows in the order of their keys, so that concurrent deletions may wait but never deadlock. */
  private async deleteAtOnce(keys: readonly string[]): Promise<void> {
    await sql`
      DELETE FROM stored_objects WHERE key IN (
        SELECT key FROM stored_objects WHERE key = ANY (${keys}::text[]) ORDER BY key FOR UPDATE)
    `.execute(this.db);
  }

  /**
   * Deletes at most this many objects.
   * @returns the number found
   */
  async deleteUnder(prefix: string, limit: number): Promise<number> {
    const { from, to } = rangeUnder(prefix);
    const { rows } = await sql<CountedObject>`
      SELECT key, cardinality(blob_ids) AS blobs FROM stored_objects
       WHERE key >= ${from} AND key < ${to} ORDER BY key LIMIT ${limit}`.execute(this.db);
    await this.deleteCounted(rows);
    return rows.length;
  }

  list(query: ListQuery): Promise<ListPage> {
    return listObjects(this.db, query);
  }
}

interface CountedObject {
  readonly key: string;
  readonly blobs: number;
}

/** Columns in the order of the statement below. */
type Columns = readonly [
  blobIds: readonly string[],
  blobSizes: readonly number[],
  sizeBytes: number,
  etag: string,
  headers: ServedHeaders,
  metadata: Readonly<Record<string, string>>,
  checksumAlgorithm: ChecksumAlgorithm | null,
  checksumType: ChecksumType | null,
  checksum: string | null,
  updatedAt: string,
];

/** Returns one JSON text: parsing eleven columns would cost half as much as the rest of the query. */
const findObject = prepared<{ key: string }, { readonly columns: Columns }>((db, value) =>
  db
    .selectFrom('stored_objects')
    .select(
      sql<Columns>`json_build_array(blob_ids, blob_sizes, size_bytes, etag, headers, metadata,
        checksum_algorithm, checksum_type, checksum, updated_at)`.as('columns'),
    )
    .where('key', '=', value('key')),
);

function toStoredObject(key: string, columns: Columns): StoredObject {
  const [ids, sizes, sizeBytes, etag, headers, metadata, algorithm, type, value, updatedAt] = columns;
  return {
    key,
    blobs: ids.map((id, index) => ({ id, sizeBytes: sizes[index] ?? 0 })),
    sizeBytes,
    etag,
    headers,
    metadata,
    checksum: algorithm && type && value ? { algorithm, type, value } : undefined,
    updatedAt: new Date(updatedAt),
  };
}

const COLUMNS = sql.raw(
  'blob_ids, blob_sizes, size_bytes, etag, headers, metadata, checksum_algorithm, checksum_type, checksum',
);

/** Computes `now_is.late` from the clock at the start of the statement: waiting for a lock afterwards takes seconds at most. */
export const isLate = (deadline: Date | undefined) =>
  sql`now_is AS (SELECT clock_timestamp() >= ${deadline?.toISOString() ?? 'infinity'}::timestamptz AS late)`;

function writeStatement(object: NewObject, sizeBytes: number, condition: WriteCondition | undefined) {
  const { key, blobs, etag, headers, metadata, checksum } = object;
  const values = sql`
    ${blobs.map(({ id }) => id)}::uuid[], ${blobs.map((blob) => blob.sizeBytes)}::bigint[], ${sizeBytes}::bigint,
    ${etag}::text, ${JSON.stringify(headers)}::jsonb, ${JSON.stringify(metadata)}::jsonb,
    ${checksum?.algorithm}::text, ${checksum?.type}::text, ${checksum?.value}::text`;
  if (condition && 'ifMatch' in condition) {
    return sql`
      UPDATE stored_objects SET (${COLUMNS}, updated_at) = ROW (${values}, clock_timestamp())
        FROM now_is WHERE NOT late AND key = ${key} AND etag = ${condition.ifMatch}
      RETURNING updated_at`;
  }
  return sql`
    INSERT INTO stored_objects AS o (key, ${COLUMNS})
    SELECT ${key}::text, ${values} FROM now_is WHERE NOT late
    ON CONFLICT (key) ${condition ? sql`DO NOTHING` : REPLACE}
    RETURNING o.updated_at`;
}

/** Reads the clock after the row is locked, so that the later of two writers has the later time. */
const REPLACE = sql`
  DO UPDATE SET blob_ids = excluded.blob_ids, blob_sizes = excluded.blob_sizes, size_bytes = excluded.size_bytes,
    etag = excluded.etag, headers = excluded.headers, metadata = excluded.metadata,
    checksum_algorithm = excluded.checksum_algorithm, checksum_type = excluded.checksum_type,
    checksum = excluded.checksum, updated_at = clock_timestamp()`;
