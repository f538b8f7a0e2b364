/** Deletes the traces of a workspace under deletion, in portions, since one statement could not handle all. */
import { sql } from 'kysely';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { goByKeys, type PartKey, recountParts } from './recount.ts';
import { removeSpans } from './remove-spans.ts';

/** Maximum number of parts per portion, unless a single trace has more. */
const MAX_PARTS = 500;
const MAX_SPANS = 20_000;

interface Part extends PartKey {
  readonly first_start: string;
  readonly last_start: string;
  readonly span_count: number;
}

type Position = Pick<Part, 'first_start' | 'trace_id'>;

/** Traces that begin during the deletion are left, or it might never end: they are deleted with the workspace. */
export async function deleteAllTraces(db: Db, scope: WorkspaceScope): Promise<void> {
  const { organizationId, workspaceId } = scope;
  const upTo = new Date().toISOString();
  for (let after: Position | undefined = { first_start: '-infinity', trace_id: Buffer.alloc(0) }; after; ) {
    const parts: Part[] = await nextParts(db, scope, after, upTo);
    const starts = parts.flatMap((part) => [part.first_start, part.last_start]).toSorted();
    const where = sql`s.workspace_id = ${workspaceId} AND s.trace_id = ANY(${parts.map((part) => part.trace_id)})
      AND s.start_time BETWEEN ${starts[0]}::timestamptz AND ${starts.at(-1)}::timestamptz`;
    if (parts.length > 0) await removeSpans(db, { organizationId, table: 'spans', where });
    // Recounts parts even when no span was left.
    await transactionFor(db, scope, (trx) => recountParts(trx, parts));
    after = parts.at(-1);
  }
}

/**
 * Deletes the spans that arrived since, in the transaction that deletes the workspace. Every insertion of spans waits for the locked row of
 * the workspace. The parts are deleted with that row.
 */
export async function forgetSpans(trx: Trx, { organizationId, workspaceId }: WorkspaceScope): Promise<void> {
  await goByKeys(trx);
  await sql`
    DELETE FROM spans AS s USING sender_parts AS p
     WHERE p.organization_id = ${organizationId} AND p.workspace_id = ${workspaceId}
       AND s.organization_id = ${organizationId} AND s.trace_id = p.trace_id AND s.workspace_id = ${workspaceId}
       AND s.start_time BETWEEN p.first_start AND p.last_start`.execute(trx);
}

async function nextParts(
  db: Db,
  { organizationId, workspaceId }: WorkspaceScope,
  after: Position,
  upTo: string,
): Promise<Part[]> {
  const { rows } = await sql<Part>`
    SELECT p.organization_id, p.workspace_id, p.trace_id, p.user_id, p.session_id, p.project_id,
           p.first_start::text, p.last_start::text, p.span_count
      FROM sender_parts AS p
     WHERE p.organization_id IS NOT DISTINCT FROM ${organizationId} AND p.workspace_id = ${workspaceId}
       AND (p.first_start, p.trace_id) > (${after.first_start}::timestamptz, ${after.trace_id}::bytea)
       AND (p.first_start <= ${upTo}::timestamptz OR p.first_start > ${upTo}::timestamptz + interval '1 hour')
     ORDER BY p.first_start, p.trace_id FETCH FIRST ${sql.lit(MAX_PARTS)} ROWS WITH TIES`.execute(db);
  return toPortion(rows);
}

/** Keeps parts at one position together, since the next portion continues after it. */
function toPortion(parts: readonly Part[]): Part[] {
  let spans = 0;
  const end = parts.findIndex((part, index) => {
    const before = parts[index - 1];
    const isNext = before?.first_start !== part.first_start || !before.trace_id.equals(part.trace_id);
    if (isNext && spans >= MAX_SPANS) return true;
    spans += part.span_count;
    return false;
  });
  return parts.slice(0, end === -1 ? undefined : end);
}
