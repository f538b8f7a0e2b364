/** Installed capabilities in real sandboxes, for all states of the runtime. */
import { beforeAll, describe, expect, test } from 'vitest';
import { publishCapability } from '../../../test/capabilities.ts';
import { startTestServer, type TestResponse } from '../../../test/harness.ts';
import { addOrganization, findOrganizationId } from '../../../test/other-organization.ts';
import { uuidv7 } from '../../platform/uuid.ts';

const server = await startTestServer({}, [], { hasSandboxes: true });
const { owner } = server;
const main = server.as(owner);
const ann = await server.addPerson('ann');
const W = '/org/main/ws/main/runtimes';
const [{ available }] = (await main.get('/org/main/sandbox-providers')).body;
const organizationId = await findOrganizationId(server, 'main');

const LIST_FILES = 'cd /capabilities; find -L . -type f | sort; cat bindings.json';

beforeAll(async () => {
  await addOrganization(server, ann, 'acme');
  const manifest = 'flags: {fast: {default: true}}\n';
  await publishCapability(main, { name: 'tool', manifest, files: { 'run.sh': '#!/bin/sh\necho one\n' } });
  await publishCapability(main, {
    name: 'tool',
    version: '2.0.0',
    files: { 'run.sh': '#!/bin/sh\necho two\n' },
  });
  await publishCapability(server.as(ann), { org: 'acme', name: 'lens', files: { 'lens.txt': 'theirs\n' } });
  await server.as(ann).patch('/org/acme/capabilities/lens/visibility', { is_public: true });
});

async function create(config: object = {}): Promise<string> {
  const { body, status } = await main.post(W, { key: `r-${uuidv7()}`, config });
  expect(status).toBe(201);
  return `${W}/${body.key}`;
}

const done = ({ status, body }: TestResponse) => {
  expect([status, body?.detail]).toEqual([expect.toBeOneOf([200, 201, 204]), undefined]);
  return body;
};

const move = async (path: string, verb: string) => done(await main.post(`${path}/${verb}`));
const run = async (path: string, command: string) =>
  done(await main.post(`${path}/exec`, { command })).stdout as string;
const install = async (path: string, name: string, version?: string) =>
  done(await main.post(`${path}/capabilities`, { name, version }));

const TOOL = './tool/capability.yaml\n./tool/run.sh\n';
const LENS = './acme/lens/capability.yaml\n./acme/lens/lens.txt\n';
const FILE = './bindings.json\n';
const toolOf = (version: string, flags = {}) => ({
  name: 'tool',
  version,
  path: '/capabilities/tool',
  flags,
});
const LENS_ENTRY = { name: 'acme/lens', version: '1.0.0', path: '/capabilities/acme/lens', flags: {} };

