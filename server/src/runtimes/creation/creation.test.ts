import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { bundle } from '../../../test/bundles.ts';
import { startTestServer } from '../../../test/harness.ts';
import { uuidv7 } from '../../platform/uuid.ts';

const server = await startTestServer();
const { owner } = server;
const mia = await server.addPerson('mia', { role: 'member' });
const reader = await server.addPerson('reader', { role: 'member', workspaceRole: 'reader' });
const main = '/org/main/ws/main';
const create = (body: unknown = {}, who = mia) => server.as(who).post(`${main}/runtimes`, body);

const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const DEFAULTS = {
  version: 'v2',
  build: { profile: 'default', provider: 'auto', source: { kind: 'builtin', ref: 'runtime' } },
  capabilities: [],
  defaults: { agent: null, capability: null, model: null, system_prompt: null },
  metadata: { labels: {} },
  resources: { cpu_cores: 2, memory_mb: 2048 },
  runtime_server: { env: {} },
  sandbox: { exposed_ports: [], timeout_seconds: null, workspace_mount: true },
  secrets: { secret_ids: [] },
};

/** Written by hand, because clients rely on the exact text from which the digest is computed. */
const CANONICAL =
  '{"build":{"profile":"default","provider":"auto","source":{"kind":"builtin","ref":"runtime"}},"capabilities":[],' +
  '"defaults":{"agent":null,"capability":null,"model":null,"system_prompt":null},"metadata":{"labels":{}},' +
  '"resources":{"cpu_cores":2,"memory_mb":2048},"runtime_server":{"env":{}},' +
  '"sandbox":{"exposed_ports":[],"timeout_seconds":null,"workspace_mount":true},"secrets":{"secret_ids":[]},"version":"v2"}';

const workspace = (await server.as(owner).get(main)).body;
const project = (await server.as(owner).post(`${main}/projects`, { name: 'Lab' })).body;

beforeAll(async () => {
  const content = bundle({
    'capability.yaml': 'schema: 1\nname: helper\nversion: 1.0.0\ndescription: helps\n',
  });
  expect((await server.as(owner).put('/org/main/capabilities/helper/1.0.0', content)).status).toBe(201);
});

test('creating a runtime fills in defaults', async () => {
  const response = await create({ name: 'My Böx', description: 'd', project: 'lab' });
  expect(response).toMatchObject({ status: 201 });
  expect(response.body).toEqual({
    id: UUID,
    key: 'my-box',
    name: 'My Böx',
    description: 'd',
    created: true,
    status: 'idle',
    config_digest: createHash('sha256').update(CANONICAL).digest('hex'),
    config_version: 'v2',
    workspace_id: workspace.id,
    project_id: project.id,
    project_key: 'lab',
    project_name: 'Lab',
    created_by: mia.id,
    owned_by_me: true,
    created_at: TIME,
    updated_at: TIME,
    instance: null,
  });
  const { created: _, ...runtime } = response.body;
  expect((await server.as(mia).get(`${main}/runtimes/my-box`)).body).toEqual(runtime);
  expect((await server.as(mia).get(`${main}/runtimes/${runtime.id}`)).body).toEqual(runtime);
  expect((await server.as(mia).get(`${main}/runtimes/my-box/config`)).body).toEqual({
    ...DEFAULTS,
    runtime_id: runtime.id,
    config_digest: runtime.config_digest,
    config: DEFAULTS,
  });
});

test('creating a runtime with an existing key returns the existing one unchanged, to any user', async () => {
  const first = await create({ key: 'same', project: project.id });
  const again = await create({
    key: 'same',
    name: 'Other',
    description: 'x',
    config: { resources: { cpu_cores: 8 } },
  });
  expect(again).toMatchObject({ status: 200, body: { ...first.body, created: false } });
  const byOwner = await create({ key: 'same' }, owner);
  expect(byOwner).toMatchObject({
    status: 200,
    body: { created: false, owned_by_me: false, created_by: mia.id },
  });
});

test('twenty concurrent creations with one key create one runtime', async () => {
  const responses = await Promise.all(Array.from({ length: 20 }, () => create({ key: 'raced' })));
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(responses.filter(({ body }) => body.created)).toHaveLength(1);
  expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
  const log = await server.as(owner).get(`/org/main/audit-log?resource=runtimes/${responses[0]?.body.id}`);
  expect(log.body.items).toMatchObject([
    { action: 'runtime.created', after: { slug: 'raced', name: 'raced' } },
  ]);
});

