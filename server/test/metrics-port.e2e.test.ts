/** The metrics of a real process, on a port of their own. */

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { newDataDir, spawnServer, startServer } from './processes.ts';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

test('metrics are served on the loopback address without a credential with DRYDOCK_METRICS_PORT', async () => {
  const port = String(await freePort());
  const dataDir = newDataDir();
  const server = await startServer({ DRYDOCK_DATA_DIR: dataDir, DRYDOCK_METRICS_PORT: port });
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  for (const name of [
    'drydock_http_request_duration_seconds_count{method="GET",route="/api/v1/health",status="200"} ',
    'drydock_database_connections{state="idle"} ',
    'drydock_database_waiting 0',
    'drydock_event_loop_lag_seconds{quantile="0.99"} ',
    'process_resident_memory_bytes ',
    'process_cpu_seconds_total ',
  ]) {
    expect(text).toContain(`\n${name}`);
  }
  expect(text).not.toContain('nodejs_eventloop_lag_p99_seconds');
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);

  const outside = Object.values(networkInterfaces())
    .flat()
    .filter((entry) => entry !== undefined && !entry.internal && entry.family === 'IPv4');
  for (const entry of outside)
    await expect(fetch(`http://${entry?.address}:${port}/metrics`)).rejects.toThrow();

  const second = spawnServer({ DRYDOCK_DATA_DIR: newDataDir(), DRYDOCK_METRICS_PORT: port });
  expect(await second.exited).toEqual({ code: 1, signal: null });
  expect(second.output().stderr).toContain('set DRYDOCK_METRICS_PORT to a free port');

  expect(await server.stop()).toEqual({ code: 0, signal: null });
  await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow();
});
