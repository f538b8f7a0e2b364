/** Spans of a private session are never visible to other users, whenever they arrive and whatever happens to the session. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type Person, startTestServer } from '../../../test/harness.ts';
import { findOrganizationId } from '../../../test/other-organization.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { getSeenTrace } from './seen-trace.ts';
import { readSpans } from './spans.ts';

const server = await startTestServer();
const { owner, db } = server;
const ana = await server.addPerson('ana', { role: 'member' });
const WORKSPACE = '/org/main/ws/main';
const START = 1_790_000_000_000_000_000n;
let count = 0n;

async function send(traceId: string, sessionId?: string): Promise<string> {
  const spanId = randomBytes(8).toString('hex');
  const attributes = sessionId ? [{ key: 'session.id', value: { stringValue: sessionId } }] : [];
  const span = {
    traceId,
    spanId,
    name: 'confidential',
    startTimeUnixNano: String(START + (count++ % 7n) * 1_000_000n),
  };
  const body = { resourceSpans: [{ scopeSpans: [{ spans: [{ ...span, attributes }] }] }] };
  expect(await server.as(owner).post('/org/main/otel/traces', body)).toMatchObject({ status: 200, body: {} });
  return spanId;
}

const newTraceId = () => randomBytes(16).toString('hex');

const saveSession = async (id: string) =>
  expect((await server.as(owner).post(`${WORKSPACE}/sessions`, { id, model: 'm' })).status).toBe(201);

/** Returns whether any way of reading reveals the span. */
async function canSee(who: Person, traceId: string, spanId: string): Promise<boolean> {
  const get = (path: string) => server.as(who).get(`${WORKSPACE}/traces${path}`);
  const lists = await Promise.all(
    [
      '',
      '?limit=1&page=1',
      '?search=confidential',
      `?search=${traceId}`,
      '?status=ok',
      '?from=2020-01-01T00:00:00Z',
    ].map(get),
  );
  const pages = await Promise.all(
    ['', '/stats', '/spans', '/spans?parent=root', `/spans?parent=${spanId}`, `/spans/${spanId}`].map(
      (path) => get(`/${traceId}${path}`),
    ),
  );
  const seen = [
    ...lists.map(({ body }) => body.traces.some((trace: { trace_id: string }) => trace.trace_id === traceId)),
    ...pages.map(({ status }) => status === 200),
  ];
  expect(new Set(seen).size, JSON.stringify(seen)).toBe(1);
  return seen[0] === true;
}

test('a session saved after its spans hides them, even after its deletion', async () => {
  const [traceId, sessionId] = [newTraceId(), uuidv7()];
  const spanId = await send(traceId, sessionId);
  expect(await canSee(ana, traceId, spanId)).toBe(true);
  await saveSession(sessionId);
  expect(await canSee(ana, traceId, spanId)).toBe(false);
  expect(await canSee(owner, traceId, spanId)).toBe(true);
  expect((await server.as(owner).delete(`${WORKSPACE}/sessions/${sessionId}`)).status).toBe(204);
  expect(await canSee(ana, traceId, spanId)).toBe(false);
  expect(await canSee(owner, traceId, spanId)).toBe(false);
});

test('a span that arrives during a read is not returned before its session is known', async () => {
  const [traceId, sessionId] = [newTraceId(), uuidv7()];
  const shown = [await send(traceId), await send(traceId), await send(traceId)];
  const viewer = {
    organizationId: await findOrganizationId(server, 'main'),
    workspaceId: (await server.as(owner).get(WORKSPACE)).body.id,
    principal: { userId: ana.id, isPlatformAdmin: false, apiKey: undefined, loginId: undefined },
  };
  const trace = await getSeenTrace(db, viewer, traceId);
  await saveSession(sessionId);
  for (let times = 0; times < 7; times++) await send(traceId, sessionId);
  const rows = await readSpans(db, viewer, trace, { matching: sql<boolean>`true`, limit: 100 });
  expect(rows.map(({ span_id }) => span_id).toSorted()).toEqual(shown.toSorted());
});
