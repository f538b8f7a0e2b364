import { describe, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { uuidv7 } from '../../platform/uuid.ts';

const server = await startTestServer();
const { owner } = server;
const mia = await server.addPerson('mia', { role: 'member' });
const reader = await server.addPerson('reader', { role: 'member', workspaceRole: 'reader' });
const main = '/org/main/ws/main';

/** Creates a runtime of mia. */
async function created(key: string, config: object = {}) {
  const { body } = await server.as(mia).post(`${main}/runtimes`, { key, config });
  return { ...body, path: `${main}/runtimes/${key}` };
}

test('replaceRuntimeConfig replaces the whole configuration and resets fields that are left out', async () => {
  const { path, config_digest } = await created('mine', {
    resources: { cpu_cores: 4 },
    metadata: { labels: { a: 'b' } },
  });
  const replaced = await server
    .as(mia)
    .put(`${path}/config`, { runtime_server: { env: { TOKEN: 'hush-hush' } } });
  expect(replaced).toMatchObject({
    status: 200,
    body: {
      resources: { cpu_cores: 2 },
      metadata: { labels: {} },
      runtime_server: { env: { TOKEN: 'hush-hush' } },
    },
  });
  expect((await server.as(mia).get(`${path}/config`)).body).toEqual(replaced.body);
  const after = (await server.as(mia).get(path)).body;
  expect(after.config_digest).toMatch(/^[0-9a-f]{64}$/);
  expect(after.config_digest).not.toBe(config_digest);
  const log = await server.as(owner).get(`/org/main/audit-log?resource=runtimes/${after.id}`);
  expect(log.body.items[0]).toMatchObject({
    action: 'runtime.configured',
    before: { config_digest },
    after: { config_digest: after.config_digest },
  });
  expect(JSON.stringify(log.body)).not.toContain('hush-hush');
});

test('getRuntimeConfig masks the values of the environment for other members, who cannot replace anything', async () => {
  const { path } = await created('masked', { runtime_server: { env: { TOKEN: 'hush-hush', EMPTY: '' } } });
  for (const person of [owner, reader]) {
    const { body } = await server.as(person).get(`${path}/config`);
    expect(body.runtime_server).toEqual({ env: { TOKEN: '***', EMPTY: '***' } });
    expect(body.config.runtime_server).toEqual(body.runtime_server);
    for (const place of [path, `${main}/runtimes`]) {
      expect(JSON.stringify((await server.as(person).get(place)).body)).not.toContain('hush-hush');
    }
  }
  expect(await server.as(owner).put(`${path}/config`, { version: 'v2' })).toMatchObject({
    status: 403,
    body: { type: 'forbidden_error' },
  });
  expect((await server.as(mia).get(`${path}/config`)).body.runtime_server.env.TOKEN).toBe('hush-hush');
});

test('replaceRuntimeConfig keeps the configuration when the new one is refused', async () => {
  const { path, config_digest } = await created('kept');
  for (const [config, loc] of [
    [{ resources: { memory_mb: 511 } }, ['resources', 'memory_mb']],
    [{ version: 'v3' }, ['version']],
    [{ capabilities: [{ name: 'nowhere' }] }, ['capabilities', 0, 'name']],
    [{ secrets: { secret_ids: [uuidv7()] } }, ['secrets', 'secret_ids', 0]],
  ] as const) {
    expect(await server.as(mia).put(`${path}/config`, config)).toMatchObject({
      status: 422,
      body: { errors: [{ loc: ['body', ...loc] }] },
    });
  }
  expect((await server.as(mia).get(path)).body.config_digest).toBe(config_digest);
});

test('getRuntimeConfig and replaceRuntimeConfig return 404 for an unknown runtime', async () => {
  for (const name of ['nowhere', uuidv7()]) {
    expect((await server.as(mia).get(`${main}/runtimes/${name}/config`)).status).toBe(404);
    expect((await server.as(mia).put(`${main}/runtimes/${name}/config`, { version: 'v2' })).status).toBe(404);
  }
});

describe('the document "config", as published clients read and send it', () => {
  const keysKnown =
    /version, build, capabilities, defaults, metadata, resources, runtime_server, sandbox, secrets/;

  test('getRuntimeConfig returns the configuration as a document too, with its digest', async () => {
    const { path, id, config_digest } = await created('document', {
      sandbox: { egress_allow: ['example.com'] },
      metadata: { labels: { a: 'b' } },
    });
    const { body } = await server.as(mia).get(`${path}/config`);
    expect(body).toMatchObject({ runtime_id: id, config_digest, sandbox: { egress_allow: ['example.com'] } });
    const { runtime_id: _, config_digest: __, config, ...itself } = body;
    const { egress_allow, ...sandbox } = itself.sandbox;
    expect(config).toEqual({ ...itself, sandbox: { ...sandbox, egress: { allow: egress_allow } } });
  });

  test('replaceRuntimeConfig keeps every other field when an edited document is sent back', async () => {
    const { path } = await created('edited', {
      metadata: { labels: { team: 'red' } },
      runtime_server: { env: { TOKEN: 'hush-hush' } },
      resources: { memory_mb: 1024 },
    });
    const before = (await server.as(mia).get(`${path}/config`)).body;
    const sandbox = { ...before.config.sandbox, egress: { allow: ['example.com'] } };
    const replaced = await server.as(mia).put(`${path}/config`, { config: { ...before.config, sandbox } });
    expect(replaced).toMatchObject({ status: 200 });
    expect(replaced.body).toMatchObject({
      ...before,
      config_digest: (await server.as(mia).get(path)).body.config_digest,
      sandbox: { ...before.sandbox, egress_allow: ['example.com'] },
      config: { ...before.config, sandbox },
    });
    const { given_limits } = await server.db
      .selectFrom('runtimes')
      .select('given_limits')
      .where('organization_id', '=', (await server.as(mia).get('/org/main')).body.id)
      .where('id', '=', before.runtime_id)
      .executeTakeFirstOrThrow();
    // The other limit is in the document only because reading fills in defaults.
    expect(given_limits).toEqual(['memory']);
  });

  test('replaceRuntimeConfig accepts the fields beside "config" when a response is edited and sent back', async () => {
    const { path } = await created('beside');
    const { body } = await server.as(mia).get(`${path}/config`);
    const metadata = { labels: { edited: 'yes' } };
    const replaced = await server.as(mia).put(`${path}/config`, { ...body, metadata });
    expect(replaced).toMatchObject({ status: 200, body: { metadata, config: { metadata } } });
    expect(replaced.headers['drydock-ignored']).toBe('body.runtime_id, body.config_digest, body.config');
  });

  test.each([
    [{}, ['body']],
    [{ metdata: { labels: { a: 'b' } } }, ['body']],
    [{ configuration: {} }, ['body']],
    [{ config: {} }, ['body', 'config']],
    [{ config: { metdata: { labels: { a: 'b' } } } }, ['body', 'config']],
  ])('replaceRuntimeConfig refuses %o and names the known keys', async (request, loc) => {
    const { path, config_digest } = await created('misspelt', { metadata: { labels: { kept: 'yes' } } });
    expect(await server.as(mia).put(`${path}/config`, request)).toMatchObject({
      status: 422,
      body: { errors: [{ loc, msg: expect.stringMatching(keysKnown) }] },
    });
    expect((await server.as(mia).get(path)).body.config_digest).toBe(config_digest);
  });

  test.each([
    [{ config: { resources: { memory_mb: 511 } } }, ['config', 'resources', 'memory_mb']],
    [{ config: { capabilities: [{ name: 'nowhere' }] } }, ['config', 'capabilities', 0, 'name']],
    [
      { sandbox: { egress_allow: ['a.example.com'], egress: { allow: ['b.example.com'] } } },
      ['sandbox', 'egress', 'allow'],
    ],
    [{ sandbox: { egress: { allow: ['not a host'] } } }, ['sandbox', 'egress', 'allow', 0]],
  ])('replaceRuntimeConfig refuses %o with the location of the error', async (request, loc) => {
    const { path } = await created('placed');
    expect(await server.as(mia).put(`${path}/config`, request)).toMatchObject({
      status: 422,
      body: { errors: [{ loc: ['body', ...loc] }] },
    });
  });

  test('createRuntime stores the hosts of sandbox.egress.allow', async () => {
    const { path, config_digest } = await created('aliased', {
      sandbox: { egress: { allow: ['example.com'] } },
    });
    const { sandbox } = (await server.as(mia).get(`${path}/config`)).body;
    expect(sandbox.egress_allow).toEqual(['example.com']);
    const same = await created('plain', { sandbox: { egress_allow: ['example.com'] } });
    expect(same.config_digest).toBe(config_digest);
  });
});
