/** Partitions are created, filled, detached and dropped while spans arrive: no request fails, and no span is lost. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { findOrganizationId } from '../../../test/other-organization.ts';
import { expectAgreement, spanId, store, traceId, whereSpansLie } from '../../../test/span-store.ts';
import { withPlugin } from '../../platform/db/connect.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { dayOf, plusDays } from './days.ts';
import { dropExpiredDay, expireSpans } from './expiry.ts';
import { makeDay, takeOut } from './partitions.ts';
import { recountParts } from './recount.ts';

const server = await startTestServer();
const { db, owner } = server;
const organizationId = await findOrganizationId(server, 'main');
const { id: workspaceId } = await db
  .selectFrom('workspaces')
  .select('id')
  .where('organization_id', '=', organizationId)
  .executeTakeFirstOrThrow();
const place = { organizationId, workspaceId, userId: owner.id };
const today = dayOf(new Date());
const noonOf = (day: string) => new Date(`${day}T12:00:00Z`);

test('spans can be stored during all partition changes', async () => {
  const kept = Array.from({ length: 6 }, (_, n) => plusDays(today, n));
  const old = Array.from({ length: 6 }, (_, n) => plusDays(today, -40 - n));
  const done = new AbortController();
  const stored: string[] = [];
  const traces = Array.from({ length: 20 }, traceId);
  let slowestMs = 0;
  const write = async () => {
    for (let n = 0; !done.signal.aborted; n++) {
      const spans = [...kept, old[n % old.length] as string].map((day, m) => ({
        traceId: traces[(n + m) % traces.length] as Buffer,
        spanId: spanId(),
        start: noonOf(day),
      }));
      const startedAt = performance.now();
      await store(db, place, spans);
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
      stored.push(...spans.slice(0, kept.length).map((span) => span.spanId.toString('hex')));
    }
  };
  const read = async () => {
    while (!done.signal.aborted) {
      await sql`SELECT count(*) FROM spans WHERE organization_id = ${organizationId} AND trace_id = ${traces[0]}`.execute(
        db,
      );
      await sleep(5);
    }
  };
  const others = Promise.all([write(), write(), write(), read()]);
  const untilDone = async (work: () => Promise<boolean>) => {
    while (!(await work())) await sleep(20);
  };
  for (const [n, day] of old.entries()) {
    await untilDone(async () => (await makeDay(db, day)) === 'made');
    await untilDone(async () => (await makeDay(db, kept[n] as string)) === 'made');
    await untilDone(() => takeOut(db, day));
    await dropExpiredDay(db, day);
    await expireSpans(db, kept.slice(0, n), new Date());
  }
  done.abort();
  await others;
  const left = await whereSpansLie(db);
  expect(stored.filter((id) => !left.has(id))).toEqual([]);
  expect(stored.length).toBeGreaterThan(100);
  await expectAgreement(db);
  console.info(
    `${stored.length} spans beside ${2 * old.length} days made and ${old.length} dropped; the slowest waited ${slowestMs.toFixed()} ms`,
  );
});

test('recounting keeps all spans of a part that concurrent writers create', async () => {
  const trace = traceId();
  const span = () => ({ traceId: trace, spanId: spanId(), start: new Date() });
  const mayCommit = Promise.withResolvers<void>();
  let second: Promise<void> | undefined;
  let statements = 0;
  const afterTheLock = withPlugin(db, {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (++statements === 2) {
        await store(db, place, [span()]);
        const isStored = Promise.withResolvers<void>();
        second = transaction(db, async (trx) => {
          await store(trx, place, [span(), span()]);
          isStored.resolve();
          await mayCommit.promise;
        });
        await isStored.promise;
        setTimeout(mayCommit.resolve, 200);
      }
      return result;
    },
  });
  const part = {
    organization_id: organizationId,
    workspace_id: workspaceId,
    trace_id: trace,
    user_id: place.userId,
  };
  await transaction(afterTheLock, (trx) =>
    recountParts(trx, [{ ...part, session_id: null, project_id: null }]),
  );
  await second;
  await expectAgreement(db);
});
