/** ListObjects: lists keys in order and groups those with the same part up to the delimiter. */
import { sql } from 'kysely';
import type { Db } from '../../../db/connect.ts';
import type { ChecksumAlgorithm, ChecksumType } from '../stored-object.ts';
import { firstBeyond, type KeyRange, rangeAfter } from './key-range.ts';

export interface ListQuery {
  readonly prefix: string;
  readonly delimiter?: string | undefined;
  /** Continues after this key, or after all keys with it if it is a common prefix. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface ListedObject {
  readonly key: string;
  readonly sizeBytes: number;
  readonly etag: string;
  readonly updatedAt: Date;
  readonly checksumAlgorithm: ChecksumAlgorithm | undefined;
  readonly checksumType: ChecksumType | undefined;
}

export interface ListPage {
  readonly objects: readonly ListedObject[];
  readonly commonPrefixes: readonly string[];
  /** Position of the next page, if there is one. */
  readonly next: string | undefined;
}

export async function listObjects(db: Db, query: ListQuery): Promise<ListPage> {
  if (query.limit <= 0) return { objects: [], commonPrefixes: [], next: undefined };
  const { delimiter } = query;
  const range = rangeAfter(query);
  const statement = delimiter
    ? walk({ ...query, delimiter }, range)
    : sql<Row>`
        SELECT key, NULL AS common_prefix, size_bytes, etag, updated_at, checksum_algorithm, checksum_type
          FROM stored_objects
         WHERE key >= ${range.from} AND key < ${range.to}
         ORDER BY key LIMIT ${query.limit + 1}`;
  const { rows } = await statement.execute(db);
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  return {
    objects: page.filter(({ common_prefix }) => common_prefix === null).map(toListedObject),
    commonPrefixes: page.flatMap(({ common_prefix }) => common_prefix ?? []),
    next: rows.length > page.length ? (last?.common_prefix ?? last?.key) : undefined,
  };
}

interface Row {
  readonly key: string;
  readonly common_prefix: string | null;
  readonly size_bytes: number;
  readonly etag: string;
  readonly updated_at: string;
  readonly checksum_algorithm: string | null;
  readonly checksum_type: ChecksumType | null;
}

/**
 * Each step is one index lookup: of the key after an object, or after all keys of a common prefix. So the cost depends on the size of the
 * response, not on the number of keys under common prefixes.
 */
function walk({ prefix, delimiter, limit }: ListQuery & { delimiter: string }, { from, to }: KeyRange) {
  // Keys are skipped one by one only if the delimiter consists of last characters, which have no successor.
  const beyond = firstBeyond(delimiter) ?? delimiter;
  return sql<Row>`
    WITH RECURSIVE walk AS (
      SELECT 0 AS step, ${from}::text COLLATE "C" AS "from", NULL::text COLLATE "C" AS common_prefix,
             NULL::text COLLATE "C" AS key, NULL::bigint AS size_bytes, NULL::text AS etag,
             NULL::timestamptz(3) AS updated_at, NULL::text AS checksum_algorithm, NULL::text AS checksum_type
      UNION ALL
      SELECT walk.step + 1,
             CASE WHEN cut.at = 0 THEN found.key || E'\\x01'
                  ELSE left(found.key, length(${prefix}) + cut.at - 1) || ${beyond} END,
             CASE WHEN cut.at > 0 THEN left(found.key, length(${prefix}) + cut.at + length(${delimiter}) - 1) END,
             found.key, found.size_bytes, found.etag, found.updated_at, found.checksum_algorithm, found.checksum_type
        FROM walk
       CROSS JOIN LATERAL (
               SELECT key, size_bytes, etag, updated_at, checksum_algorithm, checksum_type
                 FROM stored_objects
                WHERE key >= walk."from" AND key < ${to}
                  AND (walk.common_prefix IS NULL OR NOT starts_with(key, walk.common_prefix))
                ORDER BY key LIMIT 1) AS found
       CROSS JOIN LATERAL (SELECT strpos(substr(found.key, length(${prefix}) + 1), ${delimiter}) AS at) AS cut
       WHERE walk.step <= ${limit}
    )
    SELECT key, common_prefix, size_bytes, etag, updated_at, checksum_algorithm, checksum_type
      FROM walk WHERE step > 0 ORDER BY step`;
}

function toListedObject(row: Row): ListedObject {
  return {
    key: row.key,
    sizeBytes: row.size_bytes,
    etag: row.etag,
    updatedAt: new Date(row.updated_at),
    checksumAlgorithm: (row.checksum_algorithm as ChecksumAlgorithm | null) ?? undefined,
    checksumType: row.checksum_type ?? undefined,
  };
}
