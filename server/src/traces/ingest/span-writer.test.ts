/** Compares stored spans with a model, and checks that each span is counted once, however it arrives. */
import { sql } from 'kysely';
import { beforeEach, describe, expect, inject, test } from 'vitest';
import { Random } from '../../../fuzz/random.ts';
import { CollidingSpans, type GivenSpan } from '../../../test/colliding-spans.ts';
import { createDatabase } from '../../../test/databases.ts';
import { decodedSpan, keyValues, spanSource } from '../../../test/decoded-spans.ts';
import { atEndOfFile } from '../../../test/end-of-file.ts';
import { readParts, readSpans, SpanModel } from '../../../test/span-model.ts';
import { connect } from '../../platform/db/connect.ts';
import { createLog } from '../../platform/log.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { interpret } from '../dialects/interpret.ts';
import { Double } from '../otlp/model.ts';
import { sumUpParts } from './part-sums.ts';
import type { SpanChunk } from './span-chunk.ts';
import { SpanColumns } from './span-columns.ts';
import { type Place, type Sender, SpanWriter } from './span-writer.ts';

const database = await createDatabase(inject('databaseUrl'));
const open = () =>
  connect({ url: database.url, poolSize: 3, namedStatements: true, log: createLog('fatal') });
const [db, otherDb] = [open(), open()];
atEndOfFile(async () => {
  await Promise.all([db.destroy(), otherDb.destroy()]);
  await database.drop();
});

const main = await db
  .selectFrom('projects')
  .select(['organization_id', 'workspace_id', 'created_by'])
  .where('key', '=', 'default')
  .executeTakeFirstOrThrow();
const sender: Sender = { organizationId: main.organization_id, userId: main.created_by };
const home: Place = { workspaceId: main.workspace_id, projectId: null };
const [known, deleted, strange] = [uuidv7(), uuidv7(), uuidv7()] as const;
const KNOWN = [known, deleted].map((id) => `${sender.userId} ${id}`);
const surroundings = {
  senders: [sender, { ...sender, userId: uuidv7() }],
  places: [home, { ...home, projectId: uuidv7() }],
  conversations: [known, deleted, strange],
};

await sql`
  INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, origin, visibility)
  VALUES (${sender.organizationId}, ${known}, ${home.workspaceId}, ${sender.userId}, 'm', 'user', 'private')`.execute(
  db,
);
await sql`
  INSERT INTO session_deletions (organization_id, workspace_id, session_id, user_id)
  VALUES (${sender.organizationId}, ${home.workspaceId}, ${deleted}, ${sender.userId})`.execute(db);

const day = (time: string) => sql.lit(`${time} 00:00:00+00`);
// One of the days used has a partition of its own.
await sql`CREATE TABLE spans_day PARTITION OF spans FOR VALUES FROM (${day('2026-09-21')}) TO (${day('2026-09-22')})`.execute(
  db,
);

beforeEach(() => sql`TRUNCATE spans, sender_parts, span_sources`.execute(db));

interface Sent {
  readonly chunk: SpanChunk;
  readonly from: Sender;
  readonly places: readonly Place[];
}

/** A chunk belongs to one sender, and each of its sources has one place. */
function toChunks(spans: readonly GivenSpan[]): Sent[] {
  const chunks: Sent[] = [];
  const byPlace = Map.groupBy(spans, ({ from, place }) => `${from.userId} ${place.projectId}`);
  for (const together of byPlace.values()) {
    const columns = new SpanColumns();
    for (const { span, facts, source } of together) columns.add(span, facts, source);
    const [{ from, place }] = together as [GivenSpan];
    const chunk = columns.take();
    chunks.push({ chunk, from, places: chunk.sources.map(() => place) });
  }
  return chunks;
}

const write = (writer: SpanWriter, { chunk, from, places }: Sent) => writer.write(chunk, from, places);

/** Recounts all parts and compares, except for columns that spans do not determine. */
async function expectRecount(): Promise<void> {
  const { rows } = await sql<{ recounted: string[]; kept: string[] }>`
    SELECT ARRAY(SELECT to_jsonb(s) - 'root_source_id' FROM (${sumUpParts(sql`spans`)}) AS s ORDER BY 1) AS recounted,
           ARRAY(SELECT to_jsonb(p) - 'root_service_name' - 'session_was_known' FROM sender_parts AS p ORDER BY 1) AS kept`.execute(
    db,
  );
  expect(rows[0]?.kept).toEqual(rows[0]?.recounted);
}

