import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { ColumnWorld } from '../../../../test/column-world.ts';
import { startTestServer } from '../../../../test/harness.ts';
import { MOMENT, type Moment } from './moment.ts';
import { findChanges } from './refresh.ts';

const server = await startTestServer();
const { db } = server;

const TABLES = ['sessions', 'session_groups', 'session_deletions'];

/** Simulates a dump of another database that had assigned more transaction ids than this one. */
async function bringFromElsewhere(organizationId: string): Promise<void> {
  for (const table of TABLES.map((name) => sql.table(name))) {
    await sql`ALTER TABLE ${table} DISABLE TRIGGER USER`.execute(db);
    await sql`UPDATE ${table} SET changed_in = '9000000000' WHERE organization_id = ${organizationId}`.execute(
      db,
    );
    await sql`ALTER TABLE ${table} ENABLE TRIGGER USER`.execute(db);
  }
}

test('rows copied from another database do not count as changed forever', async () => {
  const world = await ColumnWorld.make(server, 'elsewhere');
  const { organizationId } = world.place;
  await world.fill(20);
  await sql`DELETE FROM sessions WHERE organization_id = ${organizationId} AND id = (
              SELECT min(id::text)::uuid FROM sessions WHERE organization_id = ${organizationId})`.execute(
    db,
  );
  await bringFromElsewhere(organizationId);
  const { rows } = await sql<Moment>`SELECT ${MOMENT}`.execute(db);
  const [since] = rows as [Moment];
  expect(await findChanges(db, world.place, since)).toMatchObject({ gone: [], groups: [], sessions: [] });

  await world.load();
  await world.compare(6);
  for (let change = 0; change < 15; change++) await world.sessions.change();
  await world.compare(12);
});
