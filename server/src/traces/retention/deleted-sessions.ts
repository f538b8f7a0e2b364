/** Deletes the spans that the owner of a session sent for it after the session was deleted. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { listDeletions, type SessionDeletion } from '../../sessions/service.ts';
import type { Clock } from './days.ts';
import { removeSpans } from './remove-spans.ts';

/** Maximum delay between a deletion's `deleted_at` and its commit. */
const OVERLAP_MS = 2 * 60_000;
/** Interval after which all deletions are checked again: programs may send spans after the session ended. */
const AGAIN_MS = 3_600_000;
const DELETIONS_PAGE = 500;
const TRACES_PAGE = 500;
const EVER = '-infinity';

export class SpansOfDeletedSessions {
  private readonly clock: Clock;
  /** Spans of sessions deleted before this time are already removed. */
  private since = EVER;
  private begunAt = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  async remove(db: Db): Promise<number> {
    const startedAt = (await this.clock(db)).getTime();
    if (startedAt - this.begunAt >= AGAIN_MS) {
      this.since = EVER;
      this.begunAt = startedAt;
    }
    let removed = 0;
    for (let after: SessionDeletion | undefined; ; ) {
      const page = await listDeletions(db, { since: this.since, after, limit: DELETIONS_PAGE });
      for (const deletion of await withSpans(db, page)) removed += await removeOf(db, deletion);
      after = page.at(-1);
      if (page.length < DELETIONS_PAGE) break;
    }
    this.since = new Date(startedAt - OVERLAP_MS).toISOString();
    return removed;
  }
}

/** Filters out sessions without spans, which are the majority. */
async function withSpans(db: Db, deletions: readonly SessionDeletion[]): Promise<SessionDeletion[]> {
  if (deletions.length === 0) return [];
  const { rows } = await sql<{ index: number }>`
    SELECT /* of every organization */ d.index::integer AS index
      FROM unnest(${deletions.map((d) => d.organization_id)}::uuid[], ${deletions.map((d) => d.session_id)}::uuid[],
                  ${deletions.map((d) => d.user_id)}::uuid[])
           WITH ORDINALITY AS d (organization_id, session_id, user_id, index)
     WHERE EXISTS (SELECT FROM sender_parts AS p
                    WHERE p.organization_id = d.organization_id AND p.session_id = d.session_id AND p.user_id = d.user_id)`.execute(
    db,
  );
  return rows.map(({ index }) => deletions[index - 1]).filter((deletion) => deletion !== undefined);
}

interface SomeTraces {
  readonly ids: Buffer[] | null;
  readonly last: Buffer | null;
  readonly first_start: string;
  readonly last_start: string;
}

async function removeOf(db: Db, deletion: SessionDeletion): Promise<number> {
  const {
    organization_id: organizationId,
    workspace_id,
    session_id,
    user_id,
    deleted_at,
    is_back,
  } = deletion;
  let removed = 0;
  for (let after: Buffer = Buffer.alloc(0); ; ) {
    const { ids, last, first_start, last_start } = await nextTraces(db, deletion, after);
    if (!ids || !last) return removed;
    // Spans that arrived after the deletion belong to the session that was saved again. Without such a session, all spans are removed.
    const isOld = is_back ? sql`s.received_at <= ${deleted_at}::timestamptz` : sql`true`;
    const where = sql`s.workspace_id = ${workspace_id} AND s.session_id = ${session_id} AND s.user_id = ${user_id}
      AND s.trace_id = ANY(${ids}) AND s.start_time BETWEEN ${first_start}::timestamptz AND ${last_start}::timestamptz AND ${isOld}`;
    removed += await removeSpans(db, { organizationId, table: 'spans', where });
    after = last;
  }
}

async function nextTraces(db: Db, deletion: SessionDeletion, after: Buffer): Promise<SomeTraces> {
  const { rows } = await sql<SomeTraces>`
    SELECT array_agg(DISTINCT n.trace_id) AS ids, (array_agg(n.trace_id ORDER BY n.trace_id DESC))[1] AS last,
           min(n.first_start)::text AS first_start, max(n.last_start)::text AS last_start
      FROM (SELECT p.trace_id, p.first_start, p.last_start FROM sender_parts AS p
             WHERE p.organization_id = ${deletion.organization_id} AND p.session_id = ${deletion.session_id}
               AND p.workspace_id = ${deletion.workspace_id} AND p.user_id = ${deletion.user_id} AND p.trace_id > ${after}
             ORDER BY p.trace_id FETCH FIRST ${sql.lit(TRACES_PAGE)} ROWS WITH TIES) AS n`.execute(db);
  return rows[0] ?? { ids: null, last: null, first_start: '', last_start: '' };
}
