/** More spans than there is room for: refused in time, nothing lost that was acknowledged, and soon all is as before. */
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
/** Of about 3 MB each: more than twice what one organization may have on its way. */
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

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/** As exporters do it: an answer counts also when it comes before all is sent. */
function send(body: Buffer): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${KEY}`,
    'content-type': 'application/x-protobuf',
    'content-length': body.length,
  };
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
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

/** Few and large, so that those who send them have time to. */
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
const refusals: Answer[] = [];
const oddities: Answer[] = [];

/** Again and again without any pause; at last until it is taken, so that it is known what must be stored. */
async function insist(spans: readonly DecodedSpan[], until: number): Promise<void> {
  const body = encode(spans);
  let isTaken = false;
  while (!isTaken || performance.now() < until) {
    const answer = await send(body).catch(() => undefined);
    if (!answer) counts.broken++;
    else if (answer.status === 429) refusals.push(answer);
    else if (answer.status !== 200) return void oddities.push(answer);
    else {
      counts.taken++;
      isTaken = true;
    }
  }
  acknowledged.push(...spans);
}

test('what does not fit is refused with a time to come again, and what was taken is kept', {
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
  // It is as before at once.
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
