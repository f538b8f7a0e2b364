import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { type Person, startTestServer } from '../../../test/harness.ts';
import { addOrganization } from '../../../test/other-organization.ts';
import { startRecorded } from '../../../test/recorded-operator.ts';
import { addHost, addSandbox, type SandboxTimes } from '../../../test/sandbox-rows.ts';
import { ApiError } from '../../platform/errors.ts';
import { forgottenOrphans } from './members.ts';

const server = await startTestServer();
const { owner, db } = server;
const recorded = await startRecorded(server);
const { id: organizationId } = (await server.as(owner).get('/org/main')).body;
const hostId = await addHost(db);

beforeEach(() => {
  recorded.asked.length = 0;
  recorded.handlers.clear();
});

const WHY = 'Its owner is no longer a member of the organization.';

/** Creates a member of two participating organizations, with a sandbox. */
async function memberWith(org: string, times: SandboxTimes) {
  const id = await addOrganization(server, owner, org);
  const member = await server.addPerson(`member-of-${org}`);
  await server.as(owner).post(`/org/${org}/members`, { user: member.username });
  const { body } = await server.as(member).post(`/org/${org}/ws/main/runtimes`, { key: 'mine' });
  const sandboxId = await addSandbox(db, hostId, { id: body.id, organizationId: id }, times);
  const remove = () => recorded.as(owner).delete(`/org/${org}/members/${member.id}`);
  return { id, member, runtimeId: body.id as string, sandboxId, remove };
}

const limit = (org: string, max_members: number | null) =>
  server.as(owner).patch(`/org/${org}`, { max_members });

test.each(['running', 'paused'] as const)('removing a member ends their %s sandbox', async (state) => {
  const { runtimeId, sandboxId, remove } = await memberWith(`plain-${state}`, { state });
  await limit(`plain-${state}`, 2);
  expect((await remove()).status).toBe(204);
  expect(recorded.asked).toEqual([{ verb: 'end', runtimeId, actorId: owner.id, rest: [WHY, sandboxId] }]);
});

test('removing a member pauses their sandboxes when the organization exceeds its member limit', async () => {
  const { runtimeId, remove } = await memberWith('crowded', { state: 'running' });
  await limit('crowded', 1);
  await remove();
  expect(recorded.asked).toEqual([
    { verb: 'pause', runtimeId, actorId: owner.id, rest: ['member_limit_exceeded'] },
  ]);
});

test('a sandbox that cannot be paused is ended', async () => {
  const { sandboxId, remove } = await memberWith('unpausable', { state: 'running' });
  await limit('unpausable', 1);
  recorded.handlers.set('pause', () =>
    Promise.reject(new ApiError('conflict_error', 'It cannot be paused.')),
  );
  expect((await remove()).status).toBe(204);
  expect(recorded.asked).toMatchObject([{ verb: 'pause' }, { verb: 'end', rest: [WHY, sandboxId] }]);
});

test('a sandbox that cannot be ended does not keep the others running', async () => {
  const { id, member, runtimeId, remove } = await memberWith('stuck', { state: 'running' });
  const second = (await server.as(member).post('/org/stuck/ws/main/runtimes', { key: 'second' })).body.id;
  await addSandbox(db, hostId, { id: second, organizationId: id }, { state: 'running' });
  recorded.handlers.set('end', () =>
    Promise.reject(new ApiError('sandbox_provider_error', 'The host is away.')),
  );
  expect((await remove()).status).toBe(204);
  const ended = () =>
    recorded.asked.map((asked) => asked.runtimeId).filter((asked) => [runtimeId, second].includes(asked));
  expect(new Set(ended())).toEqual(new Set([runtimeId, second]));
  recorded.asked.length = 0;
  await expect(forgottenOrphans(recorded.operator).run(db)).rejects.toThrow('The host is away.');
  expect(new Set(ended())).toEqual(new Set([runtimeId, second]));
  await sql`UPDATE sandboxes SET state = 'killed', period_started_at = NULL WHERE organization_id = ${id}`.execute(
    db,
  );
});

