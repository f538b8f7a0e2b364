/** kill -9 during batches of spans: every acknowledged span is stored, every repeated one is stored once, and all are counted. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { uuidv7 } from '../src/platform/uuid.ts';
import { FIRST_START } from './first-start.ts';
import { call, until } from './processes.ts';
import { ServerPair } from './server-pair.ts';
import { auditParts, auditSpans } from './trace-audit.ts';
import { newTrace, type SendSpans, TraceWriter } from './trace-writers.ts';

const ROUNDS = Number(process.env.DRYDOCK_TEST_ROUNDS ?? 20);
const WRITERS = 8;
const KEY = FIRST_START.apiKey;
const servers = new ServerPair(KEY);

beforeAll(() => servers.start());
afterAll(() => servers.stop());

/** Sends to either server. */
const send: SendSpans = async (body, headers) => {
  const response = await fetch(`${servers.url()}/api/v1/org/main/otel/traces`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, ...headers },
    body: new Uint8Array(body),
    signal: AbortSignal.timeout(30_000),
  });
  const result = Buffer.from(await response.arrayBuffer());
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body: result };
};

const session = uuidv7();
const shared = [newTrace(), newTrace(session), newTrace(uuidv7()), newTrace('not a session')];
const writers = Array.from({ length: WRITERS }, () => new TraceWriter(shared));

const count = (what: keyof TraceWriter['counts']) =>
  writers.reduce((sum, { counts }) => sum + counts[what], 0);

/** Waits until every writer has an acknowledged batch that began after this point. */
async function untilWorkIsDone(): Promise<void> {
  const before = count('batch');
  await until('work is done', () => count('batch') >= before + 3 * WRITERS, 60_000);
}

test(`${ROUNDS} rounds lose no acknowledged span and duplicate none`, {
  timeout: ROUNDS * 120_000,
}, async () => {
  const body = { id: session, model: 'sim/echo', title: 'Traced' };
  expect(await call(servers.url(), KEY, 'POST', '/org/main/ws/main/sessions', body)).toMatchObject({
    status: 201,
  });
  for (let round = 1; round <= ROUNDS; round++) {
    const calm = new AbortController();
    const writing = Promise.all(writers.map((writer) => writer.write(send, calm.signal)));
    const ending = (async () => {
      await untilWorkIsDone();
      await sleep(Math.random() * 500);
      await servers.killSecond();
      await untilWorkIsDone();
      await sleep(Math.random() * 500);
      const killed = await servers.kill(round);
      await untilWorkIsDone();
      return killed;
    })();
    // A refused batch, which should not occur, fails here immediately.
    const killed = await Promise.race([ending, writing.then(() => ending)]);
    calm.abort();
    await writing;

    const url = servers.databaseUrl();
    const spans = await auditSpans(
      url,
      writers.flatMap(({ acknowledged }) => acknowledged),
    );
    const parts = await auditParts(url);
    console.info(
      `round ${round}, the second server and ${killed} killed: so far ${count('batch')} batches answered, ` +
        `${count('repetition')} sent again after a broken answer, ${count('echo')} after a good one, ` +
        `${count('refusal')} refused for want of room; ${spans} spans are stored, of ${parts} parts of traces`,
    );
  }
  expect(count('repetition')).toBeGreaterThan(ROUNDS);
});
