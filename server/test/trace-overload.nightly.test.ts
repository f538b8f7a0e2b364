/**
 * More spans than the server can accept: they are refused in time, no acknowledged span is lost, and afterwards everything is as before.
 */
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DecodedSpan } from '../src/traces/otlp/model.ts';
import { FIRST_START } from './first-start.ts';
import { attributesOf, encodeProtobuf, makeSource, makeSpan } from './otlp-messages.ts';
import { newDataDir, type RunningServer, startServer, urlOfRunning } from './processes.ts';
import { auditParts, auditSpans } from './trace-audit.ts';

const KEY = FIRST_START.apiKey;
const SECONDS = 4;
/** Batches of about 3 MB each: more than twice what one organization may have in transit. */
const LARGE = { clients: 20, spans: 500 };
const SPAN_BYTES = 6_000;
const SMALL = { clients: 10, spans: 5 };
const DATA_DIR = newDataDir();
let server: RunningServer;

beforeAll(async () => {
  server = await startServer({
    DRYDOCK_DATA_DIR: DATA_DIR,
    DRYDOCK_INIT_API_KEY: KEY,
    DRYDOCK_LOG_LEVEL: 'fatal',
  });
});
afterAll(() => server.stop());

interface ExportResponse {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/** Sends as exporters do: a response counts even if it arrives before everything is sent. */
function send(body: Buffer): Promise<ExportResponse> {
  const headers = {
    authorization: `Bearer ${KEY}`,
    'content-type': 'application/x-protobuf',
    'content-length': body.length,
  };
  const { promise, resolve, reject } = Promise.withResolvers<ExportResponse>();
  const sent = request(`${server.url}/api/v1/org/main/otel/traces`, { method: 'POST', headers });
  sent.on('error', reject).on('response', (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    response.on('error', reject).on('end', () => {
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], body: text });
    });
  });
  sent.end(body);
  return promise;
}

/** Few and large spans, so that the senders have enough CPU time. */
function newSpans(count: number): DecodedSpan[] {
  const traceId = randomBytes(16);
  const startTimeUnixNano = BigInt(Date.now()) * 1_000_000n;
  const attributes = attributesOf({ text: randomBytes(SPAN_BYTES / 2).toString('hex') });
  return Array.from({ length: count }, (_, index) =>
    makeSpan(index, { traceId, spanId: randomBytes(8), startTimeUnixNano, attributes }),
  );
}

const encode = (spans: readonly DecodedSpan[]) => encodeProtobuf([{ source: makeSource(), spans }]);

const acknowledged: DecodedSpan[] = [];
const counts = { taken: 0, broken: 0 };
const refusals: ExportResponse[] = [];
const oddities: ExportResponse[] = [];

/** Sends repeatedly without a pause until the batch is accepted, so that the expected content is known. */
async function insist(spans: readonly DecodedSpan[], until: number): Promise<void> {
  const body = encode(spans);
  let isTaken = false;
  while (!isTaken || performance.now() < until) {
    const response = await send(body).catch(() => undefined);
    if (!response) counts.broken++;
    else if (response.status === 429) refusals.push(response);
    else if (response.status !== 200) return void oddities.push(response);
    else {
      counts.taken++;
      isTaken = true;
    }
  }
  acknowledged.push(...spans);
}

test('batches above the limit are refused with a retry time, and accepted ones are kept', {
  timeout: 120_000,
}, async () => {
  const batches = [LARGE, SMALL].flatMap(({ clients, spans }) =>
    Array.from({ length: clients }, () => newSpans(spans)),
  );
  const until = performance.now() + SECONDS * 1000;
  await Promise.all(batches.map((spans) => insist(spans, until)));
  expect(oddities).toEqual([]);
  expect(refusals.length).toBeGreaterThan(LARGE.clients);
  for (const { retryAfter, body } of refusals) {
    expect(Number(retryAfter)).toBeGreaterThan(0);
    expect(JSON.parse(body)).toMatchObject({ code: 429, type: 'usage_limit_exceeded_error' });
  }
  // Everything works as before immediately.
  const spans = newSpans(100);
  expect(await send(encode(spans))).toMatchObject({ status: 200, body: '' });
  acknowledged.push(...spans);
  const url = urlOfRunning(DATA_DIR);
  await auditSpans(url, acknowledged);
  await auditParts(url);
  console.info(
    `${counts.taken} batches taken, ${refusals.length} refused, ${counts.broken} without an answer; ` +
      `${acknowledged.length} spans are stored`,
  );
});
