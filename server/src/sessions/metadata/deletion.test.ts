/** Deletion of sessions, and of workspaces that have sessions. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { findOrganizationId } from '../../../test/other-organization.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { forgetOldDeletions } from './store.ts';

const server = await startTestServer();
const { owner, db } = server;
const organizationId = await findOrganizationId(server, 'main');

const MANY = 100_000;

interface Place {
  readonly id: string;
  readonly workspace_id: string;
}

/** Inserts messages, two eras and a prompt directly into the tables. */
async function fill({ id, workspace_id }: Place, count: number): Promise<void> {
  await sql`
    INSERT INTO session_messages (organization_id, session_id, seq, workspace_id, id, role, content, search_text)
    SELECT ${organizationId}, ${id}, n, ${workspace_id}, 'm' || n, 'user', 'text ' || n, 'text ' || n
      FROM generate_series(1, ${count}::integer) AS n`.execute(db);
  await sql`
    INSERT INTO session_compactions (organization_id, session_id, era, up_to_seq, summary_seq)
    VALUES (${organizationId}, ${id}, 1, 1, 2)`.execute(db);
  await sql`
    INSERT INTO session_prompts (organization_id, session_id, from_seq, content)
    VALUES (${organizationId}, ${id}, 1, 'Be kind.')`.execute(db);
}

const OF_SESSIONS = ['session_messages', 'session_compactions', 'session_prompts'] as const;

async function rowsOf(sessionId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of OF_SESSIONS) {
    const { rows } = await sql<{ count: number }>`
      SELECT count(*) AS count FROM ${sql.table(table)}
       WHERE organization_id = ${organizationId} AND session_id = ${sessionId}`.execute(db);
    counts[table] = rows[0]?.count ?? 0;
  }
  const { rows } = await sql<{ sessions: number; streams: number; events: number }>`
    SELECT (SELECT count(*) FROM sessions WHERE organization_id = ${organizationId} AND id = ${sessionId}) AS sessions,
           (SELECT count(*) FROM event_streams WHERE organization_id = ${organizationId} AND id = ${sessionId}) AS streams,
           (SELECT count(*) FROM events WHERE organization_id = ${organizationId} AND stream_id = ${sessionId}) AS events
    `.execute(db);
  return { ...counts, ...rows[0] };
}

const NOTHING = {
  session_messages: 0,
  session_compactions: 0,
  session_prompts: 0,
  sessions: 0,
  streams: 0,
  events: 0,
};

async function deletionsOf(workspaceId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('session_deletions')
    .select('session_id')
    .where('organization_id', '=', organizationId)
    .where('workspace_id', '=', workspaceId)
    .execute();
  return rows.map(({ session_id }) => session_id);
}

async function saveIn(workspace: string, body: object = {}) {
  const sessions = `/org/main/ws/${workspace}/sessions`;
  const saved = await server.as(owner).post(sessions, { id: uuidv7(), model: 'm', ...body });
  // Archiving adds an event.
  await server.as(owner).post(`${sessions}/${saved.body.id}/archive`);
  return saved.body;
}

test('deletion of a session of 100,000 messages removes all its rows and leaves other sessions unchanged', async () => {
  const large = await saveIn('main');
  const other = await saveIn('main');
  await fill(large, MANY);
  await fill(other, 3);
  const sessions = '/org/main/ws/main/sessions';
  expect(await server.as(owner).delete(`${sessions}/${large.id}`)).toMatchObject({ status: 204 });
  expect(await rowsOf(large.id)).toEqual(NOTHING);
  expect(await rowsOf(other.id)).toEqual({
    session_messages: 3,
    session_compactions: 1,
    session_prompts: 1,
    sessions: 1,
    streams: 1,
    events: 1,
  });
  expect(await deletionsOf(large.workspace_id)).toEqual([large.id]);
});

test('deletion of a workspace removes its sessions with their groups, messages and events', async () => {
  const { body: workspace } = await server.as(owner).post('/org/main/ws', { name: 'doomed' });
  const group = await server
    .as(owner)
    .post('/org/main/ws/doomed/sessions/groups', { kind: 'evaluation_item' });
  const ids: string[] = [];
  for (const body of [{ group_id: group.body.id }, { group_id: group.body.id }, {}]) {
    const saved = await saveIn('doomed', body);
    await fill(saved, 5);
    ids.push(saved.id);
  }
  expect((await server.as(owner).delete('/org/main/ws/doomed')).status).toBe(204);
  for (const id of ids) expect(await rowsOf(id)).toEqual(NOTHING);
  const groups = await db
    .selectFrom('session_groups')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('workspace_id', '=', workspace.id)
    .execute();
  expect(groups).toEqual([]);
  expect((await deletionsOf(workspace.id)).toSorted()).toEqual(ids.toSorted());
});

