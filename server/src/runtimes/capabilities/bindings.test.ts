import { beforeAll, expect, test } from 'vitest';
import { publishCapability } from '../../../test/capabilities.ts';
import { startTestServer } from '../../../test/harness.ts';
import { addOrganization, findOrganizationId } from '../../../test/other-organization.ts';
import { startRecorded } from '../../../test/recorded-operator.ts';
import { ApiError } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/uuid.ts';

const server = await startTestServer();
const recorded = await startRecorded(server);
const { owner } = server;
const mia = await server.addPerson('mia', { role: 'member' });
const reader = await server.addPerson('reader', { role: 'member', workspaceRole: 'reader' });
const ann = await server.addPerson('ann');
const W = '/org/main/ws/main';
const organizationId = await findOrganizationId(server, 'main');

const FLAGS = 'flags: {fast: {description: quick, default: true}, loud: {}}\n';
const PARTS = {
  'agents/a.md': 'a',
  'skills/s/SKILL.md': 's',
  'skills/t/SKILL.md': 't',
  'tools/x.py': 'x',
};

beforeAll(async () => {
  await addOrganization(server, ann, 'acme');
  const [main, acme] = [server.as(owner), server.as(ann)];
  const manifest = `${FLAGS}hooks: [h]\nmcp: {servers: {one: {command: ./x}}}\nworkers: {w: sleep 1}\n`;
  await publishCapability(main, { name: 'helper', manifest, files: PARTS });
  await publishCapability(main, {
    name: 'helper',
    version: '2.0.0',
    manifest: 'flags: {loud: {}, deep: {default: true}}\n',
  });
  await publishCapability(main, { name: 'helper', version: '3.0.0-rc.1' });
  await publishCapability(main, { name: 'early', version: '0.1.0-rc.1' });
  await publishCapability(main, { name: 'acme' });
  await publishCapability(main, { name: 'bindings.json' });
  await publishCapability(acme, { org: 'acme', name: 'lens' });
  await publishCapability(acme, { org: 'acme', name: 'hidden' });
  await acme.patch('/org/acme/capabilities/lens/visibility', { is_public: true });
});

async function create(config: object = {}): Promise<string> {
  const { body, status } = await server.as(mia).post(`${W}/runtimes`, { key: `r-${uuidv7()}`, config });
  expect(status).toBe(201);
  return `${W}/runtimes/${body.key}/capabilities`;
}

const install = (path: string, name: string, version?: string | null, who = mia) =>
  server.as(who).post(path, { name, version });

test('installing a capability returns its binding with the details of the version', async () => {
  const path = await create();
  const response = await install(path, 'helper', '1.0.0');
  const binding = {
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    artifact_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    capability_name: 'helper',
    version: '1.0.0',
    enabled: true,
    component_counts: { agents: 1, tools: 1, skills: 2, hooks: 1, mcp_servers: 1, workers: 1 },
    flags: { fast: true, loud: false },
    description: 'helper 1.0.0',
    latest_version: '2.0.0',
    source: 'organization',
  };
  expect(response).toMatchObject({ status: 201, body: binding });
  const list = await server.as(reader).get(path);
  expect(list.body).toEqual([response.body]);
  expect(Object.keys(list.body[0])).toEqual(Object.keys(binding));
});

test('installing without a version uses the newest release, also when the own organization is named', async () => {
  for (const [name, version] of [
    ['helper', undefined],
    ['main/helper', null],
  ] as const) {
    const { status, body } = await install(await create(), name, version);
    expect([status, body.version, body.capability_name]).toEqual([201, '2.0.0', 'helper']);
  }
});

test('a capability of another organization is found by org/name and stays usable when it becomes private', async () => {
  const path = await create();
  const { status, body } = await install(path, 'acme/lens');
  expect([status, body.capability_name, body.source, body.latest_version]).toEqual([
    201,
    'acme/lens',
    'public',
    '1.0.0',
  ]);
  await server.as(ann).patch('/org/acme/capabilities/lens/visibility', { is_public: false });
  const [hidden] = (await server.as(mia).get(path)).body;
  expect(hidden).toEqual({ ...body, latest_version: null });
  expect((await install(await create(), 'acme/lens')).status).toBe(404);
  expect((await server.as(mia).patch(`${path}/${body.id}`, { enabled: false })).status).toBe(200);
  await server.as(ann).patch('/org/acme/capabilities/lens/visibility', { is_public: true });
});

