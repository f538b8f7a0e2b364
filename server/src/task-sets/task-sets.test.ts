import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { insertArtifact } from '../../test/artifact-rows.ts';
import { startTestServer } from '../../test/harness.ts';
import { addOrganization, findOrganizationId } from '../../test/other-organization.ts';

const server = await startTestServer();
const { owner } = server;
const member = await server.addPerson('mia', { role: 'member' });
const colleague = await server.addPerson('colin', { role: 'member' });
const admin = await server.addPerson('ada', { role: 'admin' });
const outsider = await server.addPerson('otto');
const mainId = await findOrganizationId(server, 'main');
const acmeId = await addOrganization(server, outsider, 'acme');

const sets = '/org/main/task-sets';
const create = (name: string, more: object = {}, who = member) =>
  server.as(who).post(sets, { name, members: [], ...more });
const read = (name: string, who = member) => server.as(who).get(`${sets}/${name}`);

async function publish(
  organizationId: string,
  name: string,
  versions: (string | { version: string; isDeleted: boolean })[],
  isPublic = false,
) {
  const rows = versions.map((version) => (typeof version === 'string' ? { version } : version));
  await insertArtifact(server.db, {
    organizationId,
    createdBy: owner.id,
    kind: 'task',
    name,
    isPublic,
    versions: rows,
  });
}

async function auditOf(id: string) {
  const { body } = await server.as(owner).get(`/org/main/audit-log?resource=task_sets/${id}`);
  return body.items.map(({ action, before, after }: Record<string, unknown>) => ({ action, before, after }));
}

/** Digests name, version and notes of each member, in their order. */
const digestOf = (members: (string | null)[][]) =>
  createHash('sha256')
    .update(members.map((member) => `[${member.map((part) => JSON.stringify(part)).join(', ')}]`).join(','))
    .digest('hex');

const unresolved = (task_name: string, task_version: string | null = null) => ({
  task_name,
  task_version,
  resolved_version: null,
  task_version_pinned: task_version,
  task_version_resolved: null,
  publicly_runnable: false,
  notes: null,
  unresolvable_reason: 'not_found',
});

test('creating, reading, replacing and deleting a set works, and every change is in the audit log', async () => {
  const created = await create('first', {
    description: 'One',
    source: 'bench',
    tags: ['a', 'b'],
    members: ['nothing', { task_name: 'acme/nothing', task_version: '1.0.0', notes: 'why' }, 'nothing@2.0.0'],
  });
  const { id } = created.body;
  expect(created).toMatchObject({ status: 201 });
  expect(created.body).toEqual({
    id: expect.any(String),
    name: 'first',
    description: 'One',
    source: 'bench',
    tags: ['a', 'b'],
    is_public: false,
    member_count: 3,
    organization_id: mainId,
    org_key: 'main',
    created_by_user: { id: member.id, username: 'mia', email: 'mia@example.com', full_name: null },
    created_at: expect.any(String),
    updated_at: created.body.created_at,
    members: [
      unresolved('nothing'),
      { ...unresolved('acme/nothing', '1.0.0'), notes: 'why' },
      unresolved('nothing', '2.0.0'),
    ],
    unresolvable_count: 3,
    publicly_runnable: false,
    warnings: [],
  });
  expect((await read('first', colleague)).body).toEqual(created.body);

  const replaced = await server.as(colleague).put(`${sets}/first`, { members: ['b', 'a'] });
  expect(replaced.status).toBe(200);
  expect(replaced.body).toEqual({
    ...created.body,
    description: null,
    source: null,
    tags: null,
    member_count: 2,
    updated_at: expect.any(String),
    members: [unresolved('b'), unresolved('a')],
    unresolvable_count: 2,
  });
  expect(Date.parse(replaced.body.updated_at)).toBeGreaterThan(Date.parse(created.body.updated_at));
  expect((await read('first')).body).toEqual(replaced.body);

  expect(await server.as(member).delete(`${sets}/first`)).toMatchObject({ status: 204, body: '' });
  expect((await read('first')).status).toBe(404);
  const first = {
    name: 'first',
    description: 'One',
    source: 'bench',
    tags: ['a', 'b'],
    is_public: false,
    member_count: 3,
    members_sha256: digestOf([
      ['nothing', null, null],
      ['acme/nothing', '1.0.0', 'why'],
      ['nothing', '2.0.0', null],
    ]),
  };
  const last = {
    ...first,
    description: null,
    source: null,
    tags: null,
    member_count: 2,
    members_sha256: digestOf([
      ['b', null, null],
      ['a', null, null],
    ]),
  };
  expect(await auditOf(id)).toEqual([
    { action: 'task_set.deleted', before: last, after: null },
    { action: 'task_set.replaced', before: first, after: last },
    { action: 'task_set.created', before: null, after: first },
  ]);
  expect((await create('first')).status).toBe(201);
});

