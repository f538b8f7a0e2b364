/** Clients that disconnect before the response, or right after it. */
import { type AddressInfo, connect as connectSocket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openRaw } from '../../../../test/raw-http.ts';
import { Metrics } from '../../metrics/metrics.ts';
import { RequestMetrics } from '../../metrics/request-metrics.ts';
import { BYTES } from '../operations.ts';
import { createServer } from '../server.ts';

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly status?: number;
}

const ERROR_LEVEL = 50;
const HEAD =
  'POST /upload HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n';

function makeServer() {
  const lines: Line[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const metrics = new Metrics(log);
  const app = createServer({ log, trustedProxies: undefined, metrics: new RequestMetrics(metrics) });
  onTestFinished(() => app.close());
  return { app, lines, metrics };
}

async function listen(app: FastifyInstance): Promise<number> {
  await app.listen({ port: 0 });
  return (app.server.address() as AddressInfo).port;
}

const complaints = (lines: readonly Line[]) => lines.filter(({ level }) => level >= ERROR_LEVEL);
const responded = (lines: readonly Line[]) =>
  lines.filter(({ msg }) => msg === 'request').map(({ status }) => status);

test('a client that disconnects in the middle of its body is refused, and not logged as a server error', async () => {
  const { app, lines } = makeServer();
  app.post('/upload', async () => 'taken');
  const status = new Promise<number>((resolve) => {
    app.addHook('onSend', async (_request, reply) => resolve(reply.statusCode));
  });
  const socket = connectSocket(await listen(app), '127.0.0.1');
  socket.write(`${HEAD}{`);
  app.server.once('request', () => socket.destroy());
  expect(await status).toBe(400);
  expect(complaints(lines)).toEqual([]);
});

/** Disconnects during the work, which then fails with the result of `fail` for the signal's reason. */
async function leaveDuringWork(fail: (reason: unknown) => unknown): Promise<readonly Line[]> {
  const { app, lines } = makeServer();
  const isOver = Promise.withResolvers<void>();
  const hasBegun = Promise.withResolvers<void>();
  app.get('/work', async ({ raw }) => {
    const leaving = new AbortController();
    const hasLeft = new Promise((resolve) => raw.socket.once('close', resolve));
    hasBegun.resolve();
    await hasLeft;
    leaving.abort();
    throw fail(leaving.signal.reason);
  });
  app.addHook('onError', async () => isOver.resolve());
  const socket = connectSocket(await listen(app), '127.0.0.1');
  socket.write('GET /work HTTP/1.1\r\nHost: x\r\n\r\n');
  await hasBegun.promise;
  socket.destroy();
  await isOver.promise;
  await sleep(50);
  return lines;
}

test('work aborted because its client disconnected is not logged as a server error', async () => {
  expect(complaints(await leaveDuringWork((reason) => reason))).toEqual([]);
  expect(complaints(await leaveDuringWork((cause) => new Error('not stored', { cause })))).toEqual([]);
});

test('a failure for another reason is logged, even when the client has disconnected', async () => {
  const lines = await leaveDuringWork(() => new Error('a bug'));
  expect(complaints(lines)).toMatchObject([{ msg: 'request failed' }]);
});

test('work aborted while its client waits is logged as a server error', async () => {
  const { app, lines } = makeServer();
  app.get('/work', async () => AbortSignal.abort().throwIfAborted());
  expect((await app.inject('/work')).statusCode).toBe(500);
  expect(complaints(lines)).toMatchObject([{ msg: 'request failed' }]);
});

test('a response is logged and counted once, even when its reader disconnects early', async () => {
  const { app, lines, metrics } = makeServer();
  const upload = { contentTypes: { 'application/json': BYTES }, maxBytes: 1_000 };
  const refuse = { config: { upload } };
  app.post(
    '/upload',
    { ...refuse, onRequest: async (_request, reply) => reply.code(409).send('no') },
    () => '',
  );
  app.get('/plain', () => 'yes');
  const port = await listen(app);
  const connection = await openRaw(port);
  connection.write(`${HEAD}{`);
  expect((await connection.readResponse()).status).toBe(409);
  connection.socket.destroy();
  await vi.waitFor(() => expect(responded(lines)).toEqual([409]));
  expect(await (await fetch(`http://127.0.0.1:${port}/plain`)).text()).toBe('yes');
  await vi.waitFor(() => expect(responded(lines)).toEqual([409, 200]));
  const counts = (await metrics.registry.metrics()).match(
    /^drydock_http_request_duration_seconds_count.*$/gm,
  );
  expect(counts?.map((line) => line.split(' ').at(-1))).toEqual(['1', '1']);
});