/** Counts the transactions that deleting the sessions of a workspace takes. */
async function countPortions(workspaceId: string): Promise<number> {
  const { rows } = await sql<{ portions: number }>`
    SELECT count(DISTINCT changed_in) AS portions FROM session_deletions
     WHERE organization_id = ${organizationId} AND workspace_id = ${workspaceId}`.execute(db);
  return rows[0]?.portions ?? 0;
}

/**
 * Inserts sessions directly into the table.
 * @param messages the message count that each session claims
 */
async function addSessions(workspaceId: string, count: number, messages: number): Promise<void> {
  await sql`
    INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, origin, visibility, last_seq)
    SELECT ${organizationId}, gen_random_uuid(), ${workspaceId}, ${owner.id}, 'm', 'user', 'private', ${messages}::integer
      FROM generate_series(1, ${count}::integer)`.execute(db);
}

test.each([
  { title: 'many sessions', count: 2_500, messages: 0, portions: 3 },
  { title: 'a few large ones', count: 5, messages: 60_000, portions: 3 },
  { title: 'one that is larger than a portion', count: 2, messages: 1_000_000, portions: 2 },
])(
  'deletion of a workspace removes its sessions in portions: $title',
  async ({ count, messages, portions }) => {
    const { body: workspace } = await server.as(owner).post('/org/main/ws', { name: 'large' });
    await addSessions(workspace.id, count, messages);
    expect((await server.as(owner).delete('/org/main/ws/large')).status).toBe(204);
    expect(await deletionsOf(workspace.id)).toHaveLength(count);
    expect(await countPortions(workspace.id)).toBe(portions);
  },
);

test('two concurrent deletions of a workspace share the work', async () => {
  const { body: workspace } = await server.as(owner).post('/org/main/ws', { name: 'twice' });
  await addSessions(workspace.id, 3_000, 0);
  const responses = await Promise.all(
    Array.from({ length: 2 }, () => server.as(owner).delete('/org/main/ws/twice')),
  );
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([204, 404]));
  expect(await deletionsOf(workspace.id)).toHaveLength(3_000);
});

test('a refused deletion of a workspace keeps its sessions', async () => {
  const saved = await saveIn('main');
  expect((await server.as(owner).delete('/org/main/ws/main')).status).toBe(409);
  expect((await server.as(owner).get(`/org/main/ws/main/sessions/${saved.id}`)).status).toBe(200);
});

test('listDeletions returns the last deletion of a session that was saved and deleted again', async () => {
  const { body: workspace } = await server.as(owner).post('/org/main/ws', { name: 'back' });
  const id = uuidv7();
  const reported = [];
  for (let round = 0; round < 2; round++) {
    await saveIn('back', { id });
    expect((await server.as(owner).delete(`/org/main/ws/back/sessions/${id}`)).status).toBe(204);
    const deletions = db
      .selectFrom('session_deletions')
      .select(['session_id', 'changed_in', 'deleted_at'])
      .where('organization_id', '=', organizationId)
      .where('workspace_id', '=', workspace.id);
    reported.push(await deletions.execute());
  }
  const [[first], [last]] = reported as [(typeof reported)[0], (typeof reported)[0]];
  expect(reported).toEqual([[first], [last]]);
  expect(BigInt(last?.changed_in ?? 0) > BigInt(first?.changed_in ?? 0)).toBe(true);
  expect((last?.deleted_at ?? '') > (first?.deleted_at ?? '')).toBe(true);
});

test('deletions are forgotten after a day', async () => {
  const old = await saveIn('main');
  const young = await saveIn('main');
  for (const { id } of [old, young]) await server.as(owner).delete(`/org/main/ws/main/sessions/${id}`);
  await db
    .updateTable('session_deletions')
    .set({ deleted_at: sql`now() - interval '24 hours 1 minute'` })
    .where('organization_id', '=', organizationId)
    .where('session_id', '=', old.id)
    .execute();
  expect(await forgetOldDeletions(db)).toBe(1);
  const left = await deletionsOf(old.workspace_id);
  expect(left).toContain(young.id);
  expect(left).not.toContain(old.id);
});
