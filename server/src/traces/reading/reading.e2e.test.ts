/** Compares all reads of traces with a model without SQL, which checks every span of a random data set one by one. */
import { beforeAll, describe, expect, test } from 'vitest';
import { Random } from '../../../fuzz/random.ts';
import { type Person, startTestServer } from '../../../test/harness.ts';
import { addOrganization } from '../../../test/other-organization.ts';
import {
  childrenOf,
  expectedList,
  expectedSpan,
  expectedStats,
  expectedSummary,
  rootsOf,
  seenSpans,
  type TraceQuery,
} from '../../../test/trace-model.ts';
import { MODELS, NAMES, type TraceWorld, TraceWorldMaker, TYPES } from '../../../test/trace-world.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import type { SpanOf } from '../schema.ts';

const TRACE_COUNT = 130;
const QUERIES = 300;
const TRACES = '/org/main/ws/main/traces';

const server = await startTestServer();
const { owner } = server;
const ana = await server.addPerson('ana', { role: 'member' });
const ben = await server.addPerson('ben', { role: 'member' });
const reader = await server.addPerson('rob', { role: 'member', workspaceRole: 'reader' });
const callers: Readonly<Record<string, Person>> = { owner, ana, ben, reader };

let world: TraceWorld;
let traceIds: string[];

beforeAll(async () => {
  await server.as(owner).post('/org/main/ws', { key: 'side', name: 'side' });
  await addOrganization(server, owner, 'other');
  world = await new TraceWorldMaker(server, [owner, ana, ben], new Random('traces', 'world')).make(
    TRACE_COUNT,
  );
  traceIds = [...new Set(world.spans.map(({ traceId }) => traceId))];
});

async function expectSame(caller: string, query: TraceQuery): Promise<number> {
  const person = callers[caller] as Person;
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query))
    if (value !== undefined) parameters.set(key, String(value));
  parameters.set('exact_total', 'true');
  const response = await server.as(person).get(`${TRACES}?${parameters.toString()}`);
  expect(response.status, JSON.stringify(response.body)).toBe(200);
  expect(response.body, `${caller}: ${JSON.stringify(query)}`).toEqual(expectedList(world, person.id, query));
  return response.body.total;
}

const times = () => [0, 1, 2, 3, 4].map((day) => `2026-01-1${day}T00:00:00.00${day % 2}Z`);

function alone(): TraceQuery[] {
  const projects = [...world.projects].flatMap(([key, { id }]) => [key, id, id.toUpperCase()]);
  const searches = [
    ...NAMES,
    ...MODELS,
    'tool',
    'ΦΟΣ',
    'φος',
    'STRASSE',
    '%',
    '_',
    '\\',
    ' ',
    '',
    '\uFFFF',
    'none',
  ];
  const ids = traceIds
    .slice(0, 3)
    .flatMap((id) => [id, id.slice(0, 4), id.slice(0, 3), ` ${id.slice(0, 9).toUpperCase()} `]);
  return [
    {},
    { limit: 100 },
    { limit: 7, page: 3 },
    { page: 50 },
    { page: Number.MAX_SAFE_INTEGER },
    ...[...projects, 'none', uuidv7(), ''].map((project_id) => ({ project_id })),
    ...TYPES.map((span_type) => ({ span_type })),
    { span_type: 'reranker' },
    { status: 'ok' },
    { status: 'error' },
    ...[...world.sessions.keys(), uuidv7()].flatMap((id) => [
      { session_id: id },
      { session_id: id.toUpperCase() },
    ]),
    ...[...searches, ...ids, ...[...world.sessions.keys()].slice(0, 2)].map((search) => ({ search })),
    ...times().flatMap((time) => [{ from: time }, { to: time }, { from: time, to: time }]),
    { from: '2026-01-11T01:00:00+01:00', to: '2026-01-12T01:00:00+01:00' },
    { from: '2026-01-12T00:00:00Z', to: '2026-01-11T00:00:00Z' },
  ];
}

test.each(Object.keys(callers))(
  'listTraces agrees with the model for every single parameter, called by the %s',
  async (caller) => {
    let found = 0;
    const queries = alone();
    for (const query of queries) found += await expectSame(caller, query);
    expect(found).toBeGreaterThan(queries.length * 5);
  },
);

