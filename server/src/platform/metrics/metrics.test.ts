import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { until } from '../../../test/processes.ts';
import { createLog } from '../log.ts';
import { Metrics } from './metrics.ts';

const server = await startTestServer();

async function readMetrics(): Promise<string> {
  const { status, body, headers } = await server.as(server.owner).get('/metrics');
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  return body;
}

/** Returns the value of the first line with this prefix. */
function valueOf(text: string, beginning: string): number | undefined {
  const line = text.split('\n').find((candidate) => candidate.startsWith(beginning));
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ')));
}

const COUNT = 'drydock_http_request_duration_seconds_count';

test('requests are counted by method, route pattern and status, and never by path', async () => {
  await server.as(server.owner).get('/org/main/ws/main/projects/default');
  await server.as(server.owner).get('/org/main/ws/main/projects/secret-plan');
  await server.as(server.owner).get('/org/main/ws/main/projects/other-plan');
  await server.as(server.owner).get('/nowhere/secret-plan');
  const text = await readMetrics();
  const route = '/api/v1/org/:org/ws/:workspace/projects/:project';
  expect(valueOf(text, `${COUNT}{method="GET",route="${route}",status="200"}`)).toBe(1);
  expect(valueOf(text, `${COUNT}{method="GET",route="${route}",status="404"}`)).toBe(2);
  expect(valueOf(text, `${COUNT}{method="GET",route="none",status="404"}`)).toBe(1);
  expect(text).not.toContain('plan');
  expect(text).not.toContain('main');
});

test('a key that may only read its own user is sufficient for a platform admin', async () => {
  const { body } = await server
    .as(server.owner)
    .post('/user/api-keys', { name: 'scraper', allowed_scopes: ['user:read'] });
  expect((await server.as(body.key as string).get('/metrics')).status).toBe(200);
});

test('a request is in flight until its response is sent or its client disconnects', async () => {
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.app.server.address() as AddressInfo;
  const inFlight = async () => valueOf(await readMetrics(), 'drydock_http_requests_in_flight ');
  expect(await inFlight()).toBe(1); // the request that reads the metrics
  const headers = {
    authorization: `Bearer ${server.owner.key}`,
    'content-type': 'application/json',
    'content-length': '10',
  };
  const hanging = request({ port, method: 'POST', path: '/api/v1/org/main/ws/main/projects', headers });
  hanging.on('error', () => undefined).write('{');
  await until('it has begun', async () => (await inFlight()) === 2);
  hanging.destroy();
  await until('it has ended', async () => (await inFlight()) === 1);
});

test('other parts add gauges that are read at each scrape; a failing one is left out', async () => {
  const metrics = new Metrics(createLog('silent'));
  let jobs = 1;
  let isBroken = false;
  metrics.addGauge({ name: 'drydock_streams', help: 'Open.', read: () => 3 });
  metrics.addGauge({
    name: 'drydock_jobs',
    help: 'By state.',
    labelNames: ['state'],
    read: async () => {
      if (isBroken) throw new Error('the database is away');
      return [{ labels: { state: 'waiting' }, value: jobs }];
    },
  });
  expect(valueOf(await metrics.read(), 'drydock_jobs{state="waiting"}')).toBe(1);
  jobs = 7;
  expect(valueOf(await metrics.read(), 'drydock_jobs{state="waiting"}')).toBe(7);
  isBroken = true;
  const text = await metrics.read();
  expect(text).not.toContain('drydock_jobs{');
  expect(valueOf(text, 'drydock_streams ')).toBe(3);
});

test('a gauge without labels has no value when it cannot be read in time', async () => {
  const metrics = new Metrics(createLog('silent'));
  metrics.addGauge({
    name: 'drydock_stuck',
    help: 'Never.',
    read: () => new Promise<number>(() => undefined),
  });
  expect(await metrics.read()).not.toMatch(/^drydock_stuck /m);
});