test.each([
  ['nowhere', undefined],
  ['acme/hidden', undefined],
  ['acme/nowhere', '1.0.0'],
  ['nobody/lens', undefined],
  ['helper', '9.9.9'],
  ['early', undefined],
  ['Not a name', undefined],
  ['a/b/c', undefined],
  ['helper@1.0.0', undefined],
])('installing %s at version %s returns 404', async (name, version) => {
  const response = await install(await create(), name, version);
  expect(response).toMatchObject({ status: 404, body: { type: 'not_found_error' } });
});

test('installing returns the same 404 for private and unknown capabilities and unknown organizations', async () => {
  const path = await create();
  const details = [];
  for (const name of ['acme/hidden', 'acme/nowhere', 'nobody/hidden']) {
    details.push((await install(path, name)).body.detail.replaceAll(name, 'X'));
  }
  expect(new Set(details).size).toBe(1);
});

test.each([
  [{}],
  [{ name: '' }],
  [{ name: 5 }],
  [{ name: 'helper', version: 'latest' }],
  [{ name: 'helper', version: '^1.0.0' }],
  [{ name: 'x'.repeat(256) }],
])('installing with %o returns 422', async (body) => {
  expect((await server.as(mia).post(await create(), body)).status).toBe(422);
});

test('concurrent installations of one capability succeed once', async () => {
  const path = await create();
  const responses = await Promise.all(
    [1, 2, 3, 4, 5, 6].map((n) => install(path, 'helper', n % 2 ? '1.0.0' : '2.0.0')),
  );
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    201, 409, 409, 409, 409, 409,
  ]);
  expect(responses.filter(({ body }) => body.type === 'already_exists_error')).toHaveLength(5);
  expect((await server.as(mia).get(path)).body).toHaveLength(1);
});

test('capabilities whose folders would be nested in each other cannot be installed together', async () => {
  for (const [first, second] of [
    ['acme', 'acme/lens'],
    ['acme/lens', 'acme'],
  ] as const) {
    const path = await create();
    expect((await install(path, first)).status).toBe(201);
    expect(await install(path, second)).toMatchObject({ status: 409, body: { type: 'conflict_error' } });
  }
  expect(await install(await create(), 'bindings.json')).toMatchObject({ status: 409 });
  const config = { capabilities: [{ name: 'acme' }, { name: 'acme/lens' }] };
  const response = await server.as(mia).post(`${W}/runtimes`, { key: 'both', config });
  expect(response).toMatchObject({
    status: 422,
    body: { errors: [{ loc: ['body', 'config', 'capabilities', 1, 'name'] }] },
  });
});

test('only the owner of the runtime can install, change and remove capabilities', async () => {
  const path = await create();
  const { id } = (await install(path, 'helper')).body;
  const as = (who: typeof mia) => server.as(who);
  for (const who of [owner, reader]) {
    expect((await install(path, 'acme/lens', undefined, who)).status).toBe(403);
    expect((await as(who).patch(`${path}/${id}`, { enabled: false })).status).toBe(403);
    expect((await as(who).delete(`${path}/${id}`)).status).toBe(403);
  }
  expect((await install(path, 'nowhere', undefined, owner)).status).toBe(403);
  expect((await install(path.replace(/r-[^/]+/, 'none'), 'helper')).status).toBe(404);
});

test('flags are set one by one, and unknown flags are refused by name', async () => {
  const path = await create();
  const { id } = (await install(path, 'helper', '1.0.0')).body;
  const patch = (body: unknown) => server.as(mia).patch(`${path}/${id}`, body);
  expect((await patch({ flags: { loud: true } })).body.flags).toEqual({ fast: true, loud: true });
  expect((await patch({ flags: { fast: false } })).body.flags).toEqual({ fast: false, loud: true });
  expect(await patch({ flags: { fast: true, high: true } })).toMatchObject({
    status: 422,
    body: {
      type: 'invalid_flag_error',
      detail: '"high" is not a flag of helper@1.0.0. Its flags are "fast", "loud".',
      errors: [{ loc: ['body', 'flags', 'high'] }],
    },
  });
  expect(await patch(JSON.parse('{"flags": {"__proto__": true}}'))).toMatchObject({
    status: 422,
    body: { type: 'invalid_flag_error', errors: [{ loc: ['body', 'flags', '__proto__'] }] },
  });
  for (const flags of [{ fast: 'yes' }, { __proto__: null, toString: true }, []]) {
    expect((await patch({ flags })).status).toBe(422);
  }
  const [now] = (await server.as(mia).get(path)).body;
  expect(now.flags).toEqual({ fast: false, loud: true });
  expect((await patch({})).body).toEqual(now);
});

