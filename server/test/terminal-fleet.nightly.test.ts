/** Terminals in a sandbox of another process: two servers, one of which is its host. */
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { Drydock } from '../../sdk/src/drydock.ts';
import { CLOSES } from '../src/runtimes/terminals/schema.ts';
import { createDatabase } from './databases.ts';
import { FIRST_START } from './first-start.ts';
import { call, newDataDir, type RunningServer, startServer, until } from './processes.ts';
import { attach, refusalOf } from './terminal-clients.ts';
import { showSizes } from './terminal-scripts.ts';

const KEY = FIRST_START.apiKey;
const BASE = '/org/main/ws/main/runtimes';
const database = await createDatabase(inject('databaseUrl'));
const environment = {
  DATABASE_URL: database.url,
  DRYDOCK_DATA_DIR: newDataDir(),
  DRYDOCK_INIT_API_KEY: KEY,
  DRYDOCK_SECRET_KEY: 'one key for both of the servers here',
  DRYDOCK_LOG_LEVEL: 'fatal',
};
/** One of the two has the sandboxes of their folder; when it ends, the other takes over. */
let host: RunningServer;
let front: RunningServer;

interface Ran {
  readonly stdout: string;
}

const send = <Body = unknown>(method: 'POST' | 'DELETE', path: string, body?: object) =>
  call<Body>(front.url, KEY, method, path, body);
const run = async (command: string) => (await send<Ran>('POST', `${BASE}/far/exec`, { command })).body.stdout;
const place = (server: RunningServer, query: Record<string, string | number | boolean> = {}) => ({
  url: server.url,
  runtime: 'far',
  key: KEY,
  query,
});

async function changeHosts(): Promise<void> {
  // Waits before the other server could become the host.
  await until(
    'the other is the host',
    async () => (await run('echo here').catch(() => '')) === 'here\n',
    30_000,
  );
  [host, front] = [front, await startServer(environment)];
}

beforeAll(async () => {
  host = await startServer(environment);
  front = await startServer(environment);
  expect((await send('POST', BASE, { key: 'far' })).status).toBe(201);
  expect((await send('POST', `${BASE}/far/start`)).status).toBe(200);
});

afterAll(async () => {
  expect((await send('DELETE', `${BASE}/far`)).status).toBe(204);
  await front.stop();
  await host.stop();
  await database.drop();
});

test('behave like those on their host, and can be attached again through either server', async () => {
  // A read that times out keeps the partial line.
  const lines = 'read -t 0.05 more && echo "got $line$more" && line= || line=$line$more';
  const command = `stty -echo; ${showSizes(lines)}`;
  const first = await attach(place(front, { command, columns: 70, rows: 20 }));
  await first.until(/ready\r\n/);
  first.type('this\n');
  await first.until(/got this\r\n/);
  first.say({ type: 'resize', columns: 71, rows: 21 });
  await first.until(/21 71\r\n/);
  const seen = first.received;
  const second = await attach(place(host, { terminal_id: first.id, after: seen }));
  expect(await first.closed).toBe(CLOSES.takenOver);
  second.type('that\n');
  await second.until(/got that\r\n/);
  await second.cut();
  const third = await attach(place(front, { terminal_id: first.id, after: seen }));
  await third.until(/^got that\r\n/);
  third.say({ type: 'hang_up' });
  expect(await third.closed).toBe(CLOSES.ended);
  expect(third.messages.at(-1)).toMatchObject({ type: 'exit' });
});

test('are refused in the same words', async () => {
  const none = '00000000-0000-7000-8000-000000000000';
  const terminal = await attach(place(front, { command: 'cat' }));
  for (const query of [{ terminal_id: none }, { terminal_id: terminal.id, after: 9_999 }, { rows: 0 }]) {
    const [there, here] = [await refusalOf(place(front, query)), await refusalOf(place(host, query))];
    expect(there).toEqual(here);
    const path = `${BASE}/far/terminal?${new URLSearchParams(query as Record<string, string>).toString()}`;
    expect(await call(front.url, KEY, 'GET', path)).toEqual(await call(host.url, KEY, 'GET', path));
  }
  terminal.say({ type: 'hang_up' });
  await terminal.closed;
});

test('deliver all output, slowed down by a slow client, and lose no acknowledged input', async () => {
  const drydock = new Drydock({ baseUrl: front.url, apiKey: KEY });
  const where = { org: 'main', workspace: 'main', runtime: 'far' };
  const command = 'stty -onlcr; seq -f %09.0f 1 500000 | cat; exit 3';
  const terminal = await drydock.runtimes.openTerminal(where, { command });
  let [bytes, pieces, last] = [0, 0, ''];
  for await (const piece of terminal) {
    bytes += piece.length;
    last = Buffer.from(piece).toString('latin1');
    pieces += 1;
    if (pieces % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect([bytes, terminal.lost, terminal.offset, await terminal.exit]).toEqual([5_000_000, 0, 5_000_000, 3]);
  expect(last.endsWith('000500000\n')).toBe(true);
});

test('are reported as lost with their host, and leave nothing in the sandbox, which keeps running', async () => {
  const far = await attach(place(front, { command: 'sleep 4400 & exec sleep 4401' }));
  const near = await attach(place(host, { command: 'exec sleep 4402' }));
  await host.stop('SIGKILL');
  expect(await far.closed).toBe(CLOSES.hostLost);
  expect(far.messages.at(-1)).toMatchObject({ type: 'error', code: CLOSES.hostLost });
  expect(await near.closed).toBe(1006);
  await changeHosts();
  await vi.waitFor(async () => expect(await run('pgrep -fcx "sleep 440[0-9]"; true')).toBe('0\n'), {
    timeout: 20_000,
    interval: 200,
  });
  expect(await refusalOf(place(front, { terminal_id: far.id }))).toMatchObject({ status: 404 });
});

test('end with a host that shuts down, even if they ignore signals', async () => {
  const far = await attach(place(front, { command: "trap '' HUP; sleep 4403 & exec sleep 4404" }));
  const near = await attach(place(host, { command: 'exec sleep 4405' }));
  await vi.waitFor(async () => expect(await run('pgrep -fcx "sleep 440[0-9]"')).toBe('3\n'));
  await host.stop();
  expect([await far.closed, await near.closed]).toEqual([CLOSES.hostLost, CLOSES.restart]);
  await changeHosts();
  await vi.waitFor(async () => expect(await run('pgrep -fcx "sleep 440[0-9]"; true')).toBe('0\n'), {
    timeout: 20_000,
    interval: 200,
  });
});
