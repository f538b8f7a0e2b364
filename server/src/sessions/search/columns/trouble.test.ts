/**
 * Failure cases of the columns: failing and blocked statements, transactions in any order, rows from other databases. Results are never
 * wrong.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addWorkspace, ColumnWorld, EVERYTHING } from '../../../../test/column-world.ts';
import { startTestServer } from '../../../../test/harness.ts';
import { RandomSessions } from '../../../../test/random-sessions.ts';
import { connect, type Db, poolOf } from '../../../platform/db/connect.ts';
import { createLog } from '../../../platform/log.ts';
import { uuidv7 } from '../../../platform/uuid.ts';
import { getFacets } from '../facets.ts';
import { listSessions } from '../list.ts';
import { SessionQuery } from '../query.ts';
import { SessionListQuery } from '../schema.ts';
import { ColumnIndex } from './column-index.ts';
import { MOMENT, type Moment } from './moment.ts';
import { findChanges } from './refresh.ts';
import { WorkspaceColumns } from './workspace-columns.ts';

const server = await startTestServer();
const { db } = server;
const log = createLog('fatal');

/** Connects with this statement timeout. */
function connectFor(milliseconds: number): Db {
  const url = new URL(server.url);
  url.searchParams.set('options', `-c statement_timeout=${milliseconds}`);
  const hurried = connect({ url: url.href, poolSize: 4, namedStatements: true, log });
  onTestFinished(() => hurried.destroy());
  return hurried;
}

/** Blocks reads of the table until the lock is released. */
async function lock(table: 'sessions' | 'session_messages'): Promise<() => Promise<void>> {
  const trx = await db.startTransaction().execute();
  await sql`LOCK TABLE ${sql.table(table)} IN ACCESS EXCLUSIVE MODE`.execute(trx);
  return () => trx.commit().execute();
}

const speak = ({ place, sessions }: ColumnWorld, id = sessions.ids[0]) =>
  sql`UPDATE sessions SET last_seq = last_seq + 1, claimed_message_count = NULL
       WHERE organization_id = ${place.organizationId} AND id = ${id}`.execute(db);

function loadAlone({ place }: ColumnWorld): Promise<WorkspaceColumns> {
  const pool = poolOf(db);
  if (!pool) throw new Error('There is no pool');
  const watch = { onCount: () => undefined, onRows: () => undefined, maxBytes: 1e9 };
  return WorkspaceColumns.load({ db, pool }, place, watch);
}

describe('failing statements', () => {
  test('a search that times out suggests what to change and keeps the columns loaded', async () => {
    const hurried = connectFor(300);
    const index = new ColumnIndex({ db: hurried, log });
    const world = await ColumnWorld.make(server, 'slow', index);
    await world.fill(5);
    for (const id of world.sessions.ids) await speak(world, id);
    await world.load();
    const unlock = await lock('session_messages');
    const query = { search: 'nowhere', archived: 'any', include_workload_sessions: true };
    const refused = {
      type: 'validation_error',
      issues: [
        {
          loc: ['query', 'search'],
          msg: 'takes too long among so many messages; narrow the sessions by user, project_id, agent, model, label or origin',
        },
      ],
    };
    for (const options of [{ db: hurried }, { db: hurried, index }]) {
      const [viewer] = world.viewers;
      await expect(getFacets(options, viewer, SessionQuery.parse(query))).rejects.toMatchObject(refused);
      await expect(listSessions(options, viewer, SessionListQuery.parse(query))).rejects.toMatchObject(
        refused,
      );
    }
    expect(await world.ask()).toBeDefined();
    await unlock();
    await world.compare(3);
  });

  test('any other timeout is reported as a timeout', async () => {
    const hurried = connectFor(300);
    const world = await ColumnWorld.make(server, 'slower');
    const unlock = await lock('sessions');
    const asked = getFacets({ db: hurried }, world.viewers[0], SessionQuery.parse({ model: ['m'] }));
    await expect(asked).rejects.toMatchObject({ type: 'gateway_timeout_error', status: 504 });
    await unlock();
  });

  test('a failed refresh is retried and the columns stay loaded', async () => {
    const world = await ColumnWorld.make(server, 'kept', new ColumnIndex({ db: connectFor(300), log }));
    await world.fill(5);
    await world.load();
    const { bytes } = world.index;
    const unlock = await lock('sessions');
    expect(await world.ask()).toBeUndefined();
    await unlock();
    expect(world.index.bytes).toBe(bytes);
    await world.sessions.add();
    expect(await world.ask()).toBeDefined();
    await world.compare(3);
  });

  test('a query that rechecks messages waits alone and does not delay others', async () => {
    const world = await ColumnWorld.make(server, 'alone');
    await world.fill(5);
    const columns = await loadAlone(world);
    const since = await columns.visit(({ snapshot }) => snapshot);
    await speak(world);
    const unlock = await lock('session_messages');
    const served: string[] = [];
    const slow = columns.visit(() => served.push('slow'), { search: 'x', since });
    const failed = expect(slow).rejects.toThrow('statement timeout');
    await columns.visit(() => served.push('fast'));
    await failed;
    await unlock();
    const again = await columns.visit(({ rechecked }) => rechecked, { search: 'x', since });
    expect(again).toEqual(new Map([[world.sessions.ids[0], false]]));
    expect(served).toEqual(['fast']);
  });

  test('other work of the process runs between two queries that are served together', async () => {
    const world = await ColumnWorld.make(server, 'between');
    const columns = await loadAlone(world);
    const ending = new AbortController();
    let others = 0;
    const keepServing = async () => {
      for (; !ending.signal.aborted; others++) await nextTurn();
    };
    const serving = keepServing();
    const moments = await Promise.all(Array.from({ length: 5 }, () => columns.visit(() => others)));
    ending.abort();
    await serving;
    expect(new Set(moments).size).toBe(5);
  });

  test('the columns are loaded again when more sessions changed than a caller waits for', async () => {
    const world = await ColumnWorld.make(server, 'flood');
    await world.load();
    const { organizationId, workspaceId } = world.place;
    await sql`
      INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, origin, visibility)
      SELECT ${organizationId}, gen_random_uuid(), ${workspaceId}, ${server.owner.id}, 'm' || n % 3, 'user', 'workspace'
        FROM generate_series(1, 51000) AS n`.execute(db);
    expect(await world.ask()).toBeUndefined();
    await world.index.settled();
    await world.compare(3);
  });

  test('closing the index waits for a running load and discards its result', async () => {
    const world = await ColumnWorld.make(server, 'closing');
    await world.fill(5);
    const unlock = await lock('sessions');
    expect(await world.ask()).toBeUndefined();
    const closing = world.index.close();
    await unlock();
    await closing;
    expect(world.index.bytes).toBe(0);
    expect(await world.ask()).toBeUndefined();
  });
});

