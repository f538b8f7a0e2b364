import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type EventServerOptions, startEventServer } from '../../../test/event-harness.ts';
import { startTestServer } from '../../../test/harness.ts';
import { until } from '../../../test/processes.ts';
import { openRaw } from '../../../test/raw-http.ts';
import { type UpgradesSeen, upgradeRoutes } from '../../../test/upgrade-routes.ts';
import { Upgrades, type UpgradeTimings } from './upgrades.ts';

const seen: UpgradesSeen = { aborted: [] };
beforeEach(() => void (seen.aborted = []));

const server = await startTestServer();
const { owner } = server;
const reader = await server.addPerson('reader', { role: 'member', workspaceRole: 'reader' });

const lines: Record<string, unknown>[] = [];
const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });

async function start(timings: Partial<UpgradeTimings> = {}, options: EventServerOptions = {}) {
  const upgrades = new Upgrades({ perOwner: 3 }, timings);
  const live = await startEventServer(server, { ...options, upgrades, moreRoutes: [upgradeRoutes(seen)] });
  const port = Number(new URL(live.url).port);
  return { ...live, upgrades, port };
}

const plain = await start({}, { log });

const ASKING = 'Connection: Upgrade\r\nUpgrade: talk\r\n';

async function ask(path: string, { key = owner.key, port = plain.port, headers = ASKING, more = '' } = {}) {
  const connection = await openRaw(port);
  onTestFinished(() => void connection.socket.destroy());
  let received = '';
  connection.socket.on('data', (bytes: Buffer) => {
    received += bytes.toString();
  });
  connection.write(
    `GET /api/v1/org/main/ws/main/talks/${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${headers}\r\n${more}`,
  );
  return { ...connection, received: () => received };
}

async function exchange(path = '1/on', options: { key?: string; port?: number; more?: string } = {}) {
  const connection = await ask(path, options);
  await until('it is taken', async () => connection.received().startsWith('HTTP/1.1 101 '));
  return connection;
}

describe('an upgrade request', () => {
  test('is connected to the operation, in both directions and from the first byte', async () => {
    const connection = await exchange('1/on', { more: 'early ' });
    connection.write('late');
    await until('it is said back', async () => connection.received().endsWith('\r\n\r\nearly late'));
    expect(plain.upgrades.openCount).toBe(1);
    connection.socket.end();
    await connection.closed;
    await until('it is forgotten', async () => plain.upgrades.openCount === 0);
    expect(seen.aborted).toEqual(['AbortError']);
  });

  test.each([
    ['a stranger', '1/on', 'dd_none', 401],
    ['a reader', '1/on', reader.key, 403],
    ['an invalid parameter', 'x/on', owner.key, 422],
    ['a refusal of the operation', '1/conflict', owner.key, 409],
    ['a plain response of the operation', '1/plain', owner.key, 200],
  ])('gets an ordinary response: %s', async (_name, path, key, status) => {
    const connection = await ask(path, { key });
    const response = await connection.readResponse();
    expect(response).toMatchObject({
      status,
      headers: { connection: 'close', 'x-request-id': expect.any(String) },
    });
    expect(JSON.parse(response.body)).toEqual(
      status === 200 ? { number: 1, protocol: 'talk' } : expect.objectContaining({ code: status }),
    );
    await connection.closed;
  });

  test('is cut off when the operation fails later', async () => {
    const connection = await ask('1/broken');
    await connection.closed;
    expect(connection.received()).toBe('');
  });

  test('is refused over the connection limit', async () => {
    const open = await Promise.all([exchange(), exchange(), exchange()]);
    const { status, body } = await (await ask('1/on')).readResponse();
    expect(status).toBe(429);
    expect(body).toContain('You have 3 taken connections open');
    for (const { socket } of open) socket.destroy();
    await until('they are forgotten', async () => plain.upgrades.openCount === 0);
    await exchange();
  });

  test('is logged in one line, with its status and duration', async () => {
    const connection = await exchange('7/on');
    lines.length = 0;
    await sleep(100);
    connection.socket.destroy();
    await until('it is logged', async () => lines.length > 0);
    expect(lines).toEqual([expect.objectContaining({ msg: 'request', status: 101, method: 'GET' })]);
    expect(lines[0]?.duration_ms).toBeGreaterThan(100);
  });
});

describe('the Upgrade header is ignored', () => {
  const isOrdinary = { status: 200, body: `${JSON.stringify({ number: 1, protocol: null })}\n` };

  test('when its token is missing in Connection', async () => {
    const connection = await ask('1/on', { headers: 'Upgrade: talk\r\n' });
    expect(await connection.readResponse()).toMatchObject(isOrdinary);
  });

  test('when the request has a body', async () => {
    const connection = await ask('1/on', { headers: `${ASKING}Content-Length: 2\r\n`, more: '{}' });
    expect(await connection.readResponse()).toMatchObject(isOrdinary);
  });

  test('at operations without upgrades: the next request uses the same connection', async () => {
    const connection = await openRaw(plain.port);
    onTestFinished(() => void connection.socket.destroy());
    for (const path of ['none', 'user/api-keys', 'org/main/ws/main/things/one/events']) {
      connection.write(`GET /api/v1/${path} HTTP/1.1\r\nHost: x\r\n${ASKING}\r\n`);
      expect((await connection.readResponse()).status).toBe(path.startsWith('org') ? 401 : 404);
    }
  });
});

test('a connection whose user loses access receives the reason, and is cut off', async () => {
  const { port, upgrades } = await start({ recheckMs: 50, farewellMs: 100 });
  const { body } = await server.as(owner).post('/user/api-keys', { name: 'short' });
  const [polite, silent] = await Promise.all([
    exchange('1/polite', { key: body.key as string, port }),
    exchange('1/on', { key: body.key as string, port }),
  ]);
  await server.as(owner).delete(`/user/api-keys/${body.id}`);
  await Promise.all([polite.closed, silent.closed]);
  expect(polite.received()).toMatch(/bye$/);
  expect(seen.aborted).toHaveLength(2);
  expect(seen.aborted[0]).toMatch(/credential|key|token/i);
  await until('they are forgotten', async () => upgrades.openCount === 0);
});

test('shutdown notifies connections, waits for their last messages, and cuts the others off', async () => {
  const { app, port, upgrades } = await start({ farewellMs: 100 });
  const [polite, silent] = await Promise.all([exchange('1/polite', { port }), exchange('1/on', { port })]);
  await app.close();
  await Promise.all([polite.closed, silent.closed]);
  expect(polite.received()).toMatch(/bye$/);
  expect(seen.aborted).toEqual(Array(2).fill('This server is being stopped; connect again.'));
  expect(upgrades.openCount).toBe(0);
});
