/** Transcripts may be very long: reads and lookups cost the same as in a short one. */
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { countBlocks, explainWork } from '../../../test/query-plans.ts';
import type { Db } from '../../platform/db/connect.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { fillEvents } from './message-events.ts';
import { withTranscript } from './state.ts';
import { getTranscript } from './transcript-page.ts';

const server = await startTestServer();
const { owner, db } = server;
const organizationId: string = (await server.as(owner).get('/org/main')).body.id;
const workspaceId: string = (await server.as(owner).get('/org/main/ws/main')).body.id;
const principal = { userId: owner.id, isPlatformAdmin: false, apiKey: undefined, loginId: undefined };
const viewer = { organizationId, workspaceId, principal };

const SHORT = 1_000;
const LONG = 100_000;
const CREATED_AT = '2026-01-02T03:04:05.678Z';

/** Adds a session with a compaction after every hundred messages except the last hundred. */
async function addSession(length: number): Promise<string> {
  const id = uuidv7();
  await sql`
    INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, origin, visibility, last_seq, created_at)
    VALUES (${organizationId}, ${id}, ${workspaceId}, ${owner.id}, 'm', 'user', 'private', ${length}, ${CREATED_AT})`.execute(
    db,
  );
  await sql`
    INSERT INTO session_messages (organization_id, session_id, workspace_id, seq, id, role, content, search_text)
    SELECT ${organizationId}, ${id}, ${workspaceId}, n, 'message-' || n, 'user', repeat('x', 100), repeat('x', 100)
      FROM generate_series(1, ${length}::integer) AS n`.execute(db);
  await sql`
    INSERT INTO session_compactions (organization_id, session_id, era, up_to_seq, summary_seq)
    SELECT ${organizationId}, ${id}, n, n * 100, n * 100 + 1 FROM generate_series(1, ${length / 100 - 1}::integer) AS n`.execute(
    db,
  );
  return id;
}

/** Adds typical small sessions: their statistics must not lead to scans of a long session from its beginning. */
async function addSmallSessions(): Promise<void> {
  await sql`
    WITH added AS (
      INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, origin, visibility, last_seq)
      SELECT ${organizationId}, gen_random_uuid(), ${workspaceId}, ${owner.id}, 'm', 'user', 'private', 2
        FROM generate_series(1, 20000)
      RETURNING organization_id, id, workspace_id
    )
    INSERT INTO session_messages (organization_id, session_id, workspace_id, seq, id, role, content, search_text)
    SELECT organization_id, id, workspace_id, n, 'message-' || n, 'user', 'x', 'x' FROM added, generate_series(1, 2) AS n
  `.execute(db);
}

let short = '';
let long = '';
beforeAll(async () => {
  for (const table of ['sessions', 'session_messages', 'session_compactions'])
    await sql`ALTER TABLE ${sql.table(table)} SET (autovacuum_enabled = false)`.execute(db);
  await addSmallSessions();
  short = await addSession(SHORT);
  long = await addSession(LONG);
});

const ids = Array.from({ length: 100 }, (_, index) => `message-${7 * index + 1}`);
const messages = Array.from({ length: 20 }, (_, index) => ({
  seq: index + 1,
  type: 'messages',
  data: { first_seq: 20 * index + 1, last_seq: 20 * index + 10, rewind_count: 0 },
  created_at: '',
}));

const WORKS: Record<string, (on: Db, session: string, length: number) => Promise<unknown>> = {
  'a page': (on, session, length) =>
    getTranscript(on, viewer, session, { after_seq: length / 2, limit: 100, include_compacted: true }),
  'the last page': (on, session, length) =>
    getTranscript(on, viewer, session, { after_seq: length - 50, limit: 100, include_compacted: false }),
  'known ids': (on, session) =>
    withTranscript(on, viewer, session, ids, async (_trx, { known }) => expect(known.size).toBe(100), {
      isSure: true,
    }),
  'a page of events': (on, session) =>
    fillEvents(on, { organizationId, sessionId: session, createdAt: CREATED_AT }, messages),
};

describe.each([
  ['without statistics', false],
  ['with statistics', true],
])('%s', (_, isAnalyzed) => {
  beforeAll(async () => {
    if (isAnalyzed) await sql`ANALYZE sessions, session_messages, session_compactions`.execute(db);
  });

  test.each(Object.entries(WORKS))(
    '%s: a session of 100,000 messages costs the same as one of 1,000',
    async (__, work) => {
      const few = await countBlocks(server, (on) => work(on, short, SHORT));
      const many = await countBlocks(server, (on) => work(on, long, LONG));
      expect(few).toBeGreaterThan(10);
      expect(many).toBeLessThan(few * 1.5 + 20);
    },
  );

  test.each(Object.entries(WORKS))(
    '%s: messages are found by their sequence numbers or ids',
    async (__, work) => {
      const plans = await explainWork(server, (on) => work(on, long, LONG));
      const ofMessages = plans.filter((plan) => plan.includes('session_messages'));
      expect(ofMessages.length).toBeGreaterThan(0);
      for (const plan of ofMessages) {
        expect(plan).not.toMatch(/Seq Scan on session_/);
        expect(plan).toMatch(/Index Cond: [^\n]*session_id = [^\n]*\((m\.)?(seq|id) /);
      }
    },
  );
});
