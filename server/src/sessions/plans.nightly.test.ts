/** Statements that look up few sessions among many use an index, for all parameters and all table statistics. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startTestServer } from '../../test/harness.ts';
import { findOrganizationId } from '../../test/other-organization.ts';
import { explainWork } from '../../test/query-plans.ts';
import { transaction } from '../platform/db/transaction.ts';
import { uuidv7 } from '../platform/uuid.ts';
import { findGroups } from './groups/store.ts';
import { getSession } from './lookup.ts';
import { insertSessions } from './save/insert.ts';

const server = await startTestServer();
const { owner, db } = server;
const organizationId = await findOrganizationId(server, 'main');
const workspaceId: string = (await server.as(owner).get('/org/main/ws/main')).body.id;
const principal = { userId: owner.id, isPlatformAdmin: false, apiKey: undefined, loginId: undefined };
const viewer = { organizationId, workspaceId, principal };

const TABLES = ['sessions', 'session_groups', 'projects', 'users'];

async function addSessions(): Promise<void> {
  for (const table of TABLES)
    await sql`ALTER TABLE ${sql.table(table)} SET (autovacuum_enabled = false)`.execute(db);
  await sql`
    WITH added AS (
      INSERT INTO session_groups (organization_id, id, workspace_id, kind, created_by)
      SELECT ${organizationId}, gen_random_uuid(), ${workspaceId}, 'workflow', ${owner.id} FROM generate_series(1, 1000)
      RETURNING organization_id, id, workspace_id
    ), placed AS (
      INSERT INTO projects (organization_id, id, workspace_id, key, name, created_by)
      SELECT ${organizationId}, gen_random_uuid(), ${workspaceId}, 'p' || n, 'p', ${owner.id} FROM generate_series(1, 1000) AS n
    )
    INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, origin, visibility, group_id)
    SELECT organization_id, gen_random_uuid(), workspace_id, ${owner.id}, 'm', 'user', 'private', id
      FROM added, generate_series(1, 10)`.execute(db);
}

test('lookups use an index with and without table statistics', async () => {
  await addSessions();
  for (const isAnalyzed of [false, true]) {
    if (isAnalyzed) await sql`ANALYZE sessions, session_groups, projects, users`.execute(db);
    const groups = await explainWork(server, (on) => findGroups(on, viewer, [uuidv7(), uuidv7()]));
    expect(groups).toHaveLength(2);
    for (const plan of groups) {
      expect(plan).toMatch(/sessions_group on sessions[^\n]*\n\s*Index Cond: .*group_id = /);
      expect(plan).not.toMatch(/Seq Scan/);
    }
    const read = await explainWork(server, (on) => getSession(on, viewer, uuidv7()).catch(() => undefined));
    const byPrefix = await explainWork(server, (on) =>
      getSession(on, viewer, '0b5e55ed').catch(() => undefined),
    );
    const references = { group_id: uuidv7(), project_id: uuidv7(), runtime_id: uuidv7() };
    const request = { id: uuidv7(), model: 'm', ...references };
    const saved = await explainWork(server, (on) =>
      transaction(on, (trx) => insertSessions(trx, [{ place: viewer, request }])),
    );
    for (const plans of [read, byPrefix, saved]) {
      expect(plans.length).toBeGreaterThanOrEqual(2);
      for (const plan of plans)
        expect(plan).not.toMatch(/Seq Scan on (sessions|session_groups|projects|runtimes)/);
    }
  }
});
