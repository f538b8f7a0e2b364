/** ListMultipartUploads: lists uploads by key and then by age. */
import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { firstAfter, firstBeyond, rangeAfter } from './objects/key-range.ts';

export interface UploadQuery {
  readonly prefix: string;
  readonly delimiter?: string | undefined;
  /** Continues after this key, or after all keys with it if it is a common prefix. */
  readonly keyAfter?: string | undefined;
  /** If given, later uploads of that same key are included. */
  readonly uploadIdAfter?: string | undefined;
  readonly limit: number;
}

export interface ListedUpload {
  readonly id: string;
  readonly key: string;
  readonly createdAt: Date;
}

export interface UploadPage {
  readonly uploads: readonly ListedUpload[];
  readonly commonPrefixes: readonly string[];
  /** Position of the next page, if there is one. */
  readonly next: { readonly key: string; readonly uploadId: string | undefined } | undefined;
}

const NIL = '00000000-0000-0000-0000-000000000000';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Row {
  readonly key: string;
  readonly id: string;
  readonly common_prefix: string | null;
  readonly created_at: string;
}

export async function listUploads(db: Db, query: UploadQuery): Promise<UploadPage> {
  const { limit } = query;
  if (limit <= 0) return { uploads: [], commonPrefixes: [], next: undefined };
  const { rows } = await walk(query).execute(db);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    uploads: page
      .filter(({ common_prefix }) => common_prefix === null)
      .map(({ key, id, created_at }) => ({ key, id, createdAt: new Date(created_at) })),
    commonPrefixes: page.flatMap(({ common_prefix }) => common_prefix ?? []),
    next: last && rows.length > page.length ? toNext(last) : undefined,
  };
}

const toNext = ({ key, id, common_prefix }: Row) =>
  common_prefix === null ? { key, uploadId: id } : { key: common_prefix, uploadId: undefined };

/** Works like the listing of objects, but a key may have several uploads. */
function walk({ prefix, delimiter, keyAfter, uploadIdAfter = '', limit }: UploadQuery) {
  const { from, to } = rangeAfter({ prefix, delimiter, after: keyAfter });
  // The range includes the key itself if more of its uploads may follow.
  const isWithin = keyAfter !== undefined && firstAfter(keyAfter) === from && UUID.test(uploadIdAfter);
  const fromKey = isWithin ? keyAfter : from;
  const fromId = isWithin ? uploadIdAfter : NIL;
  const cutAt = delimiter === '' ? undefined : delimiter;
  const beyond = cutAt && (firstBeyond(cutAt) ?? cutAt);
  return sql<Row>`
    WITH RECURSIVE walk AS (
      SELECT 0 AS step, ${fromKey}::text COLLATE "C" AS from_key, ${fromId}::uuid AS from_id,
             NULL::text COLLATE "C" AS common_prefix, NULL::text COLLATE "C" AS key, NULL::uuid AS id,
             NULL::timestamptz(3) AS created_at
      UNION ALL
      SELECT walk.step + 1,
             CASE WHEN cut.at = 0 THEN found.key
                  ELSE left(found.key, length(${prefix}) + cut.at - 1) || ${beyond}::text END,
             CASE WHEN cut.at = 0 THEN found.id ELSE ${NIL}::uuid END,
             CASE WHEN cut.at > 0
                  THEN left(found.key, length(${prefix}) + cut.at + length(${cutAt}::text) - 1) END,
             found.key, found.id, found.created_at
        FROM walk
       CROSS JOIN LATERAL (
               SELECT key, id, created_at FROM object_uploads
                WHERE (key, id) > (walk.from_key, walk.from_id) AND key < ${to}
                  AND (walk.common_prefix IS NULL OR NOT starts_with(key, walk.common_prefix))
                ORDER BY key, id LIMIT 1) AS found
       CROSS JOIN LATERAL (
               SELECT coalesce(strpos(substr(found.key, length(${prefix}) + 1), ${cutAt}::text), 0) AS at) AS cut
       WHERE walk.step <= ${limit}
    )
    SELECT key, id, common_prefix, created_at FROM walk WHERE step > 0 ORDER BY step`;
}