async function expectModel(model: SpanModel): Promise<void> {
  expect(await readSpans(db)).toEqual(model.spans);
  expect(await readParts(db)).toEqual(model.parts);
  await expectRecount();
}

describe.each(['1', '2', '3'])('writing random spans, seed %s', (seed) => {
  test('stores everything once per key and keeps the sums correct over any number of batches', async () => {
    const random = new Random(seed, 'batches');
    const spans = new CollidingSpans(seed, surroundings);
    const model = new SpanModel(KNOWN);
    const writer = new SpanWriter(db);
    for (let batch = 0; batch < 20; batch++) {
      const batchOfSpans = Array.from({ length: random.integer(1, 30) }, () => spans.next());
      for (const sent of toChunks(batchOfSpans)) await write(writer, sent);
      const inOrder = Map.groupBy(batchOfSpans, ({ from, place }) => `${from.userId} ${place.projectId}`);
      for (const given of [...inOrder.values()].flat()) model.add(given);
    }
    await expectModel(model);
  });

  test('stores each span once when two processes repeat the same spans in different batches and order', async () => {
    const spans = new CollidingSpans(seed, surroundings, 12);
    const model = new SpanModel(KNOWN);
    const byKey = new Map<string, GivenSpan>();
    for (let count = 0; count < 400; count++) {
      const given = spans.next();
      const { traceId, spanId, startTimeUnixNano } = given.span;
      byKey.set([Buffer.from(traceId).toString('hex'), spanId[0], startTimeUnixNano / 1_000n].join(), given);
    }
    for (const given of byKey.values()) model.add(given);
    const random = new Random(seed, 'order');
    const sendAll = async (writer: SpanWriter) => {
      const shuffled = [...byKey.values()].map((given) => ({ given, at: random.fraction() }));
      const ordered = shuffled.toSorted((a, b) => a.at - b.at).map(({ given }) => given);
      const portions = Array.from({ length: 8 }, (_, n) => ordered.filter((__, index) => index % 8 === n));
      await Promise.all(portions.flatMap(toChunks).map((sent) => write(writer, sent)));
    };
    await Promise.all([new SpanWriter(db), new SpanWriter(otherDb), new SpanWriter(db)].map(sendAll));
    await expectModel(model);
  });
});

const chunkOf = (...spans: ReturnType<typeof decodedSpan>[]) => {
  const columns = new SpanColumns();
  for (const span of spans) columns.add(span, interpret(span, SOURCE), SOURCE);
  return columns.take();
};
const SOURCE = spanSource();

test('span writer keeps attributes of a megabyte and all nanosecond digits', async () => {
  const long = 'x"é'.repeat(350_000);
  const span = {
    ...decodedSpan({ attributes: { long } }),
    startTimeUnixNano: 2n ** 64n - 1n,
    endTimeUnixNano: 1n,
  };
  const model = new SpanModel([]);
  model.add({ span, facts: interpret(span, SOURCE), source: SOURCE, from: sender, place: home });
  await new SpanWriter(db).write(chunkOf(span), sender, [home]);
  await expectModel(model);
  const { rows } = await sql<{ size_bytes: number }>`SELECT size_bytes FROM spans`.execute(db);
  expect(rows[0]?.size_bytes).toBeGreaterThan(1_750_000);
});

test('span writer takes the first span without a parent as root, in whatever order spans arrive', async () => {
  const child = (id: number, start: bigint) => ({
    ...decodedSpan(),
    name: `child ${id}`,
    spanId: new Uint8Array(8).fill(id),
    parentSpanId: new Uint8Array(8).fill(9),
    startTimeUnixNano: start,
  });
  const root = { ...decodedSpan(), name: 'root', startTimeUnixNano: 5_000_000n };
  const writer = new SpanWriter(db);
  const rootName = async () =>
    (await sql<{ root_name: string }>`SELECT root_name FROM sender_parts`.execute(db)).rows;
  await writer.write(chunkOf(child(3, 2_000_000n)), sender, [home]);
  expect(await rootName()).toEqual([{ root_name: 'child 3' }]);
  await writer.write(chunkOf(child(4, 1_000_000n)), sender, [home]);
  expect(await rootName()).toEqual([{ root_name: 'child 4' }]);
  await writer.write(chunkOf(root), sender, [home]);
  expect(await rootName()).toEqual([{ root_name: 'root' }]);
  await writer.write(chunkOf(child(5, 0n)), sender, [home]);
  expect(await rootName()).toEqual([{ root_name: 'root' }]);
  await expectRecount();
});

