/** Names are looked up by their index even before the database has statistics, when the planner considers other indexes equally good. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startTestServer } from '../../test/harness.ts';
import { explainWork } from '../../test/query-plans.ts';
import type { OrgScope } from '../platform/auth/principal.ts';
import type { Db } from '../platform/db/connect.ts';
import { transaction } from '../platform/db/transaction.ts';
import { findVersion } from './artifacts/find-version.ts';
import { listArtifacts } from './artifacts/list.ts';
import { LIST_QUERIES } from './artifacts/list-query.ts';
import { lockArtifact } from './artifacts/lock.ts';
import { resolveReferences } from './resolve.ts';

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
const stranger = { ...scope, role: null };

await sql`ALTER TABLE artifacts SET (autovacuum_enabled = false)`.execute(db);
await sql`
  INSERT INTO artifacts (organization_id, id, kind, name, created_by, is_public, version_count, latest_id, latest_created_at)
  SELECT ${organizationId}, gen_random_uuid(), 'task', 'task-' || n, ${owner.id}, n % 2 = 0, 1, gen_random_uuid(), now()
    FROM generate_series(1, 3000) AS n
`.execute(db);

const reference = { owner: undefined, name: 'task-7', version: undefined };
const many = Array.from({ length: 1_000 }, () => reference);
const list = (query: object) => (on: Db) =>
  listArtifacts(on, scope, 'task', LIST_QUERIES.task.parse({ name: 'task-7', ...query }));

const WORK: Record<string, (on: Db) => Promise<unknown>> = {
  'a reference': (on) => resolveReferences(on, scope, 'task', [reference]),
  'a thousand references': (on) => resolveReferences(on, scope, 'task', many),
  'a reference of a stranger': (on) => resolveReferences(on, stranger, 'task', [reference]),
  'a read of the latest': (on) => findVersion(on, scope, 'task', 'task-7', undefined),
  'a read of a version': (on) => findVersion(on, scope, 'task', 'main/task-7', '1.0.0'),
  'a read of a stranger': (on) => findVersion(on, stranger, 'task', 'task-8', undefined),
  'a lock': (on) => transaction(on, (trx) => lockArtifact(trx, scope, 'task', 'task-7')),
  'a list': list({}),
  'a list by name': list({ sort_by: 'name' }),
  'a filtered list': list({ tags: ['a'] }),
  'a list with what is public': list({ include_public: true }),
};

test.each(Object.entries(WORK))('%s', async (_, work) => {
  const plans = await explainWork(server, work);
  expect(plans.length).toBeGreaterThan(0);
  for (const plan of plans) {
    expect(plan).toMatch(/Index (Only )?Scan using artifacts_name_key on artifacts/);
    expect(plan).not.toMatch(
      /(artifacts_created_at|artifacts_updated_at|artifacts_size|Seq Scan on artifacts)\b/,
    );
    const condition = /artifacts_name_key on artifacts[^\n]*\n\s*Index Cond: ([^\n]*)/.exec(plan)?.[1];
    expect(condition).toMatch(/organization_id = .*kind = .*name = /);
  }
});
