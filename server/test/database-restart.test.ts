/** Requests while the database restarts. The connections go through a proxy that cuts them and refuses new ones for a while. */
import { setTimeout as sleep, setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startTestServer } from './harness.ts';
import { type PostgresProxy, startPostgresProxy } from './postgres-proxy.ts';

let proxy: PostgresProxy | undefined;
const server = await startTestServer({}, [], {
  reachDatabase: async (url) => {
    proxy = await startPostgresProxy(url);
    return proxy.url;
  },
});
const client = server.as(server.owner);
const PROJECTS = '/org/main/ws/main/projects';

function leave(): void {
  if (!proxy) throw new Error('there is a proxy');
  proxy.isAway = true;
  proxy.cutAll();
}

const comeBack = () => {
  if (proxy) proxy.isAway = false;
};

/** Shorter than the 2 s for which a request waits. */
const RESTART_MS = 500;

async function restart(): Promise<void> {
  leave();
  await sleep(RESTART_MS);
  comeBack();
}

const spans = () => {
  const time = String(BigInt(Date.now()) * 1_000_000n);
  const [traceId, spanId] = [32, 16].map((length) =>
    Array.from({ length }, () => Math.floor(Math.random() * 15 + 1).toString(16)).join(''),
  );
  const span = { traceId, spanId, name: 'span', startTimeUnixNano: time, endTimeUnixNano: time };
  return { resourceSpans: [{ resource: {}, scopeSpans: [{ spans: [span] }] }] };
};

test('listProjects, createProject and pushTraces wait for a restarting database', async () => {
  const restarting = restart();
  const responses = await Promise.all([
    client.get(PROJECTS),
    client.post(PROJECTS, { name: 'During the restart', key: 'during' }),
    client.post('/org/main/otel/traces', spans()),
  ]);
  await restarting;
  expect(responses.map(({ status }) => status)).toEqual([200, 201, 200]);
});

test('listProjects is retried when its connection breaks, and pushTraces asks the client to retry', async () => {
  const listed = [];
  const pushed = [];
  for (let round = 0; round < 20; round++) {
    const asked = [client.get(PROJECTS), client.post('/org/main/otel/traces', spans())] as const;
    await turnOfEventLoop();
    proxy?.cutAll();
    const [list, push] = await Promise.all(asked);
    listed.push(list.status);
    pushed.push(push.status);
  }
  expect(new Set(listed)).toEqual(new Set([200]));
  // It is unknown whether a statement that was cut off was committed; sending spans again is harmless.
  expect(pushed.filter((status) => status !== 200 && status !== 429)).toEqual([]);
});

test('pushTraces returns 429 with Retry-After while the database stays away, and other operations return 500', async () => {
  leave();
  const [pushed, listed] = await Promise.all([
    client.post('/org/main/otel/traces', spans()),
    client.get(PROJECTS),
  ]);
  comeBack();
  expect(pushed).toMatchObject({
    status: 429,
    headers: { 'retry-after': '1' },
    body: { type: 'usage_limit_exceeded_error' },
  });
  expect(listed).toMatchObject({ status: 500, body: { type: 'database_error' } });
  expect(await client.post('/org/main/otel/traces', spans())).toMatchObject({ status: 200 });
});
