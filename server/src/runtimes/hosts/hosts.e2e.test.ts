/** Two hosts on one database, each with real sandboxes and its own application. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, createClient, SECRET_KEY, startTestServer } from '../../../test/harness.ts';
import { until } from '../../../test/processes.ts';
import { openTestSandboxes } from '../../../test/sandboxes.ts';
import { buildApp } from '../../app.ts';
import { loadConfig } from '../../config.ts';
import { createSigner } from '../../platform/auth/signing.ts';
import { createLog } from '../../platform/log.ts';
import type { Target } from '../operator.ts';
import { FRAMES } from './frames.ts';
import { signRequest } from './host-requests.ts';

const BASE = '/org/main/ws/main/runtimes';
const a = await startTestServer({}, [], { hasSandboxes: true });
const { db, storage, owner } = a;
if (!a.sandboxes) throw new Error('it was asked for sandboxes');
const first = a.sandboxes;
const config = loadConfig({});
const second = await openTestSandboxes({ db, storage, config, secretKey: SECRET_KEY });
const appB = await buildApp({
  config,
  secretKey: SECRET_KEY,
  db,
  storage,
  log: createLog('fatal'),
  sandboxes: second,
});
const [here, there] = [a.as(owner), createClient(() => appB, owner.key)];
let urlOfFirst = '';

beforeAll(async () => {
  urlOfFirst = await a.app.listen({ host: '127.0.0.1', port: 0 });
  await first.announce(urlOfFirst);
  await second.announce(await appB.listen({ host: '127.0.0.1', port: 0 }));
});
afterAll(async () => {
  await appB.close();
  await second.close();
});

let made = 0;

async function startOn(client: Client, body = {}): Promise<string> {
  const key = `h-${++made}`;
  expect((await client.post(BASE, { key, ...body })).status).toBe(201);
  expect((await client.post(`${BASE}/${key}/start`)).status).toBe(200);
  return key;
}

const getRuntime = async (key: string) => (await here.get(`${BASE}/${key}`)).body;

async function targetOf(key: string): Promise<Target> {
  const { id: runtimeId } = await getRuntime(key);
  const { id: organizationId } = await db
    .selectFrom('organizations')
    .select('id')
    .where('key', '=', 'main')
    .executeTakeFirstOrThrow();
  return { organizationId, runtimeId, actorId: owner.id, requestId: 'test' };
}

function frame(type: number, payload = ''): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(type, 0);
  head.writeUInt32BE(payload.length, 1);
  return Buffer.concat([head, Buffer.from(payload)]);
}

describe('operations on a runtime of another host', () => {
  test('all operations on a runtime of another host give the same results and errors as local ones', async () => {
    const key = await startOn(here, { config: { runtime_server: { env: { COLOUR: 'red' } } } });
    const exec = { command: 'read line; echo "$COLOUR $line"; echo oops >&2; exit 3', stdin: 'in\n' };
    for (const client of [here, there]) {
      const { body } = await client.post(`${BASE}/${key}/exec`, exec);
      expect(body).toMatchObject({ exit_code: 3, stdout: 'red in\n', stderr: 'oops\n' });
      const refusal = await client.post(`${BASE}/${key}/start`);
      expect(refusal).toMatchObject({
        status: 409,
        body: { code: 409, type: 'conflict_error', detail: 'The runtime runs already.' },
      });
    }
    expect((await there.post(`${BASE}/${key}/pause`)).body.status).toBe('paused');
    expect((await there.post(`${BASE}/${key}/exec`, exec)).status).toBe(409);
    expect((await there.post(`${BASE}/${key}/resume`)).body.status).toBe('running');
    expect((await there.post(`${BASE}/${key}/keepalive`, { extend_seconds: 60 })).status).toBe(200);
    expect((await there.post(`${BASE}/${key}/reset`)).body.status).toBe('idle');
    expect(await first.provider.listDisks()).toEqual([]);
    expect((await there.delete(`${BASE}/${key}`)).status).toBe(204);
    expect(await first.provider.list()).toEqual([]);
    expect(await second.provider.list()).toEqual([]);
  });

  test('a runtime starts on the host that has its disk', async () => {
    const key = await startOn(here);
    await here.post(`${BASE}/${key}/exec`, { command: 'echo kept > /workspace/note' });
    await here.delete(`/org/main/sandboxes/${(await getRuntime(key)).instance.sandbox_id}`);
    expect((await there.post(`${BASE}/${key}/start`)).status).toBe(200);
    expect(await second.provider.list()).toEqual([]);
    const { body } = await there.post(`${BASE}/${key}/exec`, { command: 'cat /workspace/note' });
    expect(body.stdout).toBe('kept\n');
    await there.delete(`${BASE}/${key}`);
  });

  test('large input and output are streamed with backpressure', async () => {
    const key = await startOn(here);
    const target = await targetOf(key);
    const execution = await second.operator.exec(target, {
      argv: ['sh', '-c', 'wc -c >&2; head -c 30000000 /dev/zero'],
      cwd: '/',
      environment: {},
    });
    const pieces = async () => {
      let bytes = 0;
      for await (const chunk of execution.stdout) bytes += (chunk as Buffer).length;
      return bytes;
    };
    const outputs = Promise.all([pieces(), text(execution.stderr)]);
    for (let count = 0; count < 50; count++) {
      const isTaken = execution.stdin.write(Buffer.alloc(100_000));
      if (!isTaken) await new Promise((resolve) => execution.stdin.once('drain', resolve));
    }
    execution.stdin.end();
    expect(await outputs).toEqual([30_000_000, '5000000\n']);
    expect(await execution.exit).toEqual({ code: 0 });
    await there.delete(`${BASE}/${key}`);
  });

  test('input in one large chunk is streamed', async () => {
    const key = await startOn(here);
    const { body } = await there.post(`${BASE}/${key}/exec`, {
      command: 'wc -c',
      stdin: 'x'.repeat(6_000_000),
    });
    expect(body).toMatchObject({ exit_code: 0, stdout: '6000000\n' });
    await there.delete(`${BASE}/${key}`);
  });

  test('the result of a command is available to a caller that is still sending input', async () => {
    const key = await startOn(here);
    const command = { argv: ['echo', 'unread'], cwd: '/', environment: {} };
    const body = JSON.stringify({ target: await targetOf(key), command });
    const host = first.own.hostId ?? '';
    const token = signRequest(createSigner(SECRET_KEY), host, 'exec', Buffer.from(body));
    const { hostname, port } = new URL(urlOfFirst);
    const socket = connect(Number(port), hostname).pause();
    const sendChunk = (bytes: Buffer) =>
      socket.write(
        Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]),
      );
    socket.write(
      `POST /internal/hosts/${host}/exec HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\n` +
        `authorization: Bearer ${token}\r\ncontent-type: application/octet-stream\r\ntransfer-encoding: chunked\r\n\r\n`,
    );
    sendChunk(frame(FRAMES.command, body));
    await sleep(500); // The command has ended before.
    for (const piece of ['too', 'late']) {
      sendChunk(frame(FRAMES.stdin, piece));
      await sleep(100);
    }
    const received: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => received.push(chunk)).resume();
    await until('its end is heard of', async () => Buffer.concat(received).includes('{"code":0}'));
    expect(Buffer.concat(received).includes('unread\n')).toBe(true);
    socket.destroy();
    await there.delete(`${BASE}/${key}`);
  });

  test('a command ends when its caller disconnects', async () => {
    const key = await startOn(here);
    const target = await targetOf(key);
    const command = { argv: ['sleep', '1234'] as const, cwd: '/', environment: {} };
    const count = async () =>
      (await here.post(`${BASE}/${key}/exec`, { command: 'pgrep -c -f "^sleep 1234"' })).body.stdout.trim();
    const execution = await second.operator.exec(target, command);
    await until('it runs', async () => (await count()) === '1');
    execution.kill();
    await until('it has ended', async () => (await count()) === '0');
    await there.delete(`${BASE}/${key}`);
  });
});

/** Replaces the first host by a server that handles its connections as given. */
async function withHostThat<T>(
  respond: (request: IncomingMessage, response: ServerResponse) => void,
  work: () => Promise<T>,
): Promise<T> {
  const server = createServer(respond).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await first.announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return await work();
  } finally {
    await first.announce(urlOfFirst);
    server.closeAllConnections();
    server.close();
  }
}

