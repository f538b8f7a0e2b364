/** Spans are deleted with the session that they name, and with their workspace. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { findOrganizationId } from '../../../test/other-organization.ts';
import {
  expectAgreement,
  type Owner,
  spanId,
  store,
  traceId,
  whereSpansLie,
} from '../../../test/span-store.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { traceCleanUps } from './clean-ups.ts';
import { makeDaysAhead } from './partitions.ts';

const server = await startTestServer();
const { db, owner } = server;
const organizationId = await findOrganizationId(server, 'main');
const main = await findPlace('main');
await makeDaysAhead(db);
const start = new Date();
const sweepOnce = async (cleanUps = traceCleanUps()) => {
  for (const { run } of cleanUps) await run(db);
};

async function findPlace(key: string): Promise<Owner> {
  const { id } = await db
    .selectFrom('workspaces')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('key', '=', key)
    .executeTakeFirstOrThrow();
  return { organizationId, workspaceId: id, userId: owner.id };
}

async function addWorkspace(name: string): Promise<Owner> {
  expect((await server.as(owner).post('/org/main/ws', { name })).status).toBe(201);
  return findPlace(name);
}

async function countIn({ workspaceId }: Owner) {
  const { rows } = await sql`
    SELECT (SELECT count(*) FROM spans WHERE organization_id = ${organizationId} AND workspace_id = ${workspaceId}) AS spans,
           (SELECT count(*) FROM sender_parts WHERE organization_id = ${organizationId} AND workspace_id = ${workspaceId}) AS parts`.execute(
    db,
  );
  return rows[0];
}

const SESSIONS = '/org/main/ws/main/sessions';
const save = async (id: string) =>
  expect((await server.as(owner).post(SESSIONS, { id, model: 'm' })).status).toBe(201);
const remove = async (id: string) =>
  expect((await server.as(owner).delete(`${SESSIONS}/${id}`)).status).toBe(204);

const ids = async () => new Set((await whereSpansLie(db)).keys());
const span = (more: object = {}) => ({ traceId: traceId(), spanId: spanId(), start, ...more });
const hex = (one: { spanId: Buffer }) => one.spanId.toString('hex');

test('deleting a session deletes its spans, not those of other users in the same trace', async () => {
  const [gone, other] = [uuidv7(), uuidv7()];
  for (const id of [gone, other]) await save(id);
  const trace = traceId();
  const [of, ofOther, ofNone] = [
    span({ traceId: trace, sessionId: gone, tokens: 4 }),
    span({ traceId: trace, sessionId: other }),
    span({ traceId: trace, start: new Date(0) }),
  ];
  const early = span({ sessionId: gone, start: new Date(0) });
  await store(db, main, [of, ofOther, ofNone, early]);
  const cleanUps = traceCleanUps();
  await sweepOnce(cleanUps);
  await remove(gone);
  await sweepOnce(cleanUps);
  const left = await ids();
  expect([of, early, ofOther, ofNone].map((each) => left.has(hex(each)))).toEqual([false, false, true, true]);
  await expectAgreement(db);

  // Spans sent after the deletion are deleted as well.
  const late = span({ sessionId: gone });
  await store(db, main, [late]);
  await sweepOnce(cleanUps);
  expect(await ids()).not.toContain(hex(late));
});

test('a session id saved again keeps spans sent since the deletion', async () => {
  const id = uuidv7();
  await save(id);
  const trace = traceId();
  const before = span({ traceId: trace, sessionId: id });
  await store(db, main, [before]);
  await remove(id);
  await save(id);
  const since = span({ traceId: trace, sessionId: id });
  await store(db, main, [since]);
  await sweepOnce();
  const left = await ids();
  expect([before, since].map((each) => left.has(hex(each)))).toEqual([false, true]);
  await expectAgreement(db);
});

test('deleting a session deletes its spans in many traces, and leaves the same id elsewhere alone', async () => {
  const elsewhere = await addWorkspace('elsewhere');
  const id = uuidv7();
  await save(id);
  const many = Array.from({ length: 1_200 }, () => span({ sessionId: id }));
  const own = span({ sessionId: id });
  await store(db, main, many);
  await store(db, elsewhere, [own]);
  await remove(id);
  await sweepOnce();
  const left = await ids();
  expect(many.filter((each) => left.has(hex(each)))).toEqual([]);
  expect(left.has(hex(own))).toBe(true);
  await expectAgreement(db);
});

test('deleting a workspace deletes its traces in portions, and leaves other workspaces alone', async () => {
  const doomed = await addWorkspace('doomed');
  const shared = traceId();
  const kept = span({ traceId: shared });
  await store(db, main, [kept]);
  await store(
    db,
    doomed,
    Array.from({ length: 1_300 }, () => span()),
  );
  await store(
    db,
    doomed,
    Array.from({ length: 2_100 }, () => span({ traceId: shared })),
  );
  await store(db, doomed, [span({ start: new Date(0) })]);
  expect((await server.as(owner).delete('/org/main/ws/doomed')).status).toBe(204);
  expect(await countIn(doomed)).toEqual({ spans: 0, parts: 0 });
  expect(await ids()).toContain(hex(kept));
  await expectAgreement(db);
});

test('spans that arrive during the deletion of a workspace are deleted with it, or not stored', async () => {
  for (let round = 0; round < 2; round++) {
    const doomed = await addWorkspace(`busy-${round}`);
    const done = new AbortController();
    const writers = Array.from({ length: 4 }, async () => {
      while (!done.signal.aborted)
        await store(
          db,
          doomed,
          Array.from({ length: 50 }, () => span({ start: new Date() })),
        );
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    const response = await server.as(owner).delete(`/org/main/ws/busy-${round}`);
    done.abort();
    await Promise.all(writers);
    expect(response.status).toBe(204);
    expect(await countIn(doomed)).toEqual({ spans: 0, parts: 0 });
  }
  await expectAgreement(db);
});

test('a span being stored at the end of a deletion is deleted with the workspace', async () => {
  const doomed = await addWorkspace('late');
  const isStored = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const writer = transaction(db, async (trx) => {
    await store(trx, doomed, [span(), span({ start: new Date(0) })]);
    isStored.resolve();
    await mayCommit.promise;
  });
  await isStored.promise;
  const response = server.as(owner).delete('/org/main/ws/late');
  // The deletion waits for the row of the workspace.
  await expect
    .poll(async () => {
      const { rows } = await sql`
        SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(
        db,
      );
      return rows.length;
    })
    .toBe(1);
  expect(await countIn(doomed)).toEqual({ spans: 0, parts: 0 });
  mayCommit.resolve();
  await writer;
  expect((await response).status).toBe(204);
  expect(await countIn(doomed)).toEqual({ spans: 0, parts: 0 });
  await store(db, doomed, [span()]);
  expect(await countIn(doomed)).toEqual({ spans: 0, parts: 0 });
});