test('changing the version keeps the flags that the new version has', async () => {
  const path = await create();
  const { id } = (await install(path, 'helper', '1.0.0')).body;
  const patch = (body: unknown) => server.as(mia).patch(`${path}/${id}`, body);
  await patch({ flags: { fast: false, loud: true } });
  expect((await patch({ version: '2.0.0' })).body).toMatchObject({
    id,
    version: '2.0.0',
    flags: { deep: true, loud: true },
    component_counts: { skills: 0 },
    description: 'helper 2.0.0',
  });
  expect(await patch({ version: '1.0.0', flags: { deep: false } })).toMatchObject({
    status: 422,
    body: { type: 'invalid_flag_error' },
  });
  expect((await patch({ version: '1.0.0', enabled: false })).body).toMatchObject({
    enabled: false,
    flags: { fast: true, loud: true },
  });
  expect((await patch({ version: '3.0.0-rc.1' })).body).toMatchObject({ version: '3.0.0-rc.1', flags: {} });
  expect(await patch({ version: '9.0.0' })).toMatchObject({ status: 404 });
  expect(await patch({ version: 'latest' })).toMatchObject({ status: 422 });
});

test('removing a capability succeeds once', async () => {
  const path = await create();
  const { id } = (await install(path, 'helper')).body;
  expect((await server.as(mia).delete(`${path}/${uuidv7()}`)).status).toBe(404);
  expect(await server.as(mia).delete(`${path}/${id}`)).toMatchObject({ status: 204, body: '' });
  expect((await server.as(mia).delete(`${path}/${id}`)).status).toBe(404);
  expect((await server.as(mia).patch(`${path}/${id}`, { enabled: true })).status).toBe(404);
  expect((await server.as(mia).patch(`${path}/x`, {})).status).toBe(422);
  expect((await server.as(mia).get(path)).body).toEqual([]);
  expect((await install(path, 'helper')).status).toBe(201);
});

test('every change is in the audit log with its author', async () => {
  const path = await create();
  const { id } = (await install(path, 'helper', '1.0.0')).body;
  await server.as(mia).patch(`${path}/${id}`, { flags: { loud: true } });
  await server.as(mia).patch(`${path}/${id}`, { flags: { loud: true } });
  await server.as(mia).delete(`${path}/${id}`);
  const runtime = (await server.as(mia).get(path.replace(/\/capabilities$/, ''))).body;
  const { items } = (await server.as(owner).get(`/org/main/audit-log?resource=runtimes/${runtime.id}`)).body;
  expect(items.map(({ action, before, after }: Record<string, unknown>) => [action, before, after])).toEqual([
    ['runtime.capability_removed', { capability: 'helper', version: '1.0.0' }, null],
    [
      'runtime.capability_changed',
      { capability: 'helper', version: '1.0.0', enabled: true, flags: [] },
      { capability: 'helper', version: '1.0.0', enabled: true, flags: ['loud=true'] },
    ],
    ['runtime.capability_installed', null, { capability: 'helper', version: '1.0.0', enabled: true }],
    ['runtime.created', null, expect.anything()],
  ]);
});

test('capabilities listed in a configuration are installed with it', async () => {
  const path = await create({
    capabilities: [{ name: 'helper', version: '1.0.0', enabled: false }, { name: 'acme/lens' }],
  });
  const shown = async () =>
    (await server.as(mia).get(path)).body.map(
      ({ capability_name, version, enabled }: Record<string, unknown>) => [capability_name, version, enabled],
    );
  expect(await shown()).toEqual([
    ['helper', '1.0.0', false],
    ['acme/lens', '1.0.0', true],
  ]);
  const put = (capabilities: unknown) =>
    server.as(mia).put(path.replace(/capabilities$/, 'config'), { capabilities });
  expect((await put([{ name: 'helper' }, { name: 'early', version: '0.1.0-rc.1' }])).status).toBe(200);
  expect(await shown()).toEqual([
    ['helper', '1.0.0', true],
    ['acme/lens', '1.0.0', true],
    ['early', '0.1.0-rc.1', true],
  ]);
  await put([{ name: 'helper', version: '2.0.0', enabled: false }]);
  expect((await shown())[0]).toEqual(['helper', '2.0.0', false]);
  expect((await put([{ name: 'acme' }])).status).toBe(409);
  expect((await put([{ name: 'nowhere' }])).status).toBe(422);
  expect((await put([])).status).toBe(200);
  expect(await shown()).toHaveLength(3);
});