describe('lost hosts', () => {
  const OURS = { status: 502, body: { type: 'sandbox_provider_error' } };
  const LOSSES = {
    'before it answers': (request: IncomingMessage) => request.socket.destroy(),
    'while it answers': (_request: IncomingMessage, response: ServerResponse) => {
      response.writeHead(200).write('{"step":{"step":"a","message":"b"}}\n');
      setImmediate(() => response.destroy());
    },
    'within a line': (_request: IncomingMessage, response: ServerResponse) => void response.end('{"st'),
    'while it refuses': (_request: IncomingMessage, response: ServerResponse) => {
      response.writeHead(500, { 'content-length': 100 }).write('{');
      setImmediate(() => response.destroy());
    },
    'to another program': (_request: IncomingMessage, response: ServerResponse) =>
      void response.end('<html>'),
  };

  test.each(Object.entries(LOSSES))(
    'a state transition returns 502 when the host is lost: %s',
    async (_name, respond) => {
      const key = await startOn(here);
      await withHostThat(respond, async () => {
        expect(await there.post(`${BASE}/${key}/pause`)).toMatchObject(OURS);
        expect(await there.post(`${BASE}/${key}/exec`, { command: 'true' })).toMatchObject(OURS);
      });
      await there.delete(`${BASE}/${key}`);
    },
  );

  test('output of a command whose host is lost is not reported as complete', async () => {
    const key = await startOn(here);
    await withHostThat(
      (_request, response) => {
        response.writeHead(200).write(Buffer.concat([frame(10), frame(11, 'half')]));
        setTimeout(() => response.destroy(), 50);
      },
      async () => {
        expect(await there.post(`${BASE}/${key}/exec`, { command: 'true' })).toMatchObject(OURS);
      },
    );
    await there.delete(`${BASE}/${key}`);
  });

  test('a long command is refused at once as well', async () => {
    const key = await startOn(here);
    await first.announce('http://127.0.0.1:1');
    const command = `: ${'x'.repeat(120_000)}`;
    expect(await there.post(`${BASE}/${key}/exec`, { command })).toMatchObject(OURS);
    await first.announce(urlOfFirst);
    await there.delete(`${BASE}/${key}`);
  });

  test('a command that times out on the other host is reported as timed out', async () => {
    const key = await startOn(here);
    const { body } = await there.post(`${BASE}/${key}/exec`, {
      command: 'echo begun; sleep 600',
      timeout_seconds: 1,
    });
    expect(body).toMatchObject({ timed_out: true, exit_code: 137, stdout: 'begun\n' });
    await there.delete(`${BASE}/${key}`);
  });

  test('a refused command leaves no connection open', async () => {
    const key = await startOn(here);
    const target = await targetOf(key);
    await here.post(`${BASE}/${key}/pause`);
    const count = () => new Promise((emit) => a.app.server.getConnections((_error, open) => emit(open)));
    const before = await count();
    const command = { argv: ['true'] as const, cwd: '/', environment: {} };
    for (let tries = 0; tries < 5; tries++)
      await expect(second.operator.exec(target, command)).rejects.toMatchObject({ status: 409 });
    await until('they are closed', async () => (await count()) === before);
    await there.delete(`${BASE}/${key}`);
  });
});

