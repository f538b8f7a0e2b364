/** kill -9 during appends, compactions, rewinds and saves: every acknowledged change is there once, in one order, and counted. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { uuidv7 } from '../src/platform/uuid.ts';
import { FIRST_START } from './first-start.ts';
import { call, type ErrorBody, until } from './processes.ts';
import { ServerPair } from './server-pair.ts';
import { asSent, auditTranscript } from './session-audit.ts';
import { Refusal, type SessionPlace, SessionWriter } from './session-writers.ts';

const ROUNDS = Number(process.env.DRYDOCK_TEST_ROUNDS ?? 20);
const WRITERS = 8;
const KEY = FIRST_START.apiKey;
const servers = new ServerPair(KEY);

beforeAll(() => servers.start());
afterAll(() => servers.stop());

/** Each request goes to either server. */
const place: SessionPlace = {
  send: async (method, path, body) => {
    const response = await call<ErrorBody>(servers.url(), KEY, method, `/org/main/ws/main${path}`, body);
    const text = `${method} ${path}: ${JSON.stringify(response.body)}`;
    if (response.status >= 500) throw new Error(text);
    if (response.status >= 300) throw new Refusal(response.status, text);
    return response;
  },
};

const shared = [uuidv7(), uuidv7(), uuidv7()];
const writers = Array.from({ length: WRITERS }, () => new SessionWriter(shared));

const count = (what: keyof SessionWriter['counts']) =>
  writers.reduce((sum, { counts }) => sum + counts[what], 0);

/** Waits until every writer has an acknowledged write that began after this point. */
async function untilWorkIsDone(): Promise<void> {
  const before = count('append');
  await until('work is done', () => count('append') >= before + 3 * WRITERS, 60_000);
}

async function checkShared(session: string): Promise<number> {
  const stored = await auditTranscript(place, session);
  const reported = writers
    .flatMap(({ acknowledged }) => acknowledged.get(session) ?? [])
    .toSorted((a, b) => a.seq - b.seq);
  expect(stored.map(({ seq }) => seq)).toEqual(reported.map(({ seq }) => seq));
  expect(stored).toMatchObject(reported.map(({ message }) => asSent(message)));
  return stored.length;
}

async function checkOwn({ own, transcript, saved }: SessionWriter): Promise<number> {
  const stored = await auditTranscript(place, own);
  expect(stored).toHaveLength(transcript.length);
  expect(stored).toMatchObject(transcript.map(asSent));
  for (const [id, title] of saved) {
    const session = await place.send('GET', `/sessions/${id}`);
    expect(session.body).toMatchObject({ id, title, model: 'sim/echo', labels: { round: ['one'] } });
  }
  return stored.length;
}

test(`${ROUNDS} rounds lose no acknowledged write and duplicate none`, {
  timeout: ROUNDS * 120_000,
}, async () => {
  for (const id of shared) await place.send('POST', '/sessions', { id, model: 'sim/echo', title: 'Shared' });
  for (const writer of writers) await writer.begin(place);
  for (let round = 1; round <= ROUNDS; round++) {
    const calm = new AbortController();
    const writing = Promise.all(writers.map((writer) => writer.write(place, calm.signal)));
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
    // A refused write, which should not occur, fails here immediately.
    const killed = await Promise.race([ending, writing.then(() => ending)]);
    calm.abort();
    await writing;

    let messages = 0;
    for (const session of shared) messages += await checkShared(session);
    for (const writer of writers) messages += await checkOwn(writer);
    console.info(
      `round ${round}, the second server and ${killed} killed: so far ${count('append')} appends, ${count('compaction')} ` +
        `compactions, ${count('rewind')} rewinds, ${count('save')} saves answered, ${count('repetition')} calls ` +
        `repeated, ${count('found')} appends found done; ${messages} messages are stored`,
    );
  }
  expect(count('repetition')).toBeGreaterThan(ROUNDS);
});
