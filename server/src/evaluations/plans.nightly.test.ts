/** What a search and the statistics read is of their evaluation alone, however many messages and samples others have. */
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { openEvaluations } from '../../test/evaluation-rows.ts';
import { countBlocks, explainWork } from '../../test/query-plans.ts';
import { uuidv7 } from '../platform/uuid.ts';
import { getAnalytics } from './reading/analytics.ts';
import { searchItems } from './search/search.ts';

const ITEMS = 50;
const MESSAGES = 20;
const OTHERS = 40;

const { db, url, place } = await openEvaluations();
const own = uuidv7();

async function add(id: string): Promise<void> {
  const { organizationId, workspaceId } = place;
  await sql`
    INSERT INTO evaluations (organization_id, id, workspace_id, created_by, name, model, concurrency, request, execution,
                             total_samples, status, item_counts)
    SELECT organization_id, ${id}, id, created_by, 'e', 'sim/echo', 4, '{}', '{}', ${ITEMS}, 'completed', '{}'
      FROM workspaces WHERE organization_id = ${organizationId} AND id = ${workspaceId}`.execute(db);
  await sql`
    INSERT INTO evaluation_tasks (organization_id, evaluation_id, position, task_name, task_version, owner_id, version_id, details)
    SELECT ${organizationId}::uuid, ${id}::uuid, n, 'task-' || n, '1.0.0', ${organizationId}::uuid, gen_random_uuid(), '{}'
      FROM generate_series(0, ${ITEMS - 1}::integer) AS n`.execute(db);
  await sql`
    INSERT INTO evaluation_items (organization_id, id, evaluation_id, position, source_position, task_name, sample, status, error)
    SELECT ${organizationId}::uuid, gen_random_uuid(), ${id}::uuid, n, n, 'task-' || n, 1, 'failed',
           CASE WHEN n % 10 = 0 THEN 'an error' END
      FROM generate_series(0, ${ITEMS - 1}::integer) AS n`.execute(db);
  await sql`
    INSERT INTO evaluation_texts (organization_id, evaluation_id, position, seq, text)
    SELECT ${organizationId}::uuid, ${id}::uuid, n, m, repeat('text ', 60)
      FROM generate_series(0, ${ITEMS - 1}::integer) AS n, generate_series(1, ${MESSAGES}::integer) AS m`.execute(
    db,
  );
}

beforeAll(async () => {
  for (const table of ['evaluations', 'evaluation_tasks', 'evaluation_items', 'evaluation_texts'])
    await sql`ALTER TABLE ${sql.table(table)} SET (autovacuum_enabled = false)`.execute(db);
  for (let other = 0; other < OTHERS; other++) await add(other === OTHERS / 2 ? own : uuidv7());
});

test.each([false, true])(
  'searchItems reads by indexes that begin with the evaluation (analyzed: %s)',
  async (isAnalyzed) => {
    if (isAnalyzed)
      await sql`ANALYZE evaluations, evaluation_tasks, evaluation_items, evaluation_texts`.execute(db);
    for (const q of ['nowhere', 'text', 'error', 'task-1']) {
      const plans = await explainWork({ db, url }, (on) => searchItems(on, place, own, q));
      const all = plans.join('\n');
      expect(all).not.toMatch(/Seq Scan on evaluation/);
      expect(all).toMatch(
        /evaluation_texts_pkey[^\n]*\n\s*Index Cond: [^\n]*organization_id = [^\n]*evaluation_id = /,
      );
      expect(all).toMatch(/evaluation_items_error[^\n]*\n\s*Index Cond: [^\n]*evaluation_id = /);
    }
  },
);

test('searchItems and getAnalytics read as many blocks when others have more', async () => {
  const works = [
    ...['nowhere', 'text'].map((q) => (on: typeof db) => searchItems(on, place, own, q)),
    (on: typeof db) => getAnalytics(on, place, own),
  ];
  const count = () => Promise.all(works.map((work) => countBlocks({ db, url }, work)));
  await sql`ANALYZE evaluations, evaluation_tasks, evaluation_items, evaluation_texts`.execute(db);
  const before = await count();
  for (let other = 0; other < 3 * OTHERS; other++) await add(uuidv7());
  await sql`ANALYZE evaluations, evaluation_tasks, evaluation_items, evaluation_texts`.execute(db);
  const after = await count();
  // An index may have become a level deeper.
  for (const [index, blocks] of after.entries())
    expect(blocks).toBeLessThanOrEqual((before[index] ?? 0) * 1.5 + 20);
});

test('searchItems stops at the first 201 samples that match', async () => {
  const plans = await explainWork({ db, url }, (on) => searchItems(on, place, own, 'text'));
  const transcript = plans.filter((plan) => plan.includes('evaluation_texts') && plan.includes('Limit'));
  expect(transcript).toHaveLength(2);
  for (const plan of transcript)
    expect(plan).toMatch(
      /GroupAggregate[^\n]*\n(\s*Group Key[^\n]*\n)?\s*->\s+Index Scan using evaluation_texts_pkey/,
    );
});
