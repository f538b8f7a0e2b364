/** The OpenTelemetry SDKs for JavaScript and Python, while the bundled PostgreSQL is killed and restarts three times. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPython } from '../../scripts/python-packages.ts';
import { FIRST_START } from './first-start.ts';
import { call, newDataDir, postmasterOf, type RunningServer, startServer, until } from './processes.ts';

const RESTARTS = 3;
const KEY = FIRST_START.apiKey;
const environment = {
  DRYDOCK_DATA_DIR: newDataDir(),
  DRYDOCK_INIT_API_KEY: KEY,
  DRYDOCK_LOG_LEVEL: 'fatal',
  DRYDOCK_RATE_LIMIT_INGEST: '0',
};
let server: RunningServer;
beforeAll(async () => {
  server = await startServer(environment);
});
afterAll(() => server.stop());

async function killDatabase(): Promise<void> {
  for (let restart = 0; restart < RESTARTS; restart++) {
    await sleep(1_000);
    const postmaster = postmasterOf(environment.DRYDOCK_DATA_DIR);
    process.kill(postmaster, 'SIGKILL');
    await until('PostgreSQL runs again', () => {
      try {
        return postmasterOf(environment.DRYDOCK_DATA_DIR) !== postmaster;
      } catch {
        return false;
      }
    });
  }
  await sleep(1_000);
}

async function countSpans(name: string): Promise<number> {
  const query = `SELECT count(*) AS n FROM spans WHERE name = '${name}'`;
  const response = await call<{ rows: { n: number }[] | number[][] }>(
    server.url,
    KEY,
    'POST',
    '/org/main/ws/main/query',
    { query },
  );
  expect(response.status).toBe(200);
  const [row] = response.body.rows;
  return Number(Array.isArray(row) ? row[0] : row?.n);
}

describe('three restarts of PostgreSQL', () => {
  test('lose no span of the SDK for JavaScript', { timeout: 120_000 }, async () => {
    const exporter = new OTLPTraceExporter({
      url: `${server.url}/api/v1/org/main/otel/traces`,
      headers: { authorization: `Bearer ${KEY}` },
    });
    const processor = new BatchSpanProcessor({ exporter, maxQueueSize: 1_000_000, scheduledDelayMillis: 50 });
    const provider = new TracerProvider({ spanProcessors: [processor] });
    const tracer = provider.getTracer('many');
    let count = 0;
    const sending = setInterval(() => {
      tracer.startSpan('javascript').end();
      count++;
    }, 2);
    await killDatabase();
    clearInterval(sending);
    await provider.shutdown();
    expect(count).toBeGreaterThan(500);
    expect(await countSpans('javascript')).toBe(count);
  });

  const python = findPython();
  test.skipIf(!python)('lose no span of the SDK for Python', { timeout: 120_000 }, async () => {
    const script = join(import.meta.dirname, 'python/send_many_spans.py');
    const child = spawn(python ?? '', [script], {
      env: {
        PATH: process.env.PATH,
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${server.url}/api/v1/org/main/otel/traces`,
        OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${KEY}`,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const output = text(child.stdout);
    await killDatabase();
    child.stdin.end();
    await once(child, 'exit');
    const count = Number(await output);
    expect(count).toBeGreaterThan(500);
    expect(await countSpans('many')).toBe(count);
  });
});
