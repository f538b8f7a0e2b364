/** The events of a resource: appended in the writer's own transaction, read in the one order that all readers see. */
import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import type { Trx } from '../db/transaction.ts';
import { ApiError } from '../errors.ts';

/** A stream has the id of the resource whose events it holds. */
export interface EventStreamId {
  readonly organizationId: string;
  readonly streamId: string;
}

export interface NewEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Bytes of content that is stored elsewhere and filled in when the event is read: they count toward the page size. */
  readonly contentBytes?: number;
}

export interface StoredEvent extends Pick<NewEvent, 'type' | 'data'> {
  readonly seq: number;
  readonly created_at: string;
}

/** A stream as readers see it. */
export interface EventFeed extends EventStreamId {
  /** Distinguishes the resource from an earlier one with the same id; consists of letters and digits. */
  readonly history?: string;
  /**
   * Converts events that refer to content stored elsewhere into what readers get, in the same order. Fails if the resource no longer
   * exists, since the events may belong to another one that has its id now.
   */
  readonly fill?: (events: readonly StoredEvent[]) => Promise<readonly StoredEvent[]>;
}

export interface EventPage {
  readonly events: readonly StoredEvent[];
  /** Number of the last event of the whole stream, read in the same snapshot. */
  readonly lastSeq: number;
  readonly isClosed: boolean;
}

export const NOTIFY_CHANNEL = 'drydock_events';

/** Maximum size of an event, and of one page, so that a reader's memory stays bounded. */
export const MAX_EVENT_BYTES = 256 * 1024;

/** On the wire the type is a line of its own, and `error` is reserved for the reason why the stream itself has ended. */
const typePattern = /^(?!error$)[a-z][a-z0-9_.]{0,63}$/;

/**
 * Appends events with one statement, since it holds the stream's lock until the commit. Numbers are assigned under that lock: no number
 * becomes visible before a smaller one, and a rollback leaves no gap.
 * @returns the number of the stream's last event
 */
export async function appendEvents(
  trx: Trx,
  { organizationId, streamId }: EventStreamId,
  events: readonly NewEvent[],
  { close = false }: { readonly close?: boolean } = {},
): Promise<number> {
  const types = events.map(({ type }) => requireType(type));
  const data = events.map((event) => toStorableText(event));
  const contentBytes = events.map((event) => event.contentBytes ?? 0);
  const hasNews = close || events.length > 0;
  const { rows } = await sql<{ last_seq: number }>`
    WITH stream AS (
      INSERT INTO event_streams AS s (organization_id, id, last_seq, closed_at)
      VALUES (${organizationId}, ${streamId}, ${events.length}, CASE WHEN ${close} THEN now() END)
      ON CONFLICT (organization_id, id) DO UPDATE
        SET last_seq = s.last_seq + excluded.last_seq, closed_at = excluded.closed_at
        WHERE s.closed_at IS NULL
      RETURNING organization_id, id, last_seq, watched_until
    ), appended AS (
      INSERT INTO events (organization_id, stream_id, seq, type, data, size_bytes)
      SELECT organization_id, id, last_seq - ${events.length} + e.place, e.type, e.data,
             octet_length(e.data::text) + e.content_bytes
        FROM stream, unnest(${types}::text[], ${data}::jsonb[], ${contentBytes}::integer[])
                       WITH ORDINALITY AS e (type, data, content_bytes, place)
    )
    SELECT last_seq,
           CASE WHEN ${hasNews} AND watched_until > now()
                THEN pg_notify(${NOTIFY_CHANNEL}, ${`${organizationId}/${streamId}`}) END
      FROM stream`.execute(trx);
  const [stream] = rows;
  if (!stream) throw new ApiError('conflict_error', 'This has ended; nothing can be added to its events.');
  return stream.last_seq;
}

/** Deletes the events of a deleted resource, in its transaction, and notifies connected readers at once. */
export async function deleteStream(trx: Trx, { organizationId, streamId }: EventStreamId): Promise<void> {
  await sql`
    WITH gone AS (
      DELETE FROM event_streams WHERE organization_id = ${organizationId} AND id = ${streamId} RETURNING watched_until
    )
    SELECT pg_notify(${NOTIFY_CHANNEL}, ${`${organizationId}/${streamId}`}) FROM gone WHERE watched_until > now()`.execute(
    trx,
  );
}

/** Returns the events after `afterSeq`: at most `limit` events, and fewer if they are large. */
export async function listEvents(
  db: Db,
  { organizationId, streamId }: EventStreamId,
  afterSeq: number,
  limit: number,
): Promise<EventPage> {
  const rows = await db
    .selectFrom('event_streams as s')
    .leftJoinLateral(
      (join) =>
        join
          .selectFrom('events as e')
          .select(['e.seq', 'e.type', 'e.data', 'e.created_at'])
          .select(sql<number>`sum(e.size_bytes) OVER (ORDER BY e.seq) - e.size_bytes`.as('bytes_before'))
          .whereRef('e.organization_id', '=', 's.organization_id')
          .whereRef('e.stream_id', '=', 's.id')
          .where('e.seq', '>', afterSeq)
          .orderBy('e.seq')
          .limit(limit)
          .as('page'),
      // The first event is always included, however large.
      (join) => join.on('page.bytes_before', '<', MAX_EVENT_BYTES),
    )
    .select(['s.last_seq', 's.closed_at', 'page.seq', 'page.type', 'page.data', 'page.created_at'])
    .where('s.organization_id', '=', organizationId)
    .where('s.id', '=', streamId)
    .orderBy('page.seq')
    .execute();
  const [first] = rows;
  return {
    events: rows.flatMap(({ seq, type, data, created_at }) =>
      seq === null ? [] : ({ seq, type, data, created_at } as StoredEvent),
    ),
    lastSeq: first?.last_seq ?? 0,
    isClosed: first !== undefined && first.closed_at !== null,
  };
}

/** NUL and halves of surrogate pairs, which JSON writes as escapes and PostgreSQL does not take. */
const UNSTORABLE = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/gi;

function requireType(type: string): string {
  if (!typePattern.test(type)) throw new Error(`"${type}" is not a valid type of event`);
  return type;
}

function toStorableText({ type, data }: NewEvent): string {
  const text = JSON.stringify(data).replaceAll(UNSTORABLE, '$1\\ufffd');
  if (Buffer.byteLength(text) > MAX_EVENT_BYTES) {
    const detail = `The event "${type}" is larger than ${MAX_EVENT_BYTES} bytes; keep the content elsewhere.`;
    throw new ApiError('invalid_error', detail);
  }
  return text;
}
