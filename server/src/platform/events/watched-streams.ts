/** The marks of watched streams in the database: the hub sets them, and writers read them. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import type { EventStreamId } from './event-log.ts';

export interface StreamHead extends EventStreamId {
  readonly lastSeq: number;
  readonly isClosed: boolean;
}

/**
 * Waits for a writer that holds the stream's lock, so that afterwards every writer either has committed or will see the mark. A missing row
 * is created, so that the first event is notified too.
 */
export async function markWatched(db: Db, stream: EventStreamId, seconds: number): Promise<void> {
  await sql`
    INSERT INTO event_streams (organization_id, id, watched_until)
    VALUES (${stream.organizationId}, ${stream.streamId}, ${until(seconds)})
    ON CONFLICT (organization_id, id) DO UPDATE SET watched_until = excluded.watched_until`.execute(db);
}

/** Removes the mark of a stream without events. Other readers that still watch it find the first event by polling. */
export async function forgetUnused(db: Db, stream: EventStreamId): Promise<void> {
  await sql`
    DELETE FROM event_streams
     WHERE organization_id = ${stream.organizationId} AND id = ${stream.streamId}
       AND last_seq = 0 AND closed_at IS NULL`.execute(db);
}

/** Skips rows that a writer has locked: waiting for several locks at once could cause a deadlock, and the next round follows soon. */
export async function renewWatched(
  db: Db,
  streams: readonly EventStreamId[],
  seconds: number,
): Promise<EventStreamId[]> {
  const { rows } = await sql<EventStreamId>`
    UPDATE event_streams SET watched_until = ${until(seconds)}
     WHERE (organization_id, id) IN (
       SELECT s.organization_id, s.id
         FROM event_streams s JOIN ${toTable(streams)}
           ON s.organization_id = w.organization_id AND s.id = w.id
          FOR UPDATE OF s SKIP LOCKED)
    RETURNING organization_id AS "organizationId", id AS "streamId"`.execute(db);
  return rows;
}

export async function listHeads(db: Db, streams: readonly EventStreamId[]): Promise<StreamHead[]> {
  const { rows } = await sql<StreamHead>`
    SELECT s.organization_id AS "organizationId", s.id AS "streamId",
           s.last_seq AS "lastSeq", s.closed_at IS NOT NULL AS "isClosed"
      FROM event_streams s JOIN ${toTable(streams)}
        ON s.organization_id = w.organization_id AND s.id = w.id`.execute(db);
  return rows;
}

const until = (seconds: number) => sql`now() + make_interval(secs => ${seconds})`;

function toTable(streams: readonly EventStreamId[]): RawBuilder<unknown> {
  const organizations = streams.map(({ organizationId }) => organizationId);
  const ids = streams.map(({ streamId }) => streamId);
  return sql`unnest(${organizations}::uuid[], ${ids}::uuid[]) AS w (organization_id, id)`;
}