test('creating a set treats null like an absent field and ignores unknown fields', async () => {
  const more = { description: null, source: null, tags: null, is_public: null, no_such_field: 1 };
  const members = [{ task_name: 'a', task_version: null, notes: null, no_such_field: 1 }];
  expect(await create('nulls', { ...more, members })).toMatchObject({
    status: 201,
    body: { description: null, source: null, tags: null, is_public: false, members: [unresolved('a')] },
  });
});

test('replacing a set never changes its visibility', async () => {
  await create('shown', { is_public: true });
  await create('hidden');
  const hide = await server.as(member).put(`${sets}/shown`, { members: [], is_public: false });
  expect(hide).toMatchObject({ status: 200, body: { is_public: true } });
  const show = await server.as(member).put(`${sets}/hidden`, { members: [], is_public: 'nonsense' });
  expect(show).toMatchObject({ status: 200, body: { is_public: false } });
  expect([(await read('shown', outsider)).status, (await read('hidden', outsider)).status]).toEqual([
    200, 404,
  ]);
});

test('the name of a set is unique within its organization', async () => {
  await create('taken');
  expect(await create('taken')).toMatchObject({ status: 409, body: { type: 'already_exists_error' } });
  const elsewhere = await server.as(outsider).post('/org/acme/task-sets', { name: 'taken', members: [] });
  expect(elsewhere.status).toBe(201);
});

test('members are resolved in the organization of the set, as the reader may see them now', async () => {
  await publish(mainId, 'own', ['1.0.0', '1.10.0', '1.9.0', '2.0.0-rc.1']);
  await publish(mainId, 'open', ['0.1.0'], true);
  await publish(mainId, 'early', ['1.0.0-beta']);
  await publish(mainId, 'gone', [{ version: '1.0.0', isDeleted: true }], true);
  await publish(acmeId, 'own', ['7.0.0']);
  await publish(acmeId, 'shared', ['3.0.0+build.5', { version: '4.0.0', isDeleted: true }], true);
  const found = (task_name: string, task_version: string | null, resolved_version: string) => ({
    ...unresolved(task_name, task_version),
    resolved_version,
    task_version_resolved: resolved_version,
    publicly_runnable: ['open', 'acme/shared', 'acme/later'].includes(task_name),
    unresolvable_reason: null,
  });
  const noVersion = (task_name: string, task_version: string | null = null) => ({
    ...unresolved(task_name, task_version),
    unresolvable_reason: 'version_not_found',
  });
  const members = [
    'own',
    'own@1.0.0',
    'main/own@2.0.0-rc.1',
    'own@9.9.9',
    'open',
    'early',
    'early@1.0.0-beta',
    'gone',
    'gone@1.0.0',
    'acme/own',
    'acme/shared',
    'acme/shared@3.0.0',
    'acme/shared@4.0.0',
    'nobody/own',
  ];
  const { body } = await create('resolved', { members, is_public: true });
  expect(body.members).toEqual([
    found('own', null, '1.10.0'),
    found('own', '1.0.0', '1.0.0'),
    found('main/own', '2.0.0-rc.1', '2.0.0-rc.1'),
    noVersion('own', '9.9.9'),
    found('open', null, '0.1.0'),
    noVersion('early'),
    found('early', '1.0.0-beta', '1.0.0-beta'),
    unresolved('gone'),
    unresolved('gone', '1.0.0'),
    unresolved('acme/own'),
    found('acme/shared', null, '3.0.0+build.5'),
    found('acme/shared', '3.0.0', '3.0.0+build.5'),
    noVersion('acme/shared', '4.0.0'),
    unresolved('nobody/own'),
  ]);
  expect(body).toMatchObject({ unresolvable_count: 7, publicly_runnable: false });
  expect(body.warnings).toHaveLength(11);
  expect(body.warnings.slice(0, 4)).toEqual([
    'own is not public; publish the task so that others can run it',
    'own@1.0.0 is not public; publish the task so that others can run it',
    'main/own@2.0.0-rc.1 is not public; publish the task so that others can run it',
    'own@9.9.9 does not exist, or you cannot see it',
  ]);

  const foreign = await read('resolved', outsider);
  expect(foreign.status).toBe(200);
  expect(foreign.body).toMatchObject({ created_by_user: null, member_count: 14, unresolvable_count: 11 });
  const resolved = foreign.body.members.filter((m: { resolved_version: string }) => m.resolved_version);
  expect(resolved.map((m: { task_name: string }) => m.task_name)).toEqual([
    'open',
    'acme/shared',
    'acme/shared',
  ]);

  await publish(acmeId, 'later', ['1.0.0'], true);
  await server.as(member).put(`${sets}/resolved`, { members: ['acme/later', 'latest-task'] });
  await publish(mainId, 'latest-task', ['1.0.0']);
  expect((await read('resolved')).body).toMatchObject({
    unresolvable_count: 0,
    members: [found('acme/later', null, '1.0.0'), found('latest-task', null, '1.0.0')],
  });
});

