/** Sessions written by jobs: on behalf of a user, as part of the job's transaction, and idempotent. */
import { expect, test } from 'vitest';
import { startTestServer } from '../../test/harness.ts';
import { scopeOf } from '../accounts/service.ts';
import { transaction } from '../platform/db/transaction.ts';
import { uuidv7 } from '../platform/uuid.ts';
import {
  appendMessages,
  createGroup,
  createSession,
  freezeSession,
  readTurns,
  updateGroup,
} from './service.ts';

const server = await startTestServer();
const { db, owner } = server;
const client = server.as(owner);
const { body: workspace } = await client.get('/org/main/ws/main');
const place = { organizationId: String(workspace.org_id), workspaceId: String(workspace.id) };
const scope = await scopeOf(db, place, owner.id, 'job-1');
const pathOf = (id: string) => `/org/main/ws/main/sessions/${id}`;

const user = (id: string, content: string) => ({ id, role: 'user' as const, content });
const assistant = (id: string, content: string) => ({ id, role: 'assistant' as const, content });

async function newSession(more: Partial<Parameters<typeof createSession>[2]> = {}) {
  const request = { id: uuidv7(), model: 'sim/echo', visibility: 'workspace' as const, ...more };
  await createSession(db, scope, request);
  return (await client.get(pathOf(request.id))).body;
}

test.each(['eval', 'optimization', 'training', 'world'] as const)(
  'createSession stores a session of origin %s, and a repeated call changes nothing',
  async (origin) => {
    const first = await newSession({ origin });
    expect(first).toMatchObject({ origin, visibility: 'workspace', user_id: owner.id });
    const again = await newSession({ id: first.id, origin });
    expect(again).toMatchObject({ id: first.id, origin, created_at: first.created_at });
  },
);

test('appendMessages stores each message once, also within a transaction of the caller', async () => {
  const { id } = await newSession({ origin: 'eval' });
  const messages = [user('q', 'Add 1 and 1.'), assistant('a', '2')];
  const first = await transaction(db, (trx) => appendMessages(trx, scope, id, { messages }));
  expect(first).toMatchObject({ isNew: true, messages: [{ seq: 1 }, { seq: 2 }] });
  const again = await transaction(db, (trx) =>
    appendMessages(trx, scope, id, { messages: [...messages, user('r', 'And 2?')] }),
  );
  expect(again).toMatchObject({ isNew: true, messages: [{ seq: 1 }, { seq: 2 }, { seq: 3 }] });
  expect(await appendMessages(db, scope, id, { messages })).toMatchObject({ isNew: false });
});

test('appendMessages is rolled back with the transaction of the caller', async () => {
  const { id } = await newSession({ origin: 'eval' });
  const failing = transaction(db, async (trx) => {
    await appendMessages(trx, scope, id, { messages: [user('q', 'lost')] });
    throw new Error('superseded');
  });
  await expect(failing).rejects.toThrow('superseded');
  expect(await Array.fromAsync(readTurns(db, scope, id))).toEqual([]);
});

test('readTurns returns prompts and messages, with results beside their calls', async () => {
  const { id } = await newSession({ origin: 'eval' });
  await appendMessages(db, scope, id, {
    context: { model: 'sim/echo', system_prompt: 'Be brief.' },
    messages: [
      user('q', 'List the files.'),
      { ...assistant('a', ''), tool_calls: [{ id: 'call-1', name: 'bash', arguments: '{"command":"ls"}' }] },
      { id: 't', role: 'tool', content: 'README.md', tool_call_id: 'call-1' },
    ],
  });
  expect(await Array.fromAsync(readTurns(db, scope, id))).toMatchObject([
    { kind: 'prompt', content: 'Be brief.' },
    { kind: 'message', message: { id: 'q' }, results: [] },
    { kind: 'message', message: { id: 'a' }, results: [{ id: 't', content: 'README.md' }] },
  ]);
});

test('freezeSession stores what froze the session and refuses later messages', async () => {
  const { id } = await newSession({ origin: 'eval' });
  const frozen = await transaction(db, (trx) => freezeSession(trx, scope, id, 'evaluation'));
  expect(frozen).toMatchObject({ frozen_by: 'evaluation' });
  expect(await freezeSession(db, scope, id, 'user')).toMatchObject({ frozen_by: 'evaluation' });
  const appending = appendMessages(db, scope, id, { messages: [user('q', 'late')] });
  await expect(appending).rejects.toMatchObject({ type: 'conflict_error' });
});

test('createGroup and updateGroup keep the group of an attempt', async () => {
  const id = await createGroup(db, scope, {
    kind: 'evaluation_item',
    status: 'running',
    evaluation_id: uuidv7(),
    evaluation_item_id: uuidv7(),
    evaluation_item_attempt_id: uuidv7(),
  });
  const session = await newSession({ origin: 'eval', group_id: id });
  expect(session.group).toMatchObject({ id, kind: 'evaluation_item', status: 'running' });
  expect(await updateGroup(db, scope, id, { status: 'completed' })).toMatchObject({
    status: 'completed',
  });
});

test('createSession refuses the id of a session of another user', async () => {
  const other = await server.addPerson('other', { role: 'member' });
  const { id } = await newSession({ origin: 'eval' });
  const stranger = await scopeOf(db, place, other.id, 'job-2');
  const creating = createSession(db, stranger, { id, model: 'sim/echo', origin: 'eval' });
  await expect(creating).rejects.toMatchObject({ type: 'already_exists_error' });
});