test('listTraces agrees with the model for combined parameters', async () => {
  const random = new Random('traces', 'queries');
  const maybe = <T>(probability: number, values: readonly T[]) =>
    random.chance(probability) ? random.pick(values) : undefined;
  const totals: number[] = [];
  for (let count = 0; count < QUERIES; count++) {
    const query = {
      project_id: maybe(0.2, [...world.projects.keys()]),
      span_type: maybe(0.3, TYPES),
      status: maybe(0.2, ['ok', 'error']),
      session_id: maybe(0.2, [...world.sessions.keys()]),
      search: maybe(0.3, [...NAMES, ...MODELS, 'o', 'shop']),
      from: maybe(0.3, times()),
      to: maybe(0.3, times()),
      page: maybe(0.3, [1, 2, 3]),
      limit: maybe(0.5, [1, 3, 10, 100]),
    };
    totals.push(await expectSame(random.pick(Object.keys(callers)), query));
  }
  // Ensures that the data set is large enough and the filters wide enough to be meaningful.
  expect(totals.filter((total) => total > 0).length).toBeGreaterThan(QUERIES / 4);
});

async function readAll(caller: Person, path: string, limit: number): Promise<SpanOf[]> {
  const spans: SpanOf[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const more: string = cursor === '' ? '' : `&after=${cursor}`;
    const { status, body } = await server.as(caller).get(`${path}limit=${limit}${more}`);
    expect(status, JSON.stringify(body)).toBe(200);
    spans.push(...body.items);
    cursor = body.next_cursor;
    expect(body.items.length).toBeLessThanOrEqual(limit);
  }
  return spans;
}

const idsOf = (spans: readonly { readonly span_id: string }[]) => spans.map(({ span_id }) => span_id);
const knownIds = (spans: readonly { readonly spanId: string }[]) => spans.map(({ spanId }) => spanId);

describe.each(Object.keys(callers))('each trace, read by the %s', (name) => {
  const caller = callers[name] as Person;
  const random = new Random('pages', name);

  test('has summary and statistics of the visible spans, or is not found', async () => {
    let missing = 0;
    for (const traceId of traceIds) {
      const seen = seenSpans(world, caller.id, traceId);
      const [summary, stats] = await Promise.all(
        ['', '/stats'].map((what) => server.as(caller).get(`${TRACES}/${traceId.toUpperCase()}${what}`)),
      );
      if (seen.length === 0) {
        missing++;
        expect([summary?.status, stats?.status]).toEqual([404, 404]);
        continue;
      }
      expect(summary?.body).toEqual(expectedSummary(world, seen));
      const expected = expectedStats(seen);
      expect(stats?.body).toMatchObject({ ...expected, by_type: expected.by_type.map((of) => toClose(of)) });
    }
    expect(missing).toBeGreaterThan(name === 'ben' ? 0 : 3);
  });

  test('lists its spans in order and returns them one by one', async () => {
    for (const traceId of traceIds) {
      const seen = seenSpans(world, caller.id, traceId);
      if (seen.length === 0) {
        expect((await server.as(caller).get(`${TRACES}/${traceId}/spans`)).status).toBe(404);
        continue;
      }
      const spans = await readAll(caller, `${TRACES}/${traceId}/spans?`, random.integer(1, 4));
      expect(idsOf(spans)).toEqual(knownIds(seen));
      for (const [index, span] of seen.entries())
        expect(spans[index]).toMatchObject(expectedSpan(world, seen, span));
      for (const { traceId: id, spanId } of world.spans.filter((span) => span.traceId === traceId)) {
        const { status, body } = await server.as(caller).get(`${TRACES}/${id}/spans/${spanId.toUpperCase()}`);
        const found = spans.find(({ span_id }) => span_id === spanId);
        expect(status).toBe(found ? 200 : 404);
        if (found) expect(body).toEqual(found);
      }
    }
  });

  test('reaches every span with a root exactly once when read as a tree', async () => {
    let cyclic = 0;
    for (const traceId of traceIds) {
      const seen = seenSpans(world, caller.id, traceId);
      if (seen.length === 0) continue;
      const level = (parent: string) =>
        readAll(caller, `${TRACES}/${traceId}/spans?parent=${parent}&`, random.integer(1, 4));
      const roots = idsOf(await level('root'));
      expect(roots).toEqual(knownIds(rootsOf(seen)));
      const reached = [...roots];
      for (const id of reached) {
        const children = idsOf(await level(id));
        expect(children).toEqual(knownIds(childrenOf(seen, id)));
        reached.push(...children);
      }
      expect(new Set(reached).size).toBe(reached.length);
      // Spans that are not reached have parents that form a cycle.
      for (const id of knownIds(seen).filter((spanId) => !reached.includes(spanId))) {
        cyclic++;
        const passed = new Set<string>();
        let at: string | null | undefined = id;
        while (at && !passed.has(at)) {
          passed.add(at);
          at = seen.find(({ spanId }) => spanId === at)?.parentSpanId;
        }
        expect(at).toBeTruthy();
      }
    }
    expect(cyclic).toBeGreaterThan(0);
  });
});

/** Compares sums and ratios of doubles approximately, since the order of addition may differ. */
const toClose = (group: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(group).map(([key, value]) => [
      key,
      key.endsWith('_ms') ? expect.closeTo(value as number, 6) : value,
    ]),
  );