test('span writer does not add the usage of an agent to that of the model calls within it', async () => {
  const span = (id: number, operation: string, tokens: number) => ({
    ...decodedSpan({
      attributes: {
        'gen_ai.operation.name': operation,
        'gen_ai.usage.input_tokens': tokens,
        'gen_ai.usage.output_tokens': 2 * tokens,
        ...(operation === 'chat' && { 'gen_ai.usage.cost': new Double(tokens / 8) }),
      },
    }),
    spanId: new Uint8Array(8).fill(id),
  });
  const writer = new SpanWriter(db);
  await writer.write(chunkOf(span(2, 'chat', 10)), sender, [home]);
  await writer.write(
    chunkOf(span(1, 'invoke_agent', 40), span(3, 'chat', 30), span(4, 'execute_tool', 5)),
    sender,
    [home],
  );
  const { rows } = await sql`
    SELECT span_count, input_tokens, output_tokens, cost_usd, unpriced_count FROM sender_parts`.execute(db);
  expect(rows).toEqual([
    { span_count: 4, input_tokens: 40, output_tokens: 80, cost_usd: 5, unpriced_count: 0 },
  ]);
  await expectRecount();
});

test('span writer keeps the first fifty of hundreds of models, independent of their order', async () => {
  const writer = new SpanWriter(db);
  const calls = Array.from({ length: 120 }, (_, n) => ({
    ...decodedSpan({
      attributes: { 'gen_ai.request.model': `model ${String((n * 77) % 120).padStart(3, '0')}` },
    }),
    spanId: new Uint8Array(8).fill(n + 1),
  }));
  for (let from = 0; from < 120; from += 30)
    await writer.write(chunkOf(...calls.slice(from, from + 30)), sender, [home]);
  await expectRecount();
  const { rows } = await sql<{ models: string[] }>`SELECT models FROM sender_parts`.execute(db);
  expect(rows[0]?.models).toEqual(
    Array.from({ length: 50 }, (_, n) => `model ${String(n).padStart(3, '0')}`),
  );
});

