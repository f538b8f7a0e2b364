import { expect, test } from 'vitest';
import { startTestServer } from './harness.ts';
import { unfilteredTables } from './tenant-filter-check.ts';

const server = await startTestServer();

test('a statement on a tenant table without its organization does not reach the database', async () => {
  await expect(server.db.selectFrom('projects').selectAll().execute()).rejects.toThrow(
    'No tenant filter on projects',
  );
});

test.each([
  ['select * from "projects" where "key" = $1', ['projects']],
  ['select "organization_id" from "projects"', ['projects']],
  ['select * from "projects" where "organization_id" = $1', []],
  [
    'select * from "projects" as "p" join "workspaces" as "w" on "w"."id" = "p"."workspace_id" where "p"."organization_id" = $1',
    ['workspaces'],
  ],
  [
    'select * from "projects" as "p" join "workspaces" as "w" on "w"."organization_id" = "p"."organization_id" where "p"."organization_id" = $1',
    [],
  ],
  ['SELECT "p"."key" FROM projects AS p WHERE "p"."id" = $1 AND p.organization_id = $2', []],
  ['SELECT "p"."key" FROM projects AS p WHERE "p"."id" = $1 AND sp.organization_id = $2', ['projects']],
  ['update "projects" set "name" = $1 where "id" = $2', ['projects']],
  ['delete from "projects" where "id" = $1', ['projects']],
  ['insert into "projects" ("id") values ($1)', ['projects']],
  ['insert into "projects" ("organization_id", "id") values ($1, $2)', []],
  ['select * from "users" where "id" = $1', []],
  ['SELECT key FROM projects WHERE id = $1', ['projects']],
  ['SELECT key FROM projects AS p WHERE p.organization_id = $1 AND id = $2', []],
  ['UPDATE projects SET name = $1 WHERE id = $2', ['projects']],
  ['DELETE FROM projects /* of every organization */ WHERE created_at < $1', []],
  ['WITH old AS (SELECT 1) SELECT * FROM old', []],
])('%s lacks its filter on %o', (sql, tables) => {
  expect(unfilteredTables(sql)).toEqual(tables);
});
