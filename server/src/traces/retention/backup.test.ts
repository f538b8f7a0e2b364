/** Backup and restore of spans, with and without partitions by day. */
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { createDatabase } from '../../../test/databases.ts';
import { startTestServer } from '../../../test/harness.ts';
import { findOrganizationId } from '../../../test/other-organization.ts';
import { makeFolder, newDataDir } from '../../../test/processes.ts';
import { expectAgreement, store, traceId, whereSpansLie } from '../../../test/span-store.ts';
import { digestTables, inTransaction } from '../../../test/table-digests.ts';
import { backUp } from '../../platform/backup/backup.ts';
import { restore, verifyBackup } from '../../platform/backup/restore.ts';
import { connect } from '../../platform/db/connect.ts';
import { createLog } from '../../platform/log.ts';
import { traceCleanUps } from './clean-ups.ts';
import { dayOf, partitionOf, plusDays } from './days.ts';
import { makeDay, makeDays, makeDaysAhead, readPartitions, takeOut } from './partitions.ts';

const server = await startTestServer();
const { db, owner, url } = server;
const log = createLog('fatal');
const today = dayOf(new Date());
const noonOf = (day: string) => new Date(`${day}T12:00:00Z`);
const folder = join(makeFolder(), 'backup');
const [old, few] = [plusDays(today, -20), plusDays(today, -19)];

async function fill(): Promise<void> {
  const organizationId = await findOrganizationId(server, 'main');
  const { id: workspaceId } = await db
    .selectFrom('workspaces')
    .select('id')
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  await makeDaysAhead(db);
  for (const day of [old, few]) await makeDay(db, day);
  const trace = traceId();
  const starts = [today, few, plusDays(today, 300), '1970-01-01'].map(noonOf);
  const many = Array.from({ length: 1_000 }, () => noonOf(old));
  const place = { organizationId, workspaceId, userId: owner.id };
  await store(
    db,
    place,
    [...starts, ...many].map((start) => ({ traceId: trace, start })),
  );
  // The expired table does not exist in a restored database. Its traces remain to be recounted.
  const expired = plusDays(today, -60);
  await makeDay(db, expired);
  const cut = traceId();
  const startsOfCut = [noonOf(expired), noonOf(expired), noonOf(today)];
  await store(db, place, [
    { start: noonOf(expired) },
    ...startsOfCut.map((start) => ({ traceId: cut, start })),
  ]);
  await takeOut(db, expired);
}

async function restoreInto(makesDays: boolean) {
  const database = await createDatabase(inject('databaseUrl'), 'template0');
  const restored = connect({ url: database.url, poolSize: 2, namedStatements: true, log });
  await restore(await verifyBackup(folder, '1.0.0'), {
    url: database.url,
    log,
    objects: { dataDir: newDataDir() },
    ...(makesDays && { makePartitions: (names: readonly string[]) => makeDays(restored, names) }),
  });
  const close = async () => {
    await restored.destroy();
    await database.drop();
  };
  return { restored, close, digests: await inTransaction(database.url, digestTables) };
}

test('restoring a backup returns the same spans in the same partitions', async () => {
  await fill();
  const before = await inTransaction(url, digestTables);
  expect(before.get('spans')).toMatch(/^1005 rows/);
  await backUp({ url, folder, version: '1.0.0', secretKey: undefined, dataDir: newDataDir() });
  const { restored, close, digests } = await restoreInto(true);
  expect(digests.get('spans')).toBe(before.get('spans'));
  expect(digests.get('sender_parts')).toBe(before.get('sender_parts'));
  expect(await whereSpansLie(restored)).toEqual(await whereSpansLie(db));
  expect((await readPartitions(restored)).days).toEqual((await readPartitions(db)).days);
  for (const { run } of traceCleanUps()) await run(restored);
  await expectAgreement(restored);
  await close();
});

test('the sweep creates partitions for days with many spans when the restore did not', async () => {
  const { restored, close } = await restoreInto(false);
  expect((await readPartitions(restored)).days).toEqual([]);
  for (const { run } of traceCleanUps()) await run(restored);
  const { days } = await readPartitions(restored);
  expect(days).toContain(old);
  expect(days).not.toContain(few);
  const places = Map.groupBy((await whereSpansLie(restored)).values(), (place) => place);
  expect(places.get(partitionOf(old))).toHaveLength(1_000);
  expect(places.get(partitionOf(today))).toHaveLength(2);
  await expectAgreement(restored);
  await close();
});
