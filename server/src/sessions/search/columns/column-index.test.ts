import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addWorkspace, ColumnWorld, EVERYTHING } from '../../../../test/column-world.ts';
import { startTestServer } from '../../../../test/harness.ts';
import { RandomSessions } from '../../../../test/random-sessions.ts';
import { connect } from '../../../platform/db/connect.ts';
import { createLog } from '../../../platform/log.ts';
import { uuidv7 } from '../../../platform/uuid.ts';
import type { FacetCounts } from '../facet-counts.ts';
import { MAX_LABELS } from '../schema.ts';
import { countFacets } from '../sql-facets.ts';

const server = await startTestServer();
const { db } = server;
const log = createLog('fatal');

describe('comparison of the index with SQL', () => {
  test('the index returns the same as SQL for random sessions, filters and callers between random changes', async () => {
    const world = await ColumnWorld.make(server, 'changes');
    await world.fill(120);
    await world.load();
    await world.compare(60);
    for (let round = 0; round < 12; round++) {
      for (let change = 0; change < 15; change++) await world.sessions.change();
      await world.compare(12);
    }
  });

  test('the index returns the same as SQL in an empty workspace, and never serves lists sorted by title', async () => {
    const world = await ColumnWorld.make(server, 'empty');
    await world.load();
    await world.compare(6);
    const order = { ...world.sessions.order(), sort_by: 'title' as const };
    expect(await world.index.page(world.viewers[0], EVERYTHING, order)).toBeUndefined();
  });

  test('the index returns the same as SQL after more changes than one statement reads', async () => {
    const world = await ColumnWorld.make(server, 'many');
    await world.fill(50);
    await world.load();
    await sql`
      INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, origin, visibility, search_text, labels)
      SELECT ${world.place.organizationId}, gen_random_uuid(), ${world.place.workspaceId}, ${server.owner.id},
             'm' || n % 7, 'user', 'workspace', 'alpha ' || n, jsonb_build_object('n', jsonb_build_array((n % 13)::text))
        FROM generate_series(1, 5000) AS n`.execute(db);
    await world.compare(20);
    await sql`DELETE FROM sessions WHERE organization_id = ${world.place.organizationId} AND model = 'm3'`.execute(
      db,
    );
    await sql`UPDATE sessions SET agent = 'late' WHERE organization_id = ${world.place.organizationId}
                 AND model = 'm4'`.execute(db);
    await world.compare(20);
  });

  test('the index returns the same as SQL for more labels than a response contains', async () => {
    const world = await ColumnWorld.make(server, 'labels');
    const { organizationId, workspaceId } = world.place;
    await sql`
      INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, origin, visibility, labels)
      SELECT ${organizationId}, gen_random_uuid(), ${workspaceId}, ${server.owner.id}, 'm', 'user', 'workspace',
             jsonb_build_object('common', '["one", "two"]'::jsonb, '😀', '["~"]'::jsonb, 'run' || n % 3,
               (SELECT jsonb_agg(n || '-' || v) FROM generate_series(1, 90) AS v))
        FROM generate_series(1, 600) AS n`.execute(db);
    await world.load();
    const [found, expected] = [await world.ask(), await countFacets(db, world.viewers[0], EVERYTHING)];
    expect(found?.labels).toEqual(expected.labels);
    const sizes = [...expected.labels].map(([, values]) => values.size);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(MAX_LABELS);
    expect(expected.labels.get('common')).toEqual(
      new Map([
        ['one', 600],
        ['two', 600],
      ]),
    );
  });

  test('the index returns nothing of other workspaces or organizations', async () => {
    const [world, other] = [await ColumnWorld.make(server, 'own'), await ColumnWorld.make(server, 'other')];
    await world.fill(20);
    await other.fill(20);
    await world.load();
    const place = { ...world.place, workspaceId: uuidv7() };
    await addWorkspace(db, place, server.owner.id);
    const beside = new RandomSessions(db, place, [server.owner.id], 'beside');
    await beside.add();
    await world.compare(12);
    await other.sessions.change();
    await beside.change();
    await world.compare(12);
  });
});

