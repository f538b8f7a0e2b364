import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { uuidv7 } from '../../platform/uuid.ts';

const server = await startTestServer();
const { owner } = server;
const mia = await server.addPerson('mia', { role: 'member' });
const reader = await server.addPerson('reader', { role: 'member', workspaceRole: 'reader' });
const main = '/org/main/ws/main';

/** A runtime of mia's. */
async function created(key: string, config: object = {}) {
  const { body } = await server.as(mia).post(`${main}/runtimes`, { key, config });
  return { ...body, path: `${main}/runtimes/${key}` };
}

test('its owner replaces all of a configuration; what is left out is reset', async () => {
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

test('others see it with the values of the environment masked, and replace nothing', async () => {
  const { path } = await created('masked', { runtime_server: { env: { TOKEN: 'hush-hush', EMPTY: '' } } });
  for (const person of [owner, reader]) {
    const { body } = await server.as(person).get(`${path}/config`);
    expect(body.runtime_server).toEqual({ env: { TOKEN: '***', EMPTY: '***' } });
    for (const place of [path, `${main}/runtimes`]) {
      expect(JSON.stringify((await server.as(person).get(place)).body)).not.toContain('hush-hush');
    }
  }
  expect(await server.as(owner).put(`${path}/config`, {})).toMatchObject({
    status: 403,
    body: { type: 'forbidden_error' },
  });
  expect((await server.as(mia).get(`${path}/config`)).body.runtime_server.env.TOKEN).toBe('hush-hush');
});

test('a configuration that cannot be is refused, and the one before stays', async () => {
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

test('what is not there has no configuration', async () => {
  for (const name of ['nowhere', uuidv7()]) {
    expect((await server.as(mia).get(`${main}/runtimes/${name}/config`)).status).toBe(404);
    expect((await server.as(mia).put(`${main}/runtimes/${name}/config`, {})).status).toBe(404);
  }
});
