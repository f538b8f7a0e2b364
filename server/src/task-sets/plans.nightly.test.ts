/** The statements of the list: few, so that each is planned once, and planned well for every query. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startTestServer } from '../../test/harness.ts';
import { explainWork } from '../../test/query-plans.ts';
import type { OrgScope } from '../platform/auth/principal.ts';
import { selectPage } from './list.ts';
import { taskSetQuery } from './schema.ts';

const server = await startTestServer();
const { owner, db } = server;
const organizationId: string = (await server.as(owner).get('/org/main')).body.id;
const principal = { userId: owner.id, isPlatformAdmin: false, apiKey: undefined, loginId: undefined };
const scope: OrgScope = {
  principal,
  requestId: 'test',
  organizationId,
  organizationKey: 'main',
  role: 'owner',
};

const VALUES: Record<string, readonly unknown[]> = {
  source: [undefined, ['a'], ['a', 'b']],
  tags: [undefined, ['t']],
  search: [undefined, ' ', 'w', 'two words', '!'],
  contains: [undefined, 'a', 'a@1.0.0', 'main/a', 'main/a@1.0.0', 'o/a', 'o/a@1.0.0'],
  sort_by: ['name', 'source', 'created_at', 'updated_at'],
  sort_dir: ['asc', 'desc'],
  include_public: [false, true],
  page: [1, 2],
};

function combinations(): Record<string, unknown>[] {
  let all: Record<string, unknown>[] = [{}];
  for (const [name, values] of Object.entries(VALUES))
    all = all.flatMap((query) => values.map((value) => Object.assign({ [name]: value }, query)));
  return all;
}

test('all queries together use only a few statements', () => {
  const queries = combinations();
  const texts = queries.map((query) => selectPage(scope, taskSetQuery.parse(query)).compile(db).sql);
  expect(queries.length).toBeGreaterThan(6_000);
  expect(new Set(texts).size).toBe(40);
});

test('sets with a task are found by the index of members, with and without statistics', async () => {
  for (const table of ['task_sets', 'task_set_members'])
    await sql`ALTER TABLE ${sql.table(table)} SET (autovacuum_enabled = false)`.execute(db);
  await sql`
    WITH added AS (
      INSERT INTO task_sets (organization_id, id, name, member_count, created_by, search_words)
      SELECT ${organizationId}, gen_random_uuid(), 'set-' || n, 2, ${owner.id}, '' FROM generate_series(1, 2000) AS n
      RETURNING organization_id, id, name
    )
    INSERT INTO task_set_members (organization_id, task_set_id, position, task_name, local_name)
    SELECT organization_id, id, 1, name, name FROM added
  `.execute(db);
  const query = taskSetQuery.parse({ contains: 'set-7', tags: ['a'] });
  for (const isAnalyzed of [false, true]) {
    if (isAnalyzed) await sql`ANALYZE task_sets, task_set_members`.execute(db);
    const plans = await explainWork(server, (on) => selectPage(scope, query).execute(on));
    expect(plans).toHaveLength(2);
    for (const plan of plans) {
      expect(plan).toMatch(/task_set_members_task on task_set_members[^\n]*\n\s*Index Cond: .*local_name = /);
      expect(plan).toMatch(/on task_sets[^\n]*\n\s*Index Cond: .*id = ANY/);
      expect(plan).not.toMatch(/Seq Scan on task_set/);
    }
  }
});