test('the same key in another workspace is another runtime', async () => {
  await server.as(owner).post('/org/main/ws', { name: 'Side' });
  const [here, there] = [
    await create({ key: 'twin' }),
    await server.as(mia).post('/org/main/ws/side/runtimes', { key: 'twin' }),
  ];
  expect([here.status, there.status]).toEqual([201, 201]);
  expect(here.body.id).not.toBe(there.body.id);
});

test.each([
  [undefined, 'default-mia', 'default-mia'],
  [{}, 'default-mia', 'default-mia'],
  [{ key: 'only-key' }, 'only-key', 'only-key'],
  [{ name: '  Trimmed ' }, 'trimmed', 'Trimmed'],
  [{ name: '日本' }, `runtime-${createHash('sha256').update('日本').digest('hex').slice(0, 8)}`, '日本'],
  [
    { name: '0192a3b4-0000-7000-8000-000000000000' },
    /^runtime-[0-9a-f]{8}$/,
    '0192a3b4-0000-7000-8000-000000000000',
  ],
  [{ name: 'A', key: 'b' }, 'b', 'A'],
])('creating a runtime with %o yields the key %s', async (body, key, name) => {
  const response = await create(body);
  expect(response.status).toBeLessThan(300);
  expect(response.body.key).toEqual(expect.stringMatching(key));
  expect(response.body.name).toBe(name);
});

test('createRuntime reserves default keys for the users of that name', async () => {
  const squat = await server.as(owner).post('/org/main/ws/main/runtimes', { key: 'default-mia' });
  expect(squat).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'key'] }] } });
  expect(await server.as(owner).post('/org/main/ws/main/runtimes', { name: 'Default Mia' })).toMatchObject({
    status: 422,
  });
  const own = await server.as(owner).post('/org/main/ws/main/runtimes', { key: 'default-owner' });
  expect(own.status).toBeLessThan(300);
});

test('createRuntime creates another default runtime when another user had the username before', async () => {
  const zoe = await server.addPerson('zoe', { role: 'member' });
  expect((await server.as(zoe).post('/org/main/ws/main/runtimes', {})).body.key).toBe('default-zoe');
  await server.as(zoe).patch('/user', { username: 'zoe-before' });
  const next = await server.addPerson('zoe-after', { role: 'member' });
  await server.as(next).patch('/user', { username: 'zoe' });
  const { body } = await server.as(next).post('/org/main/ws/main/runtimes', {});
  expect(body).toMatchObject({ created: true, owned_by_me: true, key: `default-zoe-${next.id}` });
  expect((await server.as(next).post('/org/main/ws/main/runtimes', {})).body).toMatchObject({
    created: false,
    id: body.id,
  });
});