test.each([
  [{ members: undefined }, ['body', 'members']],
  [{ members: null }, ['body', 'members']],
  [{ members: 'foo' }, ['body', 'members']],
  [{ members: {} }, ['body', 'members']],
  [{ tags: 'a' }, ['body', 'tags']],
  [{ tags: ['a', ''] }, ['body', 'tags', 1]],
  [{ tags: ['x'.repeat(101)] }, ['body', 'tags', 0]],
  [{ tags: Array(101).fill('a') }, ['body', 'tags']],
  [{ source: 1 }, ['body', 'source']],
  [{ source: 'x'.repeat(256) }, ['body', 'source']],
  [{ description: 'x'.repeat(2_001) }, ['body', 'description']],
])('creating or replacing a set with %o is refused', async (change, loc) => {
  await create('steady');
  const expected = { status: 422, body: { type: 'validation_error', errors: [{ loc }] } };
  expect(await create('odd', change)).toMatchObject(expected);
  expect(await server.as(member).put(`${sets}/steady`, { members: [], ...change })).toMatchObject(expected);
});

test.each([undefined, null, '', 'Upper', 'a b', '-a', 'x'.repeat(64), 'a/b', 5])(
  'creating a set named %o is refused',
  async (name) => {
    const response = await server.as(member).post(sets, { name, members: [] });
    expect(response).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'name'] }] } });
  },
);

test('reading a private or unknown set returns the same 404 to members and outsiders', async () => {
  await create('private');
  const missing = { code: 404, type: 'task_set_not_found', detail: 'Task set "private" was not found.' };
  for (const path of [`${sets}/private`, '/org/acme/task-sets/private', '/org/nowhere/task-sets/private']) {
    const { status, body } = await server.as(colleague).get(path);
    if (path === `${sets}/private`) expect(status).toBe(200);
    else expect([status, body]).toEqual([404, missing]);
  }
  expect((await read('private', outsider)).body).toEqual(missing);
  const put = { members: [] };
  expect(await server.as(member).put(`${sets}/unknown`, put)).toMatchObject({
    status: 404,
    body: { type: 'task_set_not_found' },
  });
  expect((await server.as(member).delete(`${sets}/unknown`)).body.type).toBe('task_set_not_found');
  const hide = await server.as(member).patch(`${sets}/unknown/visibility`, { is_public: false });
  expect(hide.body.type).toBe('task_set_not_found');
  expect((await server.as(member).put(`${sets}/unknown`, {})).status).toBe(422);
});

