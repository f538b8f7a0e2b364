import { expect, test } from 'vitest';
import { type Person, startTestServer } from '../../server/test/harness.ts';
import { Drydock, isDrydockError } from './drydock.ts';

const server = await startTestServer();
const baseUrl = await server.app.listen({ host: '127.0.0.1', port: 0 });
const as = ({ key }: Person) => new Drydock({ baseUrl, apiKey: key });
const main = { org: 'main', workspace: 'main' };

test('projects.create, get, update and delete manage a project', async () => {
  const { projects } = as(server.owner);
  const created = await projects.create(main, { name: 'Kraken' });
  const where = { ...main, project: created.key };
  expect(await projects.get(where)).toEqual(created);
  expect(await projects.update(where, { name: 'Leviathan' })).toMatchObject({
    id: created.id,
    name: 'Leviathan',
  });
  expect((await projects.list(main)).map(({ key }) => key)).toContain('kraken');
  expect(await projects.delete(where)).toBeUndefined();
  await expect(projects.get(where)).rejects.toMatchObject({ type: 'not_found_error', status: 404 });
});

test('auditLog.list follows its cursor to the end', async () => {
  const drydock = as(server.owner);
  for (const name of ['One', 'Two', 'Three']) await drydock.projects.create(main, { name });
  const list = drydock.auditLog.list({ org: 'main' }, { action: 'project.created', limit: 2 });
  const entries = await Array.fromAsync(list);
  const pages = await Array.fromAsync(list.pages());
  expect(entries.length).toBeGreaterThanOrEqual(3);
  expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
  expect(pages.flatMap(({ items }) => items)).toEqual(entries);
  expect(pages).toHaveLength(Math.ceil(entries.length / 2));
});

test('members and workspaces can be administered', async () => {
  const drydock = as(server.owner);
  const ada = await server.addPerson('ada');
  await drydock.members.add({ org: 'main' }, { user: ada.username });
  const workspace = await drydock.workspaces.create({ org: 'main' }, { name: 'Vault' });
  const inVault = { org: 'main', workspace: workspace.key };
  await drydock.workspaces.setMember({ ...inVault, user_id: ada.id }, { role: 'reader' });
  const members = await drydock.workspaces.listMembers(inVault);
  expect(members.map(({ user_id, role }) => ({ user_id, role }))).toContainEqual({
    user_id: ada.id,
    role: 'reader',
  });
  await drydock.members.remove({ org: 'main', user_id: ada.id });
  await expect(as(ada).organizations.get({ org: 'main' })).rejects.toMatchObject({ type: 'forbidden_error' });
});

test('an error contains each mistake and the request', async () => {
  const failing = as(server.owner).projects.create(main, { name: '' });
  const error = await failing.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isDrydockError(error, 'validation_error')) throw error;
  expect(error.issues).toMatchObject([{ loc: ['body', 'name'] }]);
  expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/);
});

test('a client without a credential is refused, except for health', async () => {
  const stranger = new Drydock({ baseUrl, apiKey: '' });
  expect((await stranger.health.get()).status).toBe('ok');
  await expect(stranger.user.get()).rejects.toMatchObject({ type: 'authentication_error', status: 401 });
});

test('a call with an invalid path value is refused before it is sent', async () => {
  const { projects } = as(server.owner);
  await expect(projects.delete({ ...main, project: '..' })).rejects.toThrow(
    /"project" must be the id or slug/,
  );
  await expect(projects.list({ org: 'main', workspace: '' })).rejects.toThrow(/"workspace" must be/);
});