describe('snapshots of the index', () => {
  test('the index sees a transaction that began first and commits last', async () => {
    const world = await ColumnWorld.make(server, 'order');
    await world.fill(10);
    await world.load();
    const second = connect({ url: server.url, poolSize: 4, namedStatements: false, log });
    onTestFinished(() => second.destroy());
    const [early, late] = [
      await second.startTransaction().execute(),
      await second.startTransaction().execute(),
    ];
    await world.sessions.add(uuidv7(), early);
    await world.sessions.add(uuidv7(), late);
    await world.compare(3);
    await late.commit().execute();
    await world.compare(3);
    await world.compare(3);
    await early.commit().execute();
    await world.compare(3);
  });

  test('the index ignores rolled-back changes, and sees a deleted session that was saved again', async () => {
    const world = await ColumnWorld.make(server, 'back');
    await world.fill(10);
    await world.load();
    const trx = await db.startTransaction().execute();
    await world.sessions.add(uuidv7(), trx);
    await world.compare(3);
    await trx.rollback().execute();
    await world.compare(3);
    const [id = ''] = world.sessions.ids;
    const isIt = sql`organization_id = ${world.place.organizationId} AND id = ${id}`;
    await sql`DELETE FROM sessions WHERE ${isIt}`.execute(db);
    await world.sessions.add(id);
    await world.compare(3);
    await sql`DELETE FROM sessions WHERE ${isIt}`.execute(db);
    await world.compare(3);
    await world.sessions.add(id);
    await world.compare(3);
  });

  test("the index returns every caller's own writes, for any number of concurrent queries", async () => {
    const world = await ColumnWorld.make(server, 'own writes');
    const [viewer] = world.viewers;
    await world.load();
    const ask = async (number: number) => {
      const model = `own-${number}`;
      await sql`INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, origin, visibility)
                VALUES (${world.place.organizationId}, ${uuidv7()}, ${world.place.workspaceId}, ${viewer.principal.userId},
                        ${model}, 'user', 'private')`.execute(db);
      const counts = await world.index.facets(viewer, { ...EVERYTHING, models: [model] });
      expect(counts?.models).toEqual(new Map([[model, 1]]));
    };
    const askOften = async (first: number) => {
      for (let number = first; number < first + 40; number++) await ask(number);
    };
    await Promise.all([0, 100, 200, 300, 400].map(askOften));
  });

  test('the index finds a word that moves between messages in exactly one session at any time', async () => {
    const world = await ColumnWorld.make(server, 'moving');
    const [viewer] = world.viewers;
    const { organizationId, workspaceId } = world.place;
    const ids = [uuidv7(), uuidv7(), uuidv7()];
    for (const id of ids)
      await sql`INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, origin, visibility, last_seq)
                VALUES (${organizationId}, ${id}, ${workspaceId}, ${viewer.principal.userId},
                        ${id === ids[0] ? 'with' : 'without'}, 'user', 'private', 1)`.execute(db);
    for (const [place, id] of ids.entries())
      await sql`INSERT INTO session_messages (organization_id, session_id, seq, workspace_id, id, role, content, search_text)
                VALUES (${organizationId}, ${id}, 1, ${workspaceId}, 'a', 'user', '', ${place === 0 ? 'word' : ''})`.execute(
        db,
      );
    await world.load();
    const ending = new AbortController();
    const move = async () => {
      for (let turn = 1; !ending.signal.aborted; turn++)
        await db.transaction().execute(async (trx) => {
          const target = ids[turn % ids.length] as string;
          await sql`UPDATE session_messages SET search_text = CASE WHEN session_id = ${target} THEN 'word' ELSE '' END
                     WHERE organization_id = ${organizationId}`.execute(trx);
          await sql`UPDATE sessions SET model = CASE WHEN id = ${target} THEN 'with' ELSE 'without' END
                     WHERE organization_id = ${organizationId}`.execute(trx);
        });
    };
    const moving = move();
    try {
      for (let round = 0; round < 150; round++) {
        const found = await world.index.facets(viewer, { ...EVERYTHING, search: 'word' });
        expect(found?.models).toEqual(new Map([['with', 1]]));
      }
    } finally {
      ending.abort();
      await moving;
    }
  });

  test('the index sees each transaction as a whole while many write', async () => {
    const world = await ColumnWorld.make(server, 'whole');
    const [viewer] = world.viewers;
    const { organizationId, workspaceId } = world.place;
    await world.load();
    const ending = new AbortController();
    const write = async () => {
      while (!ending.signal.aborted)
        await db.transaction().execute(async (trx) => {
          for (const model of ['left', 'right'])
            await sql`INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, origin, visibility)
                      VALUES (${organizationId}, ${uuidv7()}, ${workspaceId}, ${viewer.principal.userId}, ${model}, 'user',
                              'private')`.execute(trx);
        });
    };
    const writing = [write(), write(), write()];
    try {
      for (let round = 0; round < 100; round++) {
        const { models } = (await world.index.facets(viewer, EVERYTHING)) as FacetCounts;
        expect(models.get('left')).toBe(models.get('right'));
      }
    } finally {
      ending.abort();
      await Promise.all(writing);
    }
    await world.compare(6);
  });
});
