/**
 * A span belongs to the session that it names only when its sender owns the session: users never get access to spans of other users this
 * way.
 */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Person, startTestServer } from '../../../test/harness.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { traceCleanUps } from '../retention/clean-ups.ts';

const server = await startTestServer();
const { owner: alice, db } = server;
const carol = await server.addPerson('carol', { role: 'member' });
const bob = await server.addPerson('bob', { role: 'member' });
const WORKSPACE = '/org/main/ws/main';
const newTraceId = () => randomBytes(16).toString('hex');

interface SentSpan {
  readonly traceId: string;
  readonly name: string;
  readonly sessionId?: string;
  readonly spanId?: string;
  readonly start?: bigint;
  readonly workspace?: string;
}

async function send(who: Person, span: SentSpan) {
  const { traceId, name, sessionId, workspace = 'main' } = span;
  const start = span.start ?? BigInt(Date.now()) * 1_000_000n;
  const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
  const sent = {
    traceId,
    spanId: span.spanId ?? randomBytes(8).toString('hex'),
    name,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start),
    attributes: sessionId ? [text('gen_ai.conversation.id', sessionId)] : [],
  };
  const resource = { attributes: [text('drydock.workspace', workspace)] };
  const body = { resourceSpans: [{ resource, scopeSpans: [{ spans: [sent] }] }] };
  const response = await server.as(who).post('/org/main/otel/traces', body);
  expect(response.status).toBe(200);
  return response.body;
}

const save = async (who: Person, id: string, more: object = {}) =>
  expect((await server.as(who).post(`${WORKSPACE}/sessions`, { id, model: 'm', ...more })).status).toBe(201);
const remove = async (who: Person, id: string) =>
  expect((await server.as(who).delete(`${WORKSPACE}/sessions/${id}`)).status).toBe(204);
const cleanUp = async () => {
  for (const { run } of traceCleanUps()) await run(db);
};

/** Returns the names of the visible spans of a trace, and checks that all ways of reading agree. */
async function seen(who: Person, traceId: string): Promise<string[]> {
  const as = server.as(who);
  const { status, body } = await as.get(`${WORKSPACE}/traces/${traceId}/spans`);
  const names: string[] = status === 200 ? body.items.map(({ name }: { name: string }) => name) : [];
  const summary = await as.get(`${WORKSPACE}/traces/${traceId}`);
  const stats = await as.get(`${WORKSPACE}/traces/${traceId}/stats`);
  const list = await as.get(`${WORKSPACE}/traces?limit=100`);
  const filtered = await as.get(`${WORKSPACE}/traces?limit=100&from=2020-01-01T00:00:00Z`);
  const counts = [
    summary.body.span_count ?? 0,
    stats.body.span_count ?? 0,
    ...[list, filtered].map(
      ({ body: { traces } }) =>
        traces.find((one: { trace_id: string }) => one.trace_id === traceId)?.span_count ?? 0,
    ),
  ];
  expect(counts).toEqual(counts.map(() => names.length));
  return names.toSorted();
}

/** Reads the same with SQL. */
async function selected(who: Person, traceId: string): Promise<string[]> {
  const query = `SELECT name FROM spans WHERE trace_id = '${traceId}' ORDER BY name`;
  return (await server.as(who).post(`${WORKSPACE}/query`, { query })).body.rows.flat();
}

test('deleting a session deletes no spans of another user that name its id', async () => {
  const [traceId, id] = [newTraceId(), uuidv7()];
  await send(alice, { traceId, name: 'alice-chat', sessionId: id });
  await send(alice, { traceId, name: 'alice-tool' });
  await save(carol, id);
  for (const who of [alice, bob, carol])
    expect(await seen(who, traceId)).toEqual(['alice-chat', 'alice-tool']);
  await remove(carol, id);
  await cleanUp();
  for (const who of [alice, bob, carol])
    expect(await seen(who, traceId)).toEqual(['alice-chat', 'alice-tool']);
});

test('a private session hides no spans of another user in the same trace', async () => {
  const [traceId, id] = [newTraceId(), uuidv7()];
  await send(alice, { traceId, name: 'alice' });
  await save(carol, id);
  await send(carol, { traceId, name: 'carol-chat', sessionId: id });
  await send(carol, { traceId, name: 'carol-tool' });
  expect(await seen(alice, traceId)).toEqual(['alice']);
  expect(await seen(bob, traceId)).toEqual(['alice']);
  expect(await selected(bob, traceId)).toEqual(['alice']);
  expect(await seen(carol, traceId)).toEqual(['alice', 'carol-chat', 'carol-tool']);
});