test('outsiders can neither list the sets of an organization nor change public ones', async () => {
  await create('public', { is_public: true });
  const as = server.as(outsider);
  const responses = [
    await as.get(sets),
    await as.post(sets, { name: 'mine', members: [] }),
    await as.put(`${sets}/public`, { members: [] }),
    await as.delete(`${sets}/public`),
    await as.patch(`${sets}/public/visibility`, { is_public: false }),
  ];
  expect(responses.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
});

test('the creator and admins can share, hide and delete a set, other members cannot', async () => {
  await create('whose');
  const { id } = (await read('whose')).body;
  const path = `${sets}/whose`;
  const show = (who: typeof member, is_public: unknown) =>
    server.as(who).patch(`${path}/visibility`, { is_public });
  expect(await show(colleague, true)).toMatchObject({ status: 403, body: { type: 'forbidden_error' } });
  expect((await server.as(colleague).delete(path)).status).toBe(403);

  const shown = await show(member, true);
  expect(shown).toMatchObject({ status: 200 });
  expect(shown.body).toEqual({
    is_public: true,
    message: 'Task set "whose" can be read by every signed-in user.',
    warnings: expect.any(Array),
  });
  expect((await read('whose', outsider)).status).toBe(200);
  const before = (await read('whose')).body.updated_at;
  expect((await show(member, true)).body.is_public).toBe(true);
  expect((await read('whose')).body.updated_at).toBe(before);

  expect(await show(admin, false)).toMatchObject({ status: 200, body: { is_public: false } });
  expect((await read('whose', outsider)).status).toBe(404);
  expect((await show(member, 'yes')).body.errors[0].loc).toEqual(['body', 'is_public']);
  expect((await show(member, undefined)).status).toBe(422);
  expect((await server.as(admin).delete(path)).status).toBe(204);
  const [hidden, visible] = [false, true].map((is_public) => ({ name: 'whose', is_public }));
  expect((await auditOf(id)).slice(0, 3)).toMatchObject([
    { action: 'task_set.deleted', before: { ...hidden, member_count: 0 }, after: null },
    { action: 'task_set.visibility_changed', before: visible, after: hidden },
    { action: 'task_set.visibility_changed', before: hidden, after: visible },
  ]);
});

test('concurrent replacements leave one of them complete, with increasing times', async () => {
  await create('contested');
  const bodyOf = (writer: number) => ({
    description: `by ${writer}`,
    members: Array.from({ length: 100 + writer }, (_, index) => `w${writer}-${index}`),
  });
  const readers = { isDone: false };
  const watch = async () => {
    let last = '';
    while (!readers.isDone) {
      const { body } = await read('contested', colleague);
      expect(body.members).toHaveLength(body.member_count);
      const writers = new Set(body.members.map((m: { task_name: string }) => m.task_name.split('-')[0]));
      expect(writers.size).toBeLessThanOrEqual(1);
      if (body.description) expect([...writers]).toEqual([`w${body.description.slice(3)}`]);
      expect(body.updated_at >= last).toBe(true);
      last = body.updated_at;
    }
  };
  const watching = watch();
  const responses = await Promise.all(
    Array.from({ length: 12 }, (_, writer) => server.as(member).put(`${sets}/contested`, bodyOf(writer))),
  );
  readers.isDone = true;
  await watching;
  expect(responses.map(({ status }) => status)).toEqual(Array(12).fill(200));
  for (const [writer, { body }] of responses.entries()) expect(body.member_count).toBe(100 + writer);
  const times = new Set(responses.map(({ body }) => body.updated_at));
  expect(times.size).toBe(12);
  const last = responses
    .map(({ body }) => body)
    .toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1))[0];
  expect((await read('contested')).body).toEqual(last);
});

test('creating a set twice with one idempotency key creates one set', async () => {
  const headers = { 'idempotency-key': 'once' };
  const send = () => server.as(member).post(sets, { name: 'once', members: ['a'] }, headers);
  const [first, second] = [await send(), await send()];
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.body).toEqual(first.body);
});