test.each<[object, (string | number)[]]>([
  [{ name: 'x'.repeat(101) }, ['name']],
  [{ name: '' }, ['name']],
  [{ name: 5 }, ['name']],
  [{ key: '' }, ['key']],
  [{ key: 'Upper' }, ['key']],
  [{ key: uuidv7() }, ['key']],
  [{ key: 'x'.repeat(64) }, ['key']],
  [{ description: 'x'.repeat(501) }, ['description']],
  [{ project: '' }, ['project']],
  [{ project: 'no-such' }, ['project']],
  [{ project: uuidv7() }, ['project']],
  [{ requested_runtime_limit_seconds: 59 }, ['requested_runtime_limit_seconds']],
  [{ requested_runtime_limit_seconds: 2 ** 31 }, ['requested_runtime_limit_seconds']],
  [{ config: 'v2' }, ['config']],
  [{ config: { version: 'v1' } }, ['config', 'version']],
  [{ config: { build: { provider: 'mainframe' } } }, ['config', 'build', 'provider']],
  [{ config: { build: { profile: '' } } }, ['config', 'build', 'profile']],
  [{ config: { build: { source: { ref: '' } } } }, ['config', 'build', 'source', 'ref']],
  [{ config: { resources: { cpu_cores: 0 } } }, ['config', 'resources', 'cpu_cores']],
  [{ config: { resources: { cpu_cores: 33 } } }, ['config', 'resources', 'cpu_cores']],
  [{ config: { resources: { cpu_cores: 1.5 } } }, ['config', 'resources', 'cpu_cores']],
  [{ config: { resources: { memory_mb: 511 } } }, ['config', 'resources', 'memory_mb']],
  [{ config: { resources: { memory_mb: 131_073 } } }, ['config', 'resources', 'memory_mb']],
  [{ config: { sandbox: { timeout_seconds: 59 } } }, ['config', 'sandbox', 'timeout_seconds']],
  [{ config: { sandbox: { exposed_ports: [80, 0] } } }, ['config', 'sandbox', 'exposed_ports', 1]],
  [{ config: { sandbox: { exposed_ports: [65_536] } } }, ['config', 'sandbox', 'exposed_ports', 0]],
  [{ config: { sandbox: { egress_allow: ['http://x.org/'] } } }, ['config', 'sandbox', 'egress_allow', 0]],
  [{ config: { runtime_server: { env: { '1A': 'x' } } } }, ['config', 'runtime_server', 'env', '1A']],
  [{ config: { runtime_server: { env: { 'A=B': 'x' } } } }, ['config', 'runtime_server', 'env', 'A=B']],
  [{ config: { runtime_server: { env: { A: 'x\0y' } } } }, ['config', 'runtime_server', 'env', 'A']],
  [{ config: { runtime_server: { env: { A: 5 } } } }, ['config', 'runtime_server', 'env', 'A']],
  [{ config: { secrets: { secret_ids: ['x'] } } }, ['config', 'secrets', 'secret_ids', 0]],
  [{ config: { secrets: { secret_ids: [uuidv7()] } } }, ['config', 'secrets', 'secret_ids', 0]],
  [{ config: { capabilities: [{ version: '1.0.0' }] } }, ['config', 'capabilities', 0, 'name']],
  [{ config: { capabilities: [{ name: 'nowhere' }] } }, ['config', 'capabilities', 0, 'name']],
  [
    { config: { capabilities: [{ name: 'helper', version: '9.9.9' }] } },
    ['config', 'capabilities', 0, 'version'],
  ],
  [
    { config: { capabilities: [{ name: 'helper', version: 'latest' }] } },
    ['config', 'capabilities', 0, 'version'],
  ],
  [
    { config: { capabilities: [{ name: 'helper' }, { name: 'helper' }] } },
    ['config', 'capabilities', 1, 'name'],
  ],
  [
    { config: { capabilities: [{ name: 'helper' }, { name: 'main/helper' }] } },
    ['config', 'capabilities', 1, 'name'],
  ],
])('creating a runtime with %o is refused with an error at %o', async (body, loc) => {
  const response = await create({ key: 'refused', ...body });
  expect(response).toMatchObject({
    status: 422,
    body: { type: 'validation_error', errors: [{ loc: ['body', ...loc] }] },
  });
  expect(response.body.errors).toHaveLength(1);
  expect((await server.as(mia).get(`${main}/runtimes/refused`)).status).toBe(404);
});

test('creating a runtime with a secret of another user is refused', async () => {
  const { id } = (await server.as(owner).post('/user/secrets', { name: 'MINE', value: 'v' })).body;
  const body = { key: 'foreign-secret', config: { secrets: { secret_ids: [id] } } };
  expect((await create(body)).status).toBe(422);
  expect((await create(body, owner)).status).toBe(201);
});

test('creating a runtime drops unknown fields, and the order of keys does not change the configuration', async () => {
  const config = {
    resources: { memory_mb: 2048, gpu: 1 },
    defaults: { agent: null },
    colour: 'red',
    version: 'v2',
  };
  const [plain, odd] = [await create({ key: 'plain' }), await create({ key: 'odd', config, shape: 'round' })];
  expect(odd.body.config_digest).toBe(plain.body.config_digest);
  expect((await server.as(mia).get(`${main}/runtimes/odd/config`)).body.config).toEqual(DEFAULTS);
  const other = await create({ key: 'other', config: { sandbox: { egress_allow: ['pypi.org'] } } });
  expect(other.body.config_digest).not.toBe(plain.body.config_digest);
});

test('the runtime stores which limits were given explicitly', async () => {
  const { id } = (await create({ key: 'limited', config: { resources: { memory_mb: 2048 } } })).body;
  const { given_limits } = await server.db
    .selectFrom('runtimes')
    .select('given_limits')
    .where('organization_id', '=', workspace.org_id)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(given_limits).toEqual(['memory']);
});

test('readers cannot create runtimes', async () => {
  expect(await create({ key: 'read' }, reader)).toMatchObject({
    status: 403,
    body: { type: 'forbidden_error' },
  });
});

test('a runtime loses its reference to a project that is deleted', async () => {
  await server.as(owner).post(`${main}/projects`, { name: 'Brief' });
  await create({ key: 'left', project: 'brief' });
  await server.as(owner).delete(`${main}/projects/brief`);
  expect((await server.as(mia).get(`${main}/runtimes/left`)).body).toMatchObject({
    project_id: null,
    project_key: null,
    project_name: null,
  });
});