test('spans of a deleted session stay hidden when any user saves its id again', async () => {
  for (const again of [carol, alice]) {
    const [traceId, id] = [newTraceId(), uuidv7()];
    // The session is not saved yet: only its deletion shows that the id was a session.
    await send(alice, { traceId, name: 'early', sessionId: id });
    await save(alice, id);
    await send(alice, { traceId, name: 'private', sessionId: id });
    await remove(alice, id);
    await save(again, id, { visibility: 'workspace' });
    for (const who of [alice, bob, carol]) expect(await seen(who, traceId)).toEqual([]);
    expect(await selected(bob, traceId)).toEqual([]);
    const next = newTraceId();
    await send(again, { traceId: next, name: 'since', sessionId: id });
    expect(await seen(bob, next)).toEqual(['since']);
    await cleanUp();
    for (const who of [alice, bob, carol]) expect(await seen(who, traceId)).toEqual([]);
    expect(await seen(bob, next)).toEqual(['since']);
  }
});

test('two deletions of one id hide and delete the spans of both owners', async () => {
  const [traceId, id] = [newTraceId(), uuidv7()];
  for (const who of [alice, carol]) {
    await send(who, { traceId, name: who === alice ? 'alice' : 'carol', sessionId: id });
    await save(who, id);
    await remove(who, id);
  }
  for (const who of [alice, bob, carol]) expect(await seen(who, traceId)).toEqual([]);
  await cleanUp();
  expect((await server.as(alice).get(`${WORKSPACE}/traces/${traceId}`)).status).toBe(404);
});

test('a span that names the session of another user does not belong to that session', async () => {
  const [traceId, id, other] = [newTraceId(), uuidv7(), newTraceId()];
  await save(alice, id);
  await send(alice, { traceId, name: 'real', sessionId: id });
  await send(carol, { traceId, name: 'forged', sessionId: id });
  await send(carol, { traceId: other, name: 'forged-elsewhere', sessionId: id });
  expect(await seen(carol, traceId)).toEqual(['forged']);
  expect(await seen(bob, traceId)).toEqual(['forged']);
  const { body } = await server.as(alice).get(`${WORKSPACE}/traces/${traceId}/spans`);
  const sessionOf = new Map(
    body.items.map((span: { name: string; session_id: string | null }) => [span.name, span.session_id]),
  );
  expect(sessionOf).toEqual(
    new Map([
      ['real', id],
      ['forged', null],
    ]),
  );
  const found = await server.as(alice).get(`${WORKSPACE}/traces?session_id=${id}`);
  expect(found.body.traces.map((trace: { trace_id: string }) => trace.trace_id)).toEqual([traceId]);
  expect((await server.as(carol).get(`${WORKSPACE}/traces?session_id=${id}`)).body.total).toBe(0);
  const query = { query: `SELECT name FROM spans WHERE session_id = '${id}'` };
  expect((await server.as(alice).post(`${WORKSPACE}/query`, query)).body.rows).toEqual([['real']]);
  expect((await server.as(carol).post(`${WORKSPACE}/query`, query)).body.rows).toEqual([]);
  const traces = { query: `SELECT trace_id FROM traces WHERE list_contains(session_ids, '${id}')` };
  expect((await server.as(alice).post(`${WORKSPACE}/query`, traces)).body.rows).toEqual([[traceId]]);
});

test('spans without a session follow the hidden sessions of their sender alone', async () => {
  const [traceId, hidden, foreign] = [newTraceId(), uuidv7(), uuidv7()];
  await save(alice, hidden);
  await save(bob, foreign);
  await send(alice, { traceId, name: 'alice-chat', sessionId: hidden });
  await send(alice, { traceId, name: 'alice-tool' });
  await send(alice, { traceId, name: 'alice-foreign', sessionId: foreign });
  await send(carol, { traceId, name: 'carol-tool' });
  expect(await seen(alice, traceId)).toEqual(['alice-chat', 'alice-foreign', 'alice-tool', 'carol-tool']);
  for (const who of [bob, carol]) expect(await seen(who, traceId)).toEqual(['carol-tool']);
  expect(await selected(bob, traceId)).toEqual(['carol-tool']);
  const shared = { id: hidden, model: 'm', visibility: 'workspace' };
  expect((await server.as(alice).post(`${WORKSPACE}/sessions`, shared)).status).toBe(200);
  expect(await seen(bob, traceId)).toHaveLength(4);
});

test('pushTraces reports spans whose ids are stored for another user or workspace, but no retries', async () => {
  expect((await server.as(alice).post('/org/main/ws', { key: 'side', name: 'side' })).status).toBe(201);
  const span = {
    traceId: newTraceId(),
    spanId: randomBytes(8).toString('hex'),
    name: 'first',
    start: 1_790_000_000_000_000_000n,
  };
  expect(await send(alice, span)).toEqual({});
  expect(await send(alice, span)).toEqual({});
  const refused = {
    partialSuccess: { rejectedSpans: '1', errorMessage: expect.stringContaining('already stored') },
  };
  expect(await send(carol, span)).toEqual(refused);
  expect(await send(alice, { ...span, workspace: 'side' })).toEqual(refused);
  expect(await seen(alice, span.traceId)).toEqual(['first']);
});