describe('requests between processes', () => {
  const path = (host: string, verb: string) => `/internal/hosts/${host}/${verb}`;
  const post = (url: string, token: string | undefined, body: string) =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      const headers = {
        ...(token && { authorization: `Bearer ${token}` }),
        'content-type': 'application/json',
      };
      send(url, { method: 'POST', headers }, (response) => {
        text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
      })
        .on('error', reject)
        .end(body);
    });

  test('a host accepts only requests signed for it', async () => {
    const key = await startOn(here);
    const body = JSON.stringify({ target: await targetOf(key) });
    const host = first.own.hostId ?? '';
    const signer = createSigner(SECRET_KEY);
    const good = signRequest(signer, host, 'pause', Buffer.from(body));
    const tries = [
      [undefined, 'pause', body],
      ['nonsense', 'pause', body],
      [owner.key, 'pause', body],
      [good, 'delete', body],
      [good, 'pause', `${body} `],
      [signRequest(signer, second.own.hostId ?? '', 'pause', Buffer.from(body)), 'pause', body],
      [
        signRequest(createSigner('another key of another platform here'), host, 'pause', Buffer.from(body)),
        'pause',
        body,
      ],
    ] as const;
    for (const [token, verb, sent] of tries) {
      const response = await post(`${urlOfFirst}${path(host, verb)}`, token, sent);
      expect(response.status).toBe(401);
    }
    expect((await getRuntime(key)).status).toBe('running');
    expect((await post(`${urlOfFirst}${path(host, 'pause')}`, good, body)).status).toBe(200);
    expect((await getRuntime(key)).status).toBe('paused');
    await here.delete(`${BASE}/${key}`);
  });

  test('a request without a signature is refused before its body is read', async () => {
    for (const verb of ['pause', 'exec']) {
      const request = send(`${urlOfFirst}${path(first.own.hostId ?? '', verb)}`, { method: 'POST' });
      request.on('error', () => undefined).flushHeaders();
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      expect(response.statusCode).toBe(401);
      request.destroy();
    }
  });

  test('an address that leads to another process is reported with DRYDOCK_HOST_URL', async () => {
    const key = await startOn(here);
    const [mine, other] = [first.own.hostId, urlOfFirst];
    await sql`UPDATE sandbox_hosts SET url = (SELECT url FROM sandbox_hosts WHERE id = ${second.own.hostId}) WHERE id = ${mine}`.execute(
      db,
    );
    const refusal = await there.post(`${BASE}/${key}/pause`);
    expect(refusal).toMatchObject({ status: 502, body: { type: 'sandbox_provider_error' } });
    expect(refusal.body.detail).toContain('DRYDOCK_HOST_URL');
    await sql`UPDATE sandbox_hosts SET url = 'http://127.0.0.1:1' WHERE id = ${mine}`.execute(db);
    expect(await there.post(`${BASE}/${key}/pause`)).toMatchObject({
      status: 502,
      body: { type: 'sandbox_provider_error' },
    });
    await first.announce(other);
    expect((await there.delete(`${BASE}/${key}`)).status).toBe(204);
  });
});

test('internal paths are not documented and reveal nothing without a signature', async () => {
  expect(JSON.stringify((await here.get('/openapi.json')).body)).not.toContain('/internal');
});