describe.skipIf(!available)('capabilities in a sandbox', () => {
  test('capabilities installed before the start are present from the first moment', async () => {
    const path = await create({
      capabilities: [
        { name: 'tool', version: '1.0.0' },
        { name: 'acme/lens', enabled: false },
      ],
    });
    await move(path, 'start');
    expect(await run(path, LIST_FILES)).toBe(
      `${FILE}${TOOL}${JSON.stringify([toolOf('1.0.0', { fast: true })])}\n`,
    );
    expect(await run(path, '/capabilities/tool/run.sh')).toBe('one\n');
    await main.delete(path);
  });

  test('a change of a running runtime is visible in the sandbox when the response arrives', async () => {
    const path = await create();
    await move(path, 'start');
    const { id } = await install(path, 'tool', '1.0.0');
    expect(await run(path, '/capabilities/tool/run.sh')).toBe('one\n');
    await install(path, 'acme/lens');
    expect(await run(path, LIST_FILES)).toBe(
      `${LENS}${FILE}${TOOL}${JSON.stringify([toolOf('1.0.0', { fast: true }), LENS_ENTRY])}\n`,
    );
    const patch = async (body: object) => done(await main.patch(`${path}/capabilities/${id}`, body));
    await patch({ flags: { fast: false } });
    expect(JSON.parse(await run(path, 'cat /capabilities/bindings.json'))[0].flags).toEqual({ fast: false });
    await patch({ version: '2.0.0' });
    expect(await run(path, '/capabilities/tool/run.sh')).toBe('two\n');
    await patch({ enabled: false });
    expect(await run(path, 'ls /capabilities')).toBe('acme\nbindings.json\n');
    await patch({ enabled: true });
    expect(await run(path, '/capabilities/tool/run.sh')).toBe('two\n');
    done(await main.delete(`${path}/capabilities/${id}`));
    expect(await run(path, LIST_FILES)).toBe(`${LENS}${FILE}${JSON.stringify([LENS_ENTRY])}\n`);
    done(await main.put(`${path}/config`, { capabilities: [{ name: 'tool' }] }));
    expect(await run(path, '/capabilities/tool/run.sh')).toBe('two\n');
    await main.delete(path);
  });

  test('changes during a pause are visible after resume', async () => {
    const path = await create({ capabilities: [{ name: 'tool', version: '1.0.0' }] });
    await move(path, 'start');
    await move(path, 'pause');
    await install(path, 'acme/lens');
    const [{ id }] = (await main.get(`${path}/capabilities`)).body;
    done(await main.patch(`${path}/capabilities/${id}`, { version: '2.0.0' }));
    await move(path, 'resume');
    expect(await run(path, '/capabilities/tool/run.sh; cat /capabilities/acme/lens/lens.txt')).toBe(
      'two\ntheirs\n',
    );
    await main.delete(path);
  });

  test('capabilities stay installed after ending and resetting the sandbox', async () => {
    const path = await create({ capabilities: [{ name: 'tool' }] });
    const { body } = await main.post(`${path}/start`);
    done(await main.delete(`/org/main/sandboxes/${body.instance.sandbox_id}`));
    await install(path, 'acme/lens');
    await move(path, 'start');
    expect(await run(path, 'ls /capabilities')).toBe('acme\nbindings.json\ntool\n');
    await move(path, 'reset');
    await move(path, 'start');
    expect(await run(path, '/capabilities/tool/run.sh; ls /capabilities')).toBe(
      'two\nacme\nbindings.json\ntool\n',
    );
    await main.delete(path);
  });

  test('many concurrent changes leave the sandbox with the installed state', async () => {
    const path = await create();
    await move(path, 'start');
    const { id } = await install(path, 'tool', '1.0.0');
    const { id: lens } = await install(path, 'acme/lens');
    const changes = Array.from({ length: 12 }, (_, index) =>
      main.patch(
        `${path}/capabilities/${index % 3 ? id : lens}`,
        index % 3 ? { version: `${(index % 2) + 1}.0.0` } : { enabled: index % 2 === 0 },
      ),
    );
    for (const response of await Promise.all(changes)) done(response);
    const bindings = (await main.get(`${path}/capabilities`)).body as {
      capability_name: string;
      version: string;
      enabled: boolean;
    }[];
    const shown = JSON.parse(await run(path, 'cat /capabilities/bindings.json')) as {
      name: string;
      version: string;
    }[];
    expect(shown.map(({ name, version }) => [name, version])).toEqual(
      bindings
        .filter(({ enabled }) => enabled)
        .map(({ capability_name, version }) => [capability_name, version]),
    );
    const [tool] = shown;
    expect(await run(path, '/capabilities/tool/run.sh')).toBe(tool?.version === '1.0.0' ? 'one\n' : 'two\n');
    await main.delete(path);
  });

  test('a capability installed during a start, pause or resume is present afterwards', async () => {
    const path = await create();
    for (const verb of ['start', 'pause', 'resume']) {
      const moving = move(path, verb);
      const { id } = await install(path, 'tool');
      await moving;
      if (verb === 'pause') await move(path, 'resume');
      expect(await run(path, '/capabilities/tool/run.sh')).toBe('two\n');
      done(await main.delete(`${path}/capabilities/${id}`));
      if (verb === 'pause') await move(path, 'pause');
    }
    await main.delete(path);
  });

  test('a deleted capability is left out of a start with a log entry, unless the disk has it already', async () => {
    await publishCapability(main, { name: 'brief', files: { a: 'a' } });
    const [fresh, used] = [
      await create({ capabilities: [{ name: 'brief' }, { name: 'tool' }] }),
      await create({ capabilities: [{ name: 'brief' }] }),
    ];
    const { body } = await main.post(`${used}/start`);
    done(await main.delete(`/org/main/sandboxes/${body.instance.sandbox_id}`));
    await main.delete('/org/main/capabilities/brief/1.0.0');
    await move(used, 'start');
    expect(await run(used, 'cat /capabilities/brief/a')).toBe('a');
    const started = await main.post(`${fresh}/start`);
    expect(await run(fresh, 'ls /capabilities; cat /capabilities/bindings.json')).toBe(
      `bindings.json\ntool\n${JSON.stringify([toolOf('2.0.0')])}\n`,
    );
    const log = await main.get(`/org/main/sandboxes/${started.body.instance.sandbox_id}/logs`);
    expect(log.body.items).toContainEqual(
      expect.objectContaining({
        message: 'capability left out',
        details: {
          capability: 'brief',
          version: '1.0.0',
          reason: 'It was deleted, or is not public any more.',
        },
      }),
    );
    for (const path of [fresh, used]) await main.delete(path);
  });

  test('start and installation fail without a trace when the content is unavailable', async () => {
    await publishCapability(main, { name: 'lost', files: { a: uuidv7() } });
    const blobs = await server.db
      .selectFrom('artifact_blobs')
      .select('object_key')
      .where('organization_id', '=', organizationId)
      .orderBy('upload_id', 'desc')
      .limit(2)
      .execute();
    await server.storage.delete(blobs.map(({ object_key }) => object_key));
    const path = await create({ capabilities: [{ name: 'lost' }] });
    expect(await main.post(`${path}/start`)).toMatchObject({
      status: 502,
      body: { type: 'object_storage_error' },
    });
    expect((await main.get(path)).body).toMatchObject({ status: 'idle', instance: null });
    const [{ id }] = (await main.get(`${path}/capabilities`)).body;
    done(await main.delete(`${path}/capabilities/${id}`));
    await move(path, 'start');
    expect(await main.post(`${path}/capabilities`, { name: 'lost' })).toMatchObject({ status: 502 });
    expect((await main.get(`${path}/capabilities`)).body).toEqual([]);
    expect(await run(path, LIST_FILES)).toBe('./bindings.json\n[]\n');
    await move(path, 'pause');
    const { id: again } = await install(path, 'lost');
    expect((await main.post(`${path}/resume`)).status).toBe(502);
    expect((await main.get(path)).body.status).toBe('paused');
    done(await main.delete(`${path}/capabilities/${again}`));
    await move(path, 'resume');
    await main.delete(path);
  });

  test('the host applies stored changes of a process that could not request it', async () => {
    const path = await create();
    await move(path, 'start');
    await install(path, 'tool');
    const { id } = (await main.get(path)).body;
    // Simulates a process killed after its transaction.
    await server.db
      .deleteFrom('runtime_capabilities')
      .where('organization_id', '=', organizationId)
      .where('runtime_id', '=', id)
      .execute();
    await server.db
      .updateTable('runtimes')
      .set(({ eb }) => ({ capabilities_changed: eb('capabilities_changed', '+', 1) }))
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .execute();
    await expect.poll(() => run(path, 'ls /capabilities')).toBe('bindings.json\n');
    await main.delete(path);
  });
});
