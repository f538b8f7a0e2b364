/** Storing spans costs the same however many are stored already: every lookup of the statement uses an index. */
import { type CompiledQuery, sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { decodedSpan, spanSource } from '../../../test/decoded-spans.ts';
import { startTestServer } from '../../../test/harness.ts';
import { explainWork } from '../../../test/query-plans.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { interpret } from '../dialects/interpret.ts';
import { SpanColumns } from './span-columns.ts';
import { SpanWriter } from './span-writer.ts';

const server = await startTestServer();
const { db, owner } = server;
const organizationId: string = (await server.as(owner).get('/org/main')).body.id;
const workspaceId: string = (await server.as(owner).get('/org/main/ws/main')).body.id;

const TABLES = [
  'spans_default_near',
  'span_sources',
  'sender_parts',
  'sessions',
  'session_deletions',
  'workspaces',
];

function chunk(spans: number) {
  const columns = new SpanColumns();
  for (let n = 0; n < spans; n++) {
    const span = {
      ...decodedSpan({ attributes: { 'gen_ai.conversation.id': uuidv7() } }),
      traceId: Buffer.from(uuidv7().replaceAll('-', ''), 'hex'),
    };
    const source = spanSource({ n: n % 100 });
    columns.add(span, interpret(span, source), source);
  }
  return columns.take();
}

async function store(on = db, spans = 1): Promise<void> {
  const place = { workspaceId, projectId: null };
  const given = chunk(spans);
  await new SpanWriter(on).write(
    given,
    { organizationId, userId: owner.id },
    given.sources.map(() => place),
  );
}

async function fill(): Promise<void> {
  for (const table of TABLES)
    await sql`ALTER TABLE ${sql.table(table)} SET (autovacuum_enabled = false)`.execute(db);
  for (let n = 0; n < 5; n++) await store(db, 2_000);
  await sql`
    INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, origin, visibility)
    SELECT ${organizationId}, gen_random_uuid(), ${workspaceId}, ${owner.id}, 'm', 'user', 'private'
      FROM generate_series(1, 10000)`.execute(db);
  await sql`
    INSERT INTO session_deletions (organization_id, workspace_id, session_id, user_id)
    SELECT ${organizationId}, ${workspaceId}, gen_random_uuid(), ${owner.id} FROM generate_series(1, 10000)`.execute(
    db,
  );
  await sql`
    INSERT INTO workspaces (organization_id, id, key, name, created_by)
    SELECT ${organizationId}, gen_random_uuid(), 'w' || n, 'w', ${owner.id} FROM generate_series(1, 2000) AS n`.execute(
    db,
  );
}

test('storeSpans uses indexes, with and without statistics', async () => {
  await fill();
  for (const isAnalyzed of [false, true]) {
    if (isAnalyzed) for (const table of TABLES) await sql`ANALYZE ${sql.table(table)}`.execute(db);
    const plans = await explainWork(server, (on) => store(on));
    expect(plans).toHaveLength(2);
    for (const plan of plans) {
      expect(plan).not.toMatch(/Seq Scan|Bitmap/);
      expect(plan).toMatch(
        /workspaces_pkey on workspaces.*\n\s*Index Cond: \(\(organization_id = .*\) AND \(id = /,
      );
      expect(plan).toMatch(
        /sessions_pkey on sessions.*\n\s*Index Cond: \(\(organization_id = .*\) AND \(id = /,
      );
      expect(plan).toMatch(
        /session_deletions_key on session_deletions.*\n\s*Index Cond: .* AND \(session_id = /,
      );
      expect(plan).toMatch(
        /span_sources_pkey on span_sources.*\n\s*Index Cond: \(\(organization_id = .*\) AND \(id = /,
      );
    }
  }
});

test('storeSpans uses one plan for statements of every length', async () => {
  const statements: CompiledQuery[] = [];
  const watched = db.withPlugin({
    transformQuery({ node, queryId }) {
      statements.push(db.getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  for (const spans of [1, 1_000, 1, 1_000, 1, 1_000, 1, 1_000]) await store(watched, spans);
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  for (const { sql: text, parameters } of statements)
    await client.query({ name: 'store', text, values: [...parameters] });
  const { rows } = await client.query(
    'SELECT generic_plans::integer, custom_plans::integer FROM pg_prepared_statements',
  );
  await client.end();
  expect(rows).toEqual([{ generic_plans: 3, custom_plans: 5 }]);
});