test('while a workspace is being loaded few queries go to the database and the others wait', async () => {
  const world = await ColumnWorld.make(server, 'crowd');
  await world.fill(5);
  const [viewer] = world.viewers;
  const unlock = await lock('sessions');
  expect(await world.ask()).toBeUndefined();
  let asked = 0;
  const gate = Promise.withResolvers<string>();
  const ask = () => {
    asked++;
    return gate.promise;
  };
  const results = Array.from({ length: 10 }, () => world.index.orQuery(viewer, ask));
  expect(asked).toBe(2);
  await unlock();
  await expect(Promise.all(results.slice(2))).resolves.toEqual(Array(8).fill(undefined));
  gate.resolve('asked');
  await expect(Promise.all(results.slice(0, 2))).resolves.toEqual(['asked', 'asked']);
  expect(asked).toBe(2);
  expect(await world.ask()).toBeDefined();
});

describe('comparison with SQL', () => {
  test('the index returns the same as SQL with rollbacks in overlapping transactions', async () => {
    const world = await ColumnWorld.make(server, 'savepoints');
    await world.fill(10);
    await world.load();
    const [one, other] = [await db.startTransaction().execute(), await db.startTransaction().execute()];
    await world.sessions.add(uuidv7(), one);
    // More subtransactions than PostgreSQL keeps in shared memory.
    for (let count = 0; count < 70; count++) {
      await sql`SAVEPOINT a`.execute(one);
      await world.sessions.add(uuidv7(), one);
      await (count % 2 ? sql`RELEASE SAVEPOINT a` : sql`ROLLBACK TO SAVEPOINT a`).execute(one);
    }
    await sql`SAVEPOINT b`.execute(other);
    await sql`DELETE FROM sessions WHERE organization_id = ${world.place.organizationId} AND id = ${world.sessions.ids[1]}`.execute(
      other,
    );
    await world.compare(3);
    await sql`ROLLBACK TO SAVEPOINT b`.execute(other);
    await sql`DELETE FROM sessions WHERE organization_id = ${world.place.organizationId} AND id = ${world.sessions.ids[2]}`.execute(
      other,
    );
    await world.sessions.add(world.sessions.ids[2], other);
    await one.commit().execute();
    await world.compare(3);
    await other.commit().execute();
    await world.compare(6);
  });

  test('the index returns the same as SQL when an id moves to another workspace and when a workspace is deleted', async () => {
    const world = await ColumnWorld.make(server, 'moving out');
    await world.fill(10);
    await world.load();
    const place = { ...world.place, workspaceId: uuidv7() };
    await addWorkspace(db, place, server.owner.id);
    const beside = new RandomSessions(db, place, [server.owner.id], 'beside');
    const viewer = { ...world.viewers[0], ...place };
    expect(await world.index.facets(viewer, EVERYTHING)).toBeUndefined();
    await world.index.settled();
    const [id = ''] = world.sessions.ids;
    await db.transaction().execute(async (trx) => {
      await sql`DELETE FROM sessions WHERE organization_id = ${place.organizationId} AND id = ${id}`.execute(
        trx,
      );
      await beside.add(id, trx);
    });
    await world.compare(3);
    const origins = (await world.index.facets(viewer, EVERYTHING))?.origins;
    expect([...(origins?.values() ?? [])]).toEqual([1]);
    await sql`DELETE FROM workspaces WHERE organization_id = ${place.organizationId} AND id = ${world.place.workspaceId}`.execute(
      db,
    );
    await world.compare(3);
    expect((await world.ask())?.models).toEqual(new Map());
  });

  test('rows copied from a database with higher transaction ids are not read repeatedly', async () => {
    const world = await ColumnWorld.make(server, 'ahead');
    await world.fill(3);
    await db.transaction().execute(async (trx) => {
      await sql`ALTER TABLE sessions DISABLE TRIGGER sessions_note_transaction`.execute(trx);
      await sql`UPDATE sessions SET changed_in = '99999999999' WHERE organization_id = ${world.place.organizationId}`.execute(
        trx,
      );
      await sql`ALTER TABLE sessions ENABLE TRIGGER sessions_note_transaction`.execute(trx);
    });
    await world.load();
    const { rows } = await sql<Moment>`SELECT ${MOMENT}`.execute(db);
    const [moment] = rows as [Moment];
    expect((await findChanges(db, world.place, moment))?.sessions).toEqual([]);
    await speak(world);
    expect((await findChanges(db, world.place, moment))?.sessions).toHaveLength(1);
    await world.compare(6);
  });
});
