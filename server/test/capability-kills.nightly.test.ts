/**
 * kill -9 of the server while it installs capabilities into a running sandbox: the sandbox always sees complete folders, and the right ones
 * in the end.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle } from './bundles.ts';
import { FIRST_START } from './first-start.ts';
import { call, newDataDir, type RunningServer, startServer, until } from './processes.ts';

const ROUNDS = Number(process.env.DRYDOCK_TEST_ROUNDS ?? 20);
const VERSIONS = 4;
const FILES = 300;
const KEY = FIRST_START.apiKey;
const RUNTIMES = '/org/main/ws/main/runtimes';
const environment = {
  DRYDOCK_DATA_DIR: newDataDir(),
  DRYDOCK_INIT_API_KEY: KEY,
  DRYDOCK_LOG_LEVEL: 'fatal',
};

let server: RunningServer;
beforeAll(async () => {
  server = await startServer(environment);
});
afterAll(() => server.stop());

/** Watches all visible folders and reports incomplete ones. */
const WATCH = `while :; do
  for folder in /capabilities/*/; do
    ( cd "$folder" 2>/dev/null || exit 0; sha256sum --quiet -c SUMS ) || echo "broken: $folder"
  done >>/workspace/broken 2>&1
  echo >>/workspace/rounds
done`;

async function publish(version: number): Promise<void> {
  const texts = Array.from({ length: FILES }, (_, index) => [
    `d${index % 9}/f${index}-${version}`,
    `${version}-${index}`,
  ]);
  const sums = texts.map(
    ([path, text = '']) => `${createHash('sha256').update(text).digest('hex')}  ${path}\n`,
  );
  const content = bundle({
    'capability.yaml': `schema: 1\nname: large\nversion: ${version}.0.0\ndescription: large\n`,
    SUMS: sums.join(''),
    VERSION: `${version}.0.0`,
    ...Object.fromEntries(texts),
  });
  const { status } = await fetch(`${server.url}/api/v1/org/main/capabilities/large/${version}.0.0`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/gzip' },
    body: new Uint8Array(content),
  });
  expect(status).toBe(201);
}

interface Binding {
  readonly id: string;
  readonly version: string;
}

const ask = <Body>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) =>
  call<Body>(server.url, KEY, method, `${RUNTIMES}/box${path}`, body);

const run = async (command: string) =>
  (await ask<{ stdout: string }>('POST', '/exec', { command })).body.stdout;

/** Installs, changes and removes the capability until the server stops responding. */
async function changeUntilDead(): Promise<void> {
  for (let step = 1; ; step++) {
    const [found] = (await ask<Binding[]>('GET', '/capabilities')).body;
    const version = `${(step % VERSIONS) + 1}.0.0`;
    const { status } = !found
      ? await ask('POST', '/capabilities', { name: 'large', version })
      : step % 5 === 0
        ? await ask('DELETE', `/capabilities/${found.id}`)
        : await ask('PATCH', `/capabilities/${found.id}`, { version });
    expect([200, 201, 204]).toContain(status);
  }
}

test(`${ROUNDS} rounds of kills never show an incomplete folder`, {
  timeout: ROUNDS * 60_000 + 60_000,
}, async (context) => {
  for (let version = 1; version <= VERSIONS; version++) await publish(version);
  await call(server.url, KEY, 'POST', RUNTIMES, { key: 'box' });
  const { body } = await call<{ available: boolean }[]>(
    server.url,
    KEY,
    'GET',
    '/org/main/sandbox-providers',
  );
  if (!body[0]?.available) context.skip('no sandboxes');
  for (let round = 1; round <= ROUNDS; round++) {
    // Uses a new disk each time: an existing copy would not be transferred again.
    expect((await ask('POST', '/start')).status).toBe(200);
    await run(`setsid sh -c '${WATCH}' >/dev/null 2>&1 </dev/null &`);
    const changes = changeUntilDead().catch(() => undefined);
    await sleep(150 + ((round * 337) % 1_000));
    await server.stop('SIGKILL');
    await changes;
    server = await startServer(environment);
    expect((await call<{ status: string }>(server.url, KEY, 'GET', `${RUNTIMES}/box`)).body.status).toBe(
      'running',
    );
    await until(
      'it shows what is installed',
      async () => {
        const [binding] = (await ask<Binding[]>('GET', '/capabilities')).body;
        return (
          (await run('cat /capabilities/large/VERSION 2>/dev/null || echo none')).trim() ===
          (binding?.version ?? 'none')
        );
      },
      15_000,
    );
    await run('sleep 0.3');
    expect(await run('cat /workspace/broken; [ -s /workspace/rounds ] || echo never looked')).toBe('');
    expect((await ask('POST', '/reset')).status).toBe(200);
  }
});