test('an interrupted removal is repeated once, and sandboxes paused for it stay paused', async () => {
  const { id, remove, runtimeId } = await memberWith('cut-off', { state: 'running' });
  recorded.handlers.set('end', () =>
    Promise.reject(new ApiError('sandbox_provider_error', 'The host is away.')),
  );
  expect((await remove()).status).toBe(204);
  recorded.handlers.clear();
  recorded.asked.length = 0;
  const { run } = forgottenOrphans(recorded.operator);
  await run(db);
  expect(recorded.asked.filter((asked) => asked.runtimeId === runtimeId)).toMatchObject([{ verb: 'end' }]);
  await sql`
    UPDATE sandboxes SET state = 'paused', pause_reason = 'member_limit_exceeded', period_started_at = NULL, expires_at = NULL
     WHERE organization_id = ${id}`.execute(db);
  recorded.asked.length = 0;
  await run(db);
  expect(recorded.asked.filter((asked) => asked.runtimeId === runtimeId)).toEqual([]);
});

test('removing a member does not affect sandboxes of other members', async () => {
  const { remove, id, member } = await memberWith('staying', { state: 'running' });
  const { body } = await server.as(owner).post('/org/staying/ws/main/runtimes', { key: 'owners' });
  await addSandbox(db, hostId, { id: body.id, organizationId: id });
  await server.as(owner).post('/org/main/members', { user: member.username });
  const elsewhere = await server.as(member).post('/org/main/ws/main/runtimes', { key: 'elsewhere' });
  await addSandbox(db, hostId, { id: elsewhere.body.id, organizationId });
  await remove();
  expect(recorded.asked).toHaveLength(1);
});

/** Creates a workspace with runtimes of several users. */
async function workspaceOf(name: string, people: readonly Person[]) {
  await server.as(owner).post('/org/main/ws', { name });
  const ids: string[] = [];
  for (const [n, person] of people.entries()) {
    ids.push((await server.as(person).post(`/org/main/ws/${name}/runtimes`, { key: `r${n}` })).body.id);
  }
  const rows = () =>
    sql`SELECT FROM runtimes WHERE organization_id = ${organizationId} AND id = ANY (${ids}::uuid[])`.execute(
      db,
    );
  return { ids, count: async () => (await rows()).rows.length };
}

test('deletion of a workspace deletes its runtimes first, each through the operator', async () => {
  const mia = await server.addPerson('mia', { role: 'member' });
  const { ids, count } = await workspaceOf('doomed', [owner, mia]);
  expect((await recorded.as(owner).delete('/org/main/ws/doomed')).status).toBe(204);
  expect(recorded.asked).toEqual(
    ids.map((runtimeId) => ({ verb: 'delete', runtimeId, actorId: owner.id, rest: [] })),
  );
  expect(await count()).toBe(0);
});

test('deletion of a workspace fails while a runtime cannot be deleted', async () => {
  const { ids, count } = await workspaceOf('busy', [owner]);
  await addSandbox(db, hostId, { id: ids[0] ?? '', organizationId });
  expect(await recorded.as(owner).delete('/org/main/ws/busy')).toMatchObject({
    status: 409,
    body: { type: 'conflict_error' },
  });
  expect((await server.as(owner).get('/org/main/ws/busy')).status).toBe(200);
  expect(await count()).toBe(1);
});

test('deletion of a workspace succeeds when an owner deletes a runtime concurrently', async () => {
  await workspaceOf('raced', [owner]);
  recorded.handlers.set('delete', () =>
    Promise.reject(new ApiError('not_found_error', 'Runtime was not found.')),
  );
  expect((await recorded.as(owner).delete('/org/main/ws/raced')).status).toBe(204);
});

test('a runtime that cannot be ended does not block the others', async () => {
  const [first, second] = [await memberWith('held-up', {}), await memberWith('behind', {})];
  for (const { id, member } of [first, second])
    await sql`DELETE FROM memberships WHERE organization_id = ${id} AND user_id = ${member.id}`.execute(db);
  const away = new ApiError('sandbox_provider_error', 'The host is away.');
  recorded.handlers.set('end', () => Promise.reject(away));
  await expect(forgottenOrphans(recorded.operator).run(db)).rejects.toBe(away);
  const asked = recorded.asked.map(({ runtimeId }) => runtimeId);
  expect(asked).toEqual(expect.arrayContaining([first.runtimeId, second.runtimeId]));
});
