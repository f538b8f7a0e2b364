/** A server whose container engine disappears during work: every operation reports it, and later the state of the runtime is correct. */
import { describe, expect, test } from 'vitest';
import { bundle } from './bundles.ts';
import { type EngineAccess, findObstacle, startEngine } from './containers/engine-under-test.ts';
import { atEndOfFile } from './end-of-file.ts';
import { call, type ErrorBody, type Method, newDataDir, startServer, until } from './processes.ts';
import { attach, refusalOf } from './terminal-clients.ts';

const obstacle = findObstacle('docker');
const engine = obstacle === undefined ? await startEngine('docker') : undefined;
if (engine) atEndOfFile(() => engine.close());

const PORT = 8000;
const RUNTIME = '/org/main/ws/main/runtimes/box';
const CAPABILITY = bundle({ 'capability.yaml': 'schema: 1\nname: kit\nversion: 1.0.0\ndescription: kit\n' });
const SERVE = `python3 -m http.server ${PORT} >/dev/null 2>&1 & until (echo >/dev/tcp/127.0.0.1/${PORT}) 2>/dev/null; do sleep 0.1; done`;
const GONE = { status: 502, body: { type: 'sandbox_provider_error' } };

async function startWith({ socketPath, image }: EngineAccess) {
  const server = await startServer({
    DRYDOCK_DATA_DIR: newDataDir(),
    DRYDOCK_CONTAINER_HOST: `unix://${socketPath}`,
    DRYDOCK_CONTAINER_IMAGE: image,
    DRYDOCK_LOG_LEVEL: 'fatal',
  });
  const key = server.owner?.key ?? '';
  const ask = <Body = ErrorBody>(method: Method, path: string, body?: object) =>
    call<Body>(server.url, key, method, path, body);
  return { server, key, ask };
}

describe.runIf(engine)('an engine that disappears during work', () => {
  test('is reported by every operation, and the runtime has its true state after the return', async () => {
    if (!engine) return;
    const { server, key, ask } = await startWith(engine);
    const place = { url: server.url, runtime: 'box', key };
    const published = await fetch(`${server.url}/api/v1/org/main/capabilities/kit/1.0.0`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/gzip' },
      body: new Uint8Array(CAPABILITY),
    });
    expect(published.status).toBe(201);
    const config = { sandbox: { exposed_ports: [PORT] } };
    expect((await ask('POST', '/org/main/ws/main/runtimes', { key: 'box', config })).status).toBe(201);
    expect((await ask('POST', `${RUNTIME}/start`)).status).toBe(200);
    expect(
      (await ask('POST', `${RUNTIME}/exec`, { command: `echo kept >note; echo '[]' >list; ${SERVE}` }))
        .status,
    ).toBe(200);
    // Expects a JSON list, which this program returns.
    expect((await ask('GET', `${RUNTIME}/ports/${PORT}/list`)).body).toEqual([]);
    const terminal = await attach({ ...place, query: { command: 'cat' } });
    const running = ask('POST', `${RUNTIME}/exec`, { command: 'sleep 600' });

    await engine.kill();
    expect(await running).toMatchObject(GONE);
    await terminal.closed;
    expect(await refusalOf(place)).toMatchObject(GONE);
    for (const [method, path, body] of [
      ['POST', '/exec', { command: 'true' }],
      ['GET', `/ports/${PORT}/list`, undefined],
      ['POST', '/capabilities', { name: 'kit' }],
      ['POST', '/pause', undefined],
    ] as const)
      expect(await ask(method, `${RUNTIME}${path}`, body), path).toMatchObject(GONE);
    // A capability that could not be shown is not installed.
    expect((await ask<unknown[]>('GET', `${RUNTIME}/capabilities`)).body).toEqual([]);

    await engine.restart();
    const state = async () => (await ask<{ status: string }>('GET', RUNTIME)).body.status;
    await until('what ended with the engine is told', async () => (await state()) === 'idle', 30_000);
    expect((await ask('POST', `${RUNTIME}/start`)).status).toBe(200);
    expect((await ask('POST', `${RUNTIME}/capabilities`, { name: 'kit' })).status).toBe(201);
    const command = 'cat note; ls /capabilities/kit';
    expect((await ask('POST', `${RUNTIME}/exec`, { command })).body).toMatchObject({
      exit_code: 0,
      stdout: 'kept\ncapability.yaml\n',
    });
    expect((await ask('DELETE', RUNTIME)).status).toBe(204);
    await server.stop();
  }, 180_000);

  test('or starts after the server is found and used', async () => {
    if (!engine) return;
    await engine.kill();
    const { server, ask } = await startWith(engine);
    const list = async () =>
      (await ask<{ name: string; available: boolean }[]>('GET', '/org/main/sandbox-providers')).body;
    const find = async () => (await list()).find(({ name }) => name === 'container');
    expect(await find()).toMatchObject({ available: false, reason: expect.stringContaining('engine') });
    const config = { build: { provider: 'container' } };
    expect((await ask('POST', '/org/main/ws/main/runtimes', { key: 'box', config })).status).toBe(201);
    expect(await ask('POST', `${RUNTIME}/start`)).toMatchObject(GONE);
    await engine.restart();
    await until('it is found', async () => (await find())?.available === true, 60_000);
    expect((await ask('POST', `${RUNTIME}/start`)).status).toBe(200);
    expect((await ask('DELETE', RUNTIME)).status).toBe(204);
    await server.stop();
  }, 180_000);
});

if (obstacle !== undefined) test('an engine that disappears', ({ skip }) => skip(obstacle));