describe('places in the span writer', () => {
  const sourceOf = (name: string) => spanSource({ 'service.name': name });
  const fourSources = () => {
    const columns = new SpanColumns();
    for (const [index, name] of ['a', 'b', 'c', 'a'].entries()) {
      const span = { ...decodedSpan(), name, spanId: new Uint8Array(8).fill(index + 1) };
      columns.add(span, interpret(span, sourceOf(name)), sourceOf(name));
    }
    return columns.take();
  };
  const names = async () => {
    const { rows } = await sql<{ name: string }>`SELECT name FROM spans ORDER BY span_id`.execute(db);
    return rows.map(({ name }) => name);
  };

  test('spans of a source without a place are left out', async () => {
    const chunk = fourSources();
    expect(chunk.sources.map(({ serviceName, spans }) => [serviceName, spans])).toEqual([
      ['a', 2],
      ['b', 1],
      ['c', 1],
    ]);
    expect(await new SpanWriter(db).write(chunk, sender, [undefined, home, undefined])).toEqual([]);
    expect(await names()).toEqual(['b']);
    expect(await new SpanWriter(db).write(chunk, sender, [undefined, undefined, undefined])).toEqual([]);
    expect(await names()).toEqual(['b']);
    await expectRecount();
  });

  test('a deleted workspace is reported without losing other spans of the same statement', async () => {
    const gone = { workspaceId: uuidv7(), projectId: null };
    const writer = new SpanWriter(db);
    const other = { ...decodedSpan(), name: 'other', spanId: new Uint8Array(8).fill(77) };
    const results = await Promise.all([
      writer.write(fourSources(), sender, [home, gone, undefined]),
      writer.write(chunkOf(other), sender, [home]),
      writer.write(chunkOf(decodedSpan()), sender, [gone]),
    ]);
    const goneAt = (index: number) => [{ index, spans: 1, reason: 'gone' }];
    expect(results).toEqual([goneAt(1), [], goneAt(0)]);
    expect(await names()).toEqual(['a', 'a', 'other']);
    await expectRecount();
    const { rows } = await sql`SELECT service_name FROM span_sources ORDER BY service_name`.execute(db);
    expect(rows).toEqual([{ service_name: 'a' }, { service_name: 'agent' }]);
  });

  test('a workspace under deletion is waited for, and reported once it is deleted', async () => {
    const workspaceId = uuidv7();
    await sql`
      INSERT INTO workspaces (organization_id, id, key, name, created_by)
      VALUES (${sender.organizationId}, ${workspaceId}, 'short-lived', 'w', ${sender.userId})`.execute(db);
    const place = { workspaceId, projectId: null };
    let result: Promise<unknown> | undefined;
    await db.transaction().execute(async (trx) => {
      await sql`DELETE FROM workspaces WHERE organization_id = ${sender.organizationId} AND id = ${workspaceId}`.execute(
        trx,
      );
      result = new SpanWriter(otherDb).write(chunkOf(decodedSpan()), sender, [place]);
      await new Promise((resolve) => setTimeout(resolve, 200));
    });
    expect(await result).toEqual([{ index: 0, spans: 1, reason: 'gone' }]);
    expect(await readSpans(db)).toEqual([]);
  });
});

test('the use of a source is recorded once a day', async () => {
  const writer = new SpanWriter(db);
  const used = async () =>
    (
      await sql<{
        at: string;
        row: string;
      }>`SELECT last_used_at::text AS at, ctid::text AS row FROM span_sources`.execute(db)
    ).rows;
  await writer.write(chunkOf(decodedSpan()), sender, [home]);
  const first = await used();
  await writer.write(chunkOf({ ...decodedSpan(), startTimeUnixNano: 1n }), sender, [home]);
  expect(await used()).toEqual(first);
  await sql`UPDATE span_sources SET last_used_at = now() - interval '25 hours'`.execute(db);
  await writer.write(chunkOf({ ...decodedSpan(), startTimeUnixNano: 1_000n }), sender, [home]);
  expect((await used())[0]?.at.slice(0, 10)).toBe(new Date().toISOString().slice(0, 10));
});

test('spans that PostgreSQL refuses fail only their own request', async () => {
  const writer = new SpanWriter(db);
  const span = { ...decodedSpan(), name: 'good' };
  const bad = chunkOf({ ...decodedSpan(), spanId: new Uint8Array(3) });
  const [good, failed] = await Promise.allSettled([
    writer.write(chunkOf(span), sender, [home]),
    writer.write(bad, sender, [home]),
  ]);
  expect(good).toEqual({ status: 'fulfilled', value: [] });
  expect(failed.status).toBe('rejected');
  expect(await readSpans(db)).toHaveLength(1);
});

test('drain stores waiting spans and refuses later ones', async () => {
  const writer = new SpanWriter(db);
  const spans = Array.from({ length: 30 }, (_, n) => ({
    ...decodedSpan(),
    spanId: new Uint8Array(8).fill(n + 1),
  }));
  const written = spans.map((span) => writer.write(chunkOf(span), sender, [home]));
  await writer.drain();
  await Promise.all(written);
  expect(await readSpans(db)).toHaveLength(30);
  await expect(writer.write(chunkOf(decodedSpan()), sender, [home])).rejects.toMatchObject({ status: 429 });
});

test('sources whose keys and values differ only in their type are two sources', () => {
  const ids = [1, '1', true, null].map((value) => {
    const columns = new SpanColumns();
    columns.add(decodedSpan(), interpret(decodedSpan(), SOURCE), {
      ...SOURCE,
      resource: { ...SOURCE.resource, attributes: keyValues({ value }) },
    });
    return columns.take().sources[0]?.id;
  });
  expect(new Set(ids).size).toBe(4);
});
