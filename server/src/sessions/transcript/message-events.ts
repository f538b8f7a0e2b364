/** Message events of a session's live tail: an event holds sequence numbers, and its reader gets the messages stored under them. */
import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../platform/db/connect.ts';
import { notFound } from '../../platform/errors.ts';
import {
  type EventFeed,
  MAX_EVENT_BYTES,
  type NewEvent,
  type StoredEvent,
} from '../../platform/events/event-log.ts';
import type { EventTypes } from '../../platform/http/operations.ts';
import { SessionStateEvent } from '../events.ts';
import { getSessionRow } from '../lookup.ts';
import type { Viewer } from '../visibility.ts';
import type { NewMessage } from './insert-messages.ts';
import { MESSAGE_COLUMNS, type MessageRow, STORED_COLUMNS, toMessage } from './read-messages.ts';
import { StoredMessage } from './schema.ts';

const Seq = z.int();

/** Schema of the data of each event type, as returned to readers. */
export const SESSION_EVENTS = {
  messages: z
    .object({ first_seq: Seq, last_seq: Seq, messages: z.array(StoredMessage) })
    .meta({ id: 'SessionMessagesEvent' })
    .describe('Stored in this order; those that were rewound since are left out'),
  session: SessionStateEvent,
  compacted: z
    .object({ up_to_seq: Seq, summary_seq: Seq, era: z.int() })
    .meta({ id: 'SessionCompactedEvent' }),
  rewound: z
    .object({ from_seq: Seq, deleted_count: z.int(), target_seq: Seq })
    .meta({ id: 'SessionRewoundEvent' }),
} satisfies EventTypes;

/** Stored form of a `messages` event. Together with the rewind count, a sequence number identifies one message forever. */
const Kept = z.object({ first_seq: Seq, last_seq: Seq, rewind_count: z.int() });

/** Bytes of a message in a response, without its texts. */
const MESSAGE_FRAME_BYTES = 300;

/** Splits large appends into several events: readers receive whole events, and a page of events must fit into the memory budget. */
export function toMessageEvents(
  messages: readonly NewMessage[],
  firstSeq: number,
  rewindCount: number,
): NewEvent[] {
  const events: NewEvent[] = [];
  let first = 0;
  let bytes = 0;
  const end = (next: number) => {
    if (next === first) return;
    const data = { first_seq: firstSeq + first, last_seq: firstSeq + next - 1, rewind_count: rewindCount };
    events.push({ type: 'messages', data, contentBytes: bytes });
    first = next;
    bytes = 0;
  };
  for (const [index, message] of messages.entries()) {
    const size = sizeOf(message);
    if (bytes + size > MAX_EVENT_BYTES) end(index);
    bytes += size;
  }
  end(messages.length);
  return events;
}

const sizeOf = ({ content, tool_calls, metadata }: NewMessage) =>
  MESSAGE_FRAME_BYTES + Buffer.byteLength(content) + jsonSize(tool_calls) + jsonSize(metadata);

const jsonSize = (value: object | null | undefined) => (value ? Buffer.byteLength(JSON.stringify(value)) : 0);

export async function getFeed(db: Db, viewer: Viewer, given: string): Promise<EventFeed> {
  const { id, created_at } = await getSessionRow(db, viewer, given);
  const { organizationId } = viewer;
  const session = { organizationId, sessionId: id, createdAt: created_at };
  return {
    organizationId,
    streamId: id,
    history: Date.parse(created_at).toString(36),
    fill: (events) => fillEvents(db, session, events),
  };
}

interface NotifiedSession {
  readonly organizationId: string;
  readonly sessionId: string;
  /** Distinguishes the session from a later one with the same id. */
  readonly createdAt: string;
}

/**
 * Adds the messages to the events. The same statement checks, after the events were read, that the session still exists: then neither
 * events nor messages belong to a later session of the same id, which may have another owner.
 */
export async function fillEvents(
  db: Db,
  { organizationId, sessionId, createdAt }: NotifiedSession,
  events: readonly StoredEvent[],
): Promise<StoredEvent[]> {
  const kept = events.flatMap(({ type, data }) => (type === 'messages' ? Kept.parse(data) : []));
  const seqs = kept.flatMap(numbersOf);
  const rewindCounts = kept.flatMap((event) => numbersOf(event).map(() => event.rewind_count));
  const { rows } = await sql<MessageRow & { readonly rewind_count: number | null }>`
    SELECT ${MESSAGE_COLUMNS}, m.rewind_count
      FROM sessions AS s
      LEFT JOIN (
        unnest(${seqs}::integer[], ${rewindCounts}::integer[]) AS w (seq, rewind_count)
        CROSS JOIN LATERAL (
          SELECT ${STORED_COLUMNS}, m.rewind_count FROM session_messages AS m
           WHERE m.organization_id = ${organizationId} AND m.session_id = ${sessionId} AND m.seq = w.seq
             AND m.rewind_count = w.rewind_count
           LIMIT 1 -- one by one: the session may be very long
        ) AS m) ON true
     WHERE s.organization_id = ${organizationId} AND s.id = ${sessionId} AND s.created_at = ${createdAt}`.execute(
    db,
  );
  if (rows.length === 0) throw notFound('The session of these events');
  const messages = new Map(
    rows.flatMap((row) =>
      row.rewind_count === null ? [] : [[`${row.rewind_count}/${row.seq}`, toMessage(row)]],
    ),
  );
  return events.map((event) => {
    if (event.type !== 'messages') return event;
    const { first_seq, last_seq, rewind_count } = Kept.parse(event.data);
    const stored = numbersOf({ first_seq, last_seq }).flatMap(
      (seq) => messages.get(`${rewind_count}/${seq}`) ?? [],
    );
    return { ...event, data: { first_seq, last_seq, messages: stored } };
  });
}

const numbersOf = ({ first_seq, last_seq }: { readonly first_seq: number; readonly last_seq: number }) =>
  Array.from({ length: last_seq - first_seq + 1 }, (_, index) => first_seq + index);