test('a binding keeps the details of an installed version that is deleted', async () => {
  await publishCapability(server.as(owner), { name: 'gone', manifest: FLAGS });
  const path = await create();
  const { body } = await install(path, 'gone');
  await server.as(mia).patch(`${path}/${body.id}`, { flags: { loud: true } });
  await server.as(owner).delete('/org/main/capabilities/gone/1.0.0');
  const [binding] = (await server.as(mia).get(path)).body;
  expect(binding).toMatchObject({
    version: '1.0.0',
    description: null,
    latest_version: null,
    flags: { loud: true },
  });
  expect(binding.component_counts.skills).toBe(0);
  expect((await server.as(mia).patch(`${path}/${body.id}`, { enabled: false })).status).toBe(200);
});

test('deletion of a runtime or workspace deletes its bindings', async () => {
  await server.as(owner).post('/org/main/ws', { name: 'Brief' });
  const brief = '/org/main/ws/brief';
  const config = { capabilities: [{ name: 'helper' }] };
  for (const key of ['one', 'two']) await server.as(owner).post(`${brief}/runtimes`, { key, config });
  expect((await server.as(owner).delete(`${brief}/runtimes/one`)).status).toBe(204);
  expect((await server.as(owner).delete(brief)).status).toBe(204);
  const left = server.db
    .selectFrom('runtime_capabilities as b')
    .where('b.organization_id', '=', organizationId);
  const ids = await left
    .leftJoin('runtimes as r', (join) =>
      join.onRef('r.id', '=', 'b.runtime_id').onRef('r.organization_id', '=', 'b.organization_id'),
    )
    .select('b.id')
    .where('r.id', 'is', null)
    .execute();
  expect(ids).toEqual([]);
});

test('at most a hundred capabilities can be installed', async () => {
  const path = await create();
  const { runtime_id, ...row } = await server.db
    .selectFrom('runtime_capabilities')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .limit(1)
    .executeTakeFirstOrThrow();
  const runtime = (await server.as(mia).get(path.replace(/\/capabilities$/, ''))).body;
  const rows = Array.from({ length: 100 }, (_, index) => ({
    ...row,
    id: uuidv7(),
    artifact_id: uuidv7(),
    runtime_id: runtime.id,
    capability_name: `c${index}`,
    flags: '{}',
  }));
  await server.db.insertInto('runtime_capabilities').values(rows).execute();
  expect(runtime_id).not.toBe(runtime.id);
  expect(await install(path, 'helper')).toMatchObject({ status: 409, body: { type: 'conflict_error' } });
});

const setStatus = (key: string, status: 'idle' | 'running') =>
  server.db
    .updateTable('runtimes')
    .set({ status })
    .where('organization_id', '=', organizationId)
    .where('key', '=', key)
    .execute();

test('a change that the running sandbox cannot apply is rolled back', async () => {
  const path = await create();
  const key = path.split('/').at(-2) ?? '';
  const client = recorded.as(mia);
  const { body } = await client.post(path, { name: 'helper', version: '1.0.0' });
  expect(recorded.asked.filter(({ verb }) => verb === 'setCapabilities')).toEqual([]);
  await setStatus(key, 'running');
  recorded.handlers.set('setCapabilities', () =>
    Promise.reject(new ApiError('object_storage_error', 'It is away.')),
  );
  expect(await client.post(path, { name: 'acme/lens' })).toMatchObject({
    status: 502,
    body: { type: 'object_storage_error' },
  });
  expect(await client.patch(`${path}/${body.id}`, { version: '2.0.0' })).toMatchObject({ status: 502 });
  expect((await client.get(path)).body).toEqual([body]);
  recorded.handlers.delete('setCapabilities');
  expect(await client.post(path, { name: 'acme/lens' })).toMatchObject({ status: 201 });
  expect(await client.patch(`${path}/${body.id}`, { version: '2.0.0' })).toMatchObject({ status: 200 });
  expect(recorded.asked.filter(({ verb }) => verb === 'setCapabilities')).toHaveLength(4);
  await setStatus(key, 'idle');
});
