/** Scopes for background work: permissions of the user are checked again at each use. */
import { expect, test } from 'vitest';
import { startTestServer } from '../../test/harness.ts';
import { scopeOf } from './service.ts';

const server = await startTestServer();
const { db, owner } = server;
const admin = server.as(owner);
const { body: workspace } = await admin.get('/org/main/ws/main');
const place = { organizationId: String(workspace.org_id), workspaceId: String(workspace.id) };
const LOST = { type: 'forbidden_error', status: 403 };

test('scopeOf returns the scope that a request of the user would have', async () => {
  const person = await server.addPerson('scoped', { role: 'member' });
  expect(await scopeOf(db, place, person.id, 'job-1')).toEqual({
    ...place,
    organizationKey: 'main',
    workspaceKey: 'main',
    role: 'member',
    workspaceRole: 'contributor',
    principal: { userId: person.id, isPlatformAdmin: false, apiKey: undefined, loginId: undefined },
    requestId: 'job-1',
  });
});

test('scopeOf refuses a user who was removed from the organization', async () => {
  const person = await server.addPerson('removed', { role: 'member' });
  await scopeOf(db, place, person.id, 'job-1');
  await admin.delete(`/org/main/members/${person.id}`);
  await expect(scopeOf(db, place, person.id, 'job-1')).rejects.toMatchObject(LOST);
});

test('scopeOf refuses readers, suspended users, outsiders and restricted workspaces', async () => {
  const reader = await server.addPerson('reader', { role: 'member', workspaceRole: 'reader' });
  await admin.post('/org/main/ws', { key: 'closed', name: 'Closed', is_restricted: true });
  const { body: closed } = await admin.get('/org/main/ws/closed');
  const inClosed = { ...place, workspaceId: String(closed.id) };
  const member = await server.addPerson('unlisted', { role: 'member' });
  const stranger = await server.addPerson('stranger');
  await expect(scopeOf(db, inClosed, member.id, 'job-1')).rejects.toMatchObject(LOST);
  await expect(scopeOf(db, place, stranger.id, 'job-1')).rejects.toMatchObject(LOST);
  await admin.put(`/org/main/ws/closed/members/${reader.id}`, { role: 'reader' });
  await expect(scopeOf(db, inClosed, reader.id, 'job-1')).rejects.toMatchObject(LOST);
  await db
    .updateTable('users')
    .set({ suspended_at: new Date().toISOString() })
    .where('id', '=', member.id)
    .execute();
  await expect(scopeOf(db, place, member.id, 'job-1')).rejects.toMatchObject(LOST);
});

test('scopeOf refuses a workspace of another organization', async () => {
  const person = await server.addPerson('elsewhere', { role: 'member' });
  const foreign = { ...place, organizationId: '00000000-0000-7000-8000-000000000000' };
  await expect(scopeOf(db, foreign, person.id, 'job-1')).rejects.toMatchObject(LOST);
});
