/** Terminals, through the API. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { attach, refusalOf, TerminalClient } from '../../../test/terminal-clients.ts';
import { showSizes } from '../../../test/terminal-scripts.ts';
import { CLOSES } from './schema.ts';

const RUNTIMES = '/org/main/ws/main/runtimes';
const server = await startTestServer({}, [], {
  hasSandboxes: true,
  terminals: { timings: { pingMs: 1_500 } },
});
const { owner } = server;
const me = server.as(owner);
const [{ available }] = (await me.get('/org/main/sandbox-providers')).body;
const url = await server.app.listen({ host: '127.0.0.1', port: 0 });

const place = (more: object = {}) => ({ url, runtime: 'first', key: owner.key, ...more });
const run = async (command: string) => (await me.post(`${RUNTIMES}/first/exec`, { command })).body;
const countTerminals = async () => Number((await run('ls /dev/pts | grep -c "^[0-9]"')).stdout);

async function makeRuntime(key: string, config: object = {}): Promise<void> {
  expect(await me.post(RUNTIMES, { key, config })).toMatchObject({ status: 201 });
  expect(await me.post(`${RUNTIMES}/${key}/start`)).toMatchObject({ status: 200 });
}

describe.skipIf(!available)('a terminal', () => {
  beforeAll(() => makeRuntime('first', { runtime_server: { env: { COLOUR: 'red' } } }));
  afterAll(async () => {
    await vi.waitFor(async () => expect(await countTerminals()).toBe(0));
  });

  test("a terminal is a login shell in /workspace with the runtime's environment and the requested size", async () => {
    const client = await attach(place({ query: { columns: 101, rows: 31 } }));
    client.type('shopt -q login_shell && echo "login $COLOUR $TERM $PWD $(stty size)"\r');
    await client.until(/login red xterm-256color \/workspace 31 101\r\n/);
    client.type('exit 9\r');
    expect(await client.closed).toBe(CLOSES.ended);
    expect(client.messages).toEqual([
      { type: 'attached', terminal_id: client.id, offset: 0, lost: 0 },
      { type: 'exit', code: 9 },
    ]);
  });

  test('a terminal can run another program and transfers every byte unchanged', async () => {
    const client = await attach(place({ query: { command: 'stty raw -echo; echo ready; exec cat' } }));
    await client.until(/^ready\n$/);
    const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    client.socket.send(every);
    await vi.waitFor(() => expect(client.bytes.subarray(6).equals(every)).toBe(true));
    client.say({ type: 'hang_up' });
    expect(await client.closed).toBe(CLOSES.ended);
  });

  test('a terminal can be resized while it runs', async () => {
    const client = await attach(place({ query: { command: showSizes() } }));
    await client.until(/ready/);
    client.say({ type: 'resize', columns: 66, rows: 22 });
    await client.until(/22 66/);
    client.say({ type: 'hang_up' });
    expect(await client.closed).toBe(CLOSES.ended);
  });

  test('a terminal keeps running when its network is cut, and sends the next client the output since then', async () => {
    const command = 'for n in $(seq 1 40); do echo "line $n"; sleep 0.02; done; exit 3';
    const first = await attach(place({ query: { command } }));
    await first.until(/line 5\r\n/);
    await first.cut();
    const seen = first.received;
    await sleep(300);
    const second = await attach(place({ query: { terminal_id: first.id, after: seen } }));
    expect(second.messages[0]).toEqual({ type: 'attached', terminal_id: first.id, offset: seen, lost: 0 });
    expect(await second.closed).toBe(CLOSES.ended);
    const all = Array.from({ length: 40 }, (_, n) => `line ${n + 1}\r\n`).join('');
    expect(first.text + second.text).toBe(all);
    expect(second.messages.at(-1)).toEqual({ type: 'exit', code: 3 });
    const third = await attach(place({ query: { terminal_id: first.id, after: all.length } }));
    expect(await third.closed).toBe(CLOSES.ended);
  });

  test('a terminal is taken over by the last client that attaches', async () => {
    const first = await attach(place({ query: { command: 'cat' } }));
    const second = await attach(place({ query: { terminal_id: first.id } }));
    expect(await first.closed).toBe(CLOSES.takenOver);
    expect(first.messages.at(-1)).toMatchObject({ type: 'error', code: CLOSES.takenOver });
    second.type('hello\r');
    await second.until(/hello\r\nhello\r\n/);
    second.type('\x04');
    expect(await second.closed).toBe(CLOSES.ended);
  });

  test('a terminal blocks its program while the client does not read, and loses no output', async () => {
    const command = 'stty -onlcr; seq -f %09.0f 1 1500000 | cat; touch /tmp/all-shown';
    const client = await attach(place({ query: { command } }));
    client.socket.pause();
    await sleep(500);
    expect((await run('ls /tmp/all-shown')).exit_code).not.toBe(0);
    client.socket.resume();
    expect(await client.closed).toBe(CLOSES.ended);
    expect(client.received).toBe(15_000_000);
  });

  test('a terminal whose client does not respond to pings is detached and stays available', async () => {
    const client = new TerminalClient(place({ query: { command: 'cat' } }));
    client.socket.on('open', () => {
      client.socket.removeAllListeners('ping');
      Object.assign(client.socket, { pong: () => undefined, _autoPong: false });
    });
    await vi.waitFor(() => expect(client.messages).toHaveLength(1));
    expect(await client.closed).toBe(1006);
    const next = await attach(place({ query: { terminal_id: client.messages[0]?.terminal_id ?? '' } }));
    await sleep(4_000);
    next.say({ type: 'hang_up' });
    expect(await next.closed).toBe(CLOSES.ended);
  });

  test('a terminal is frozen while the runtime is paused, keeps its client and can be attached to again after resume', async () => {
    const client = await attach(
      place({ query: { command: 'stty -echo; echo ready; while read l; do echo "got $l"; done' } }),
    );
    await client.until(/ready/);
    expect(await me.post(`${RUNTIMES}/first/pause`)).toMatchObject({ status: 200 });
    client.type('meanwhile\n');
    expect(await refusalOf(place({ query: { terminal_id: client.id } }))).toMatchObject({
      status: 409,
      body: { type: 'conflict_error', detail: expect.stringMatching(/paused/) },
    });
    await sleep(200);
    expect(client.text).toBe('ready\r\n');
    expect(await me.post(`${RUNTIMES}/first/resume`)).toMatchObject({ status: 200 });
    await client.until(/got meanwhile/);
    client.say({ type: 'hang_up' });
    expect(await client.closed).toBe(CLOSES.ended);
  });

  test('a terminal ends with the sandbox', async () => {
    await makeRuntime('short');
    const client = await attach(place({ runtime: 'short', query: { command: 'sleep 4200' } }));
    await me.post(`${RUNTIMES}/short/reset`);
    expect(await client.closed).toBe(CLOSES.ended);
    expect(client.messages.at(-1)).toEqual({ type: 'exit', code: 137 });
    await me.post(`${RUNTIMES}/short/start`);
    expect(await refusalOf(place({ runtime: 'short', query: { terminal_id: client.id } }))).toMatchObject({
      status: 404,
    });
    await me.delete(`${RUNTIMES}/short`);
  });

  test.each([
    ['no JSON', 'hello'],
    ['no message', '{"type": "dance"}'],
    ['no size', '{"type": "resize", "columns": 0, "rows": 5}'],
    ['no number', '{"type": "ack", "offset": -1}'],
  ])('a terminal is closed when its client sends %s', async (_, text) => {
    const client = await attach(place({ query: { command: 'cat' } }));
    client.say(text);
    expect(await client.closed).toBe(CLOSES.badMessage);
    const next = await attach(place({ query: { terminal_id: client.id } }));
    next.say({ type: 'hang_up' });
    await next.closed;
  });

  test('a terminal accepts at most 1 MiB per message', async () => {
    const client = await attach(place({ query: { command: 'cat' } }));
    client.socket.send(Buffer.alloc(1024 ** 2 + 1));
    expect(await client.closed).toBe(1009);
    const next = await attach(place({ query: { terminal_id: client.id } }));
    next.say({ type: 'hang_up' });
    await next.closed;
  });
});

describe.skipIf(!available)('requests for a terminal', () => {
  test('a request may send the credential as a subprotocol, which the response leaves out', async () => {
    const protocols = ['drydock.terminal', `drydock.bearer.${owner.key}`];
    const client = await attach(place({ key: undefined, protocols, query: { command: 'exit 0' } }));
    expect(client.socket.protocol).toBe('drydock.terminal');
    expect(await client.closed).toBe(CLOSES.ended);
    for (const some of [
      protocols.slice(1),
      ['drydock.terminal'],
      ['drydock.terminal', 'drydock.bearer.no'],
    ]) {
      expect(await refusalOf(place({ key: undefined, protocols: some }))).toMatchObject({ status: 401 });
    }
    const headers = { 'sec-websocket-protocol': protocols.join(', ') };
    expect(await server.as('').get(`${RUNTIMES}/first`, undefined, headers)).toMatchObject({ status: 401 });
  });

  test('a request is refused before the connection is upgraded', async () => {
    const none = '00000000-0000-7000-8000-000000000000';
    await me.post(RUNTIMES, { key: 'idle' });
    const member = await server.addPerson('colleague', { role: 'member' });
    const reader = await server.addPerson('reader', { role: 'member', workspaceRole: 'reader' });
    const stranger = await server.addPerson('stranger');
    const refusals = [
      [{ runtime: 'nothing' }, 404],
      [{ runtime: 'idle' }, 409],
      [{ key: undefined }, 401],
      [{ key: member.key }, 403],
      [{ key: reader.key }, 403],
      [{ key: stranger.key }, 403],
      [{ query: { terminal_id: none } }, 404],
      [{ query: { terminal_id: 'x' } }, 422],
      [{ query: { columns: 0 } }, 422],
      [{ query: { rows: 1_001 } }, 422],
      [{ query: { columns: 'wide' } }, 422],
      [{ query: { after: -1 } }, 422],
      [{ query: { command: '' } }, 422],
    ] as const;
    for (const [more, status] of refusals) expect(await refusalOf(place(more))).toMatchObject({ status });
  });

  test('a request without a WebSocket handshake returns 426, or the error that it would have', async () => {
    const get = (query: string, who = me) => who.get(`${RUNTIMES}/first/terminal${query}`);
    expect(await get('')).toMatchObject({ status: 426, headers: { upgrade: 'websocket' } });
    expect(await get('?terminal_id=00000000-0000-7000-8000-000000000000')).toMatchObject({ status: 404 });
    const client = await attach(place({ query: { command: 'cat' } }));
    expect(await get(`?terminal_id=${client.id}`)).toMatchObject({ status: 426 });
    expect(await get(`?terminal_id=${client.id}&after=5000`)).toMatchObject({
      status: 422,
      body: { errors: [{ loc: ['query', 'after'] }] },
    });
    client.say({ type: 'hang_up' });
    await client.closed;
    const socket = await import('node:net').then(({ connect }) =>
      connect(Number(new URL(url).port), '127.0.0.1'),
    );
    socket.write(
      `GET /api/v1${RUNTIMES}/first/terminal HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${owner.key}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    );
    const text = Buffer.concat(await socket.toArray()).toString();
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toMatch(/not a WebSocket handshake/);
  });

  test('a request cannot attach to a terminal of another runtime', async () => {
    await makeRuntime('second');
    const client = await attach(place({ query: { command: 'cat' } }));
    const query = { terminal_id: client.id };
    expect(await refusalOf(place({ runtime: 'second', query }))).toMatchObject({ status: 404 });
    const path = `${RUNTIMES}/second/terminal?terminal_id=${client.id}`;
    expect(await me.get(path)).toMatchObject({ status: 404 });
    client.say({ type: 'hang_up' });
    expect(await client.closed).toBe(CLOSES.ended);
    await me.delete(`${RUNTIMES}/second`);
  });

  test('a request for more than 32 terminals in a sandbox is refused', async () => {
    const clients = await Promise.all(
      Array.from({ length: 32 }, () => attach(place({ query: { command: 'cat' } }))),
    );
    expect(await refusalOf(place())).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/32/) },
    });
    for (const client of clients) client.say({ type: 'hang_up' });
    await Promise.all(clients.map(({ closed }) => closed));
  });
});

describe.skipIf(!available).concurrent('attached clients', () => {
  test('a client that loses its credential is disconnected, and can attach again with another one', async () => {
    const { body } = await me.post('/user/api-keys', { name: 'short' });
    const client = await attach(place({ key: body.key, query: { command: 'cat' } }));
    expect((await me.delete(`/user/api-keys/${body.id}`)).status).toBeLessThan(300);
    expect(await client.closed).toBe(CLOSES.credential);
    const next = await attach(place({ query: { terminal_id: client.id } }));
    next.say({ type: 'hang_up' });
    expect(await next.closed).toBe(CLOSES.ended);
  });

  test('a client that loses access to the runtime is disconnected, and the terminal ends', async () => {
    const person = await server.addPerson('leaving', { role: 'member', workspaceRole: 'contributor' });
    const own = server.as(person);
    expect((await own.post(RUNTIMES, { key: 'theirs' })).status).toBe(201);
    expect((await own.post(`${RUNTIMES}/theirs/start`)).status).toBe(200);
    const theirs = { runtime: 'theirs', key: person.key };
    const client = await attach(place({ ...theirs, query: { command: 'exec sleep 4201' } }));
    const setRole = (role: string) => me.put(`/org/main/ws/main/members/${person.id}`, { role });
    expect((await setRole('reader')).status).toBe(200);
    expect(await client.closed).toBe(CLOSES.forbidden);
    expect((await setRole('contributor')).status).toBe(200);
    const command = { command: 'pgrep -fcx "sleep 4201"' };
    await vi.waitFor(async () =>
      expect(await own.post(`${RUNTIMES}/theirs/exec`, command)).toMatchObject({ body: { stdout: '0\n' } }),
    );
    expect(await own.delete(`${RUNTIMES}/theirs`)).toMatchObject({ status: 204 });
  });
});
