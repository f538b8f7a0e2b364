/** Cancelling an export in any phase: within three seconds all work stops and nothing is left behind. */
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { findQueryProcesses } from '../../../test/descendants.ts';
import { beginExport, EXPORTS, untilEnded } from '../../../test/exported-files.ts';
import { startTestServer } from '../../../test/harness.ts';
import { addOrganization, findOrganizationId } from '../../../test/other-organization.ts';
import { until } from '../../../test/processes.ts';
import { startTestWorker } from '../../../test/workers.ts';
import { connect } from '../../platform/db/connect.ts';
import { createLog } from '../../platform/log.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';

/** Runs for hours without reading rows. */
const ENDLESS = 'SELECT count(*) AS count FROM range(100000000000000) AS t(n) WHERE hash(n) = 1';

const server = await startTestServer();
const { storage, owner, as } = server;
const organizationId = await findOrganizationId(server, 'main');
for (let n = 0; n < 3; n++)
  await as(owner).post('/org/main/ws/main/sessions', { id: randomUUID(), model: 'sim/echo' });

/** The real storage, over a connection that takes a second per thousand bytes. */
let isSlow = false;
const slowStorage: ObjectStorage = Object.assign(Object.create(storage) as ObjectStorage, {
  put: ((key, body, attributes) => {
    if (!isSlow || body instanceof Uint8Array) return storage.put(key, body, attributes);
    const slow = new Transform({
      transform: (chunk: Buffer, _encoding, next) => void setTimeout(next, chunk.length, null, chunk),
    });
    body.on('error', (error: Error) => slow.destroy(error));
    return storage.put(key, body.pipe(slow), attributes);
  }) satisfies ObjectStorage['put'],
});
await startTestWorker({ ...server, storage: slowStorage });

const locker = connect({ url: server.url, poolSize: 1, namedStatements: false, log: createLog('fatal') });
afterAll(() => locker.destroy());

const isRunning = (id: string) =>
  until('it runs', async () => (await as(owner).get(`${EXPORTS}/${id}`)).body.status === 'running');

async function cancel(id: string): Promise<void> {
  expect((await as(owner).post(`${EXPORTS}/${id}/cancel`)).status).toBe(200);
  const ended = await untilEnded(as(owner), { id });
  expect(ended).toMatchObject({
    status: 'cancelled',
    error_message: null,
    presigned_url: null,
    file_size_bytes: 0,
  });
  await until('nothing is done for it any more', () => findQueryProcesses(process.pid).length === 0);
  expect(folders()).toEqual([]);
  expect(await Array.fromAsync(storage.list(`exports/${organizationId}/${id}/`))).toEqual([]);
}

const folders = () =>
  readdirSync(tmpdir())
    .filter((name) => name.startsWith(`drydock-work-${process.pid}-`))
    .flatMap((name) => readdirSync(join(tmpdir(), name)))
    .filter((name) => name.startsWith('job-'));

test('an export is cancelled while DuckDB works', async () => {
  const { id } = await beginExport(as(owner), { query: ENDLESS });
  await isRunning(id);
  await sleep(1_500);
  await cancel(id);
});

test('an export is cancelled while it waits for rows of PostgreSQL', async () => {
  await locker.transaction().execute(async (trx) => {
    await sql`LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE`.execute(trx);
    const { id } = await beginExport(as(owner), { query: 'SELECT id FROM sessions' });
    await isRunning(id);
    await sleep(1_500);
    await cancel(id);
  });
});

test('an export is cancelled while its file is uploaded', async () => {
  isSlow = true;
  try {
    const { id } = await beginExport(as(owner), {
      query: 'SELECT n, hash(n) AS h FROM range(200000) AS t(n)',
    });
    await isRunning(id);
    await sleep(2_500);
    await cancel(id);
  } finally {
    isSlow = false;
  }
});

test('cancelling an export again returns the same', async () => {
  const { id } = await beginExport(as(owner), { query: ENDLESS });
  await isRunning(id);
  const responses = await Promise.all([1, 2, 3].map(() => as(owner).post(`${EXPORTS}/${id}/cancel`)));
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await untilEnded(as(owner), { id })).status).toBe('cancelled');
});

test('an organization has two running exports and does not block others', async () => {
  const busy = [];
  for (let n = 0; n < 4; n++) busy.push(await beginExport(as(owner), { query: ENDLESS }));
  const statuses = async () =>
    (await as(owner).get(`${EXPORTS}?limit=4`)).body.exports.map(({ status }: { status: string }) => status);
  await until(
    'two are at work',
    async () => (await statuses()).filter((one: string) => one === 'running').length === 2,
  );
  const stranger = await server.addPerson('stranger');
  await addOrganization(server, stranger, 'other');
  const [{ key }] = (await as(stranger).get('/org/other/ws')).body;
  const path = `/org/other/ws/${key}/exports`;
  const begun = await beginExport(as(stranger), { query: 'SELECT 1 AS one' }, path);
  const other = await untilEnded(as(stranger), begun, path);
  expect(other.status).toBe('completed');
  expect((await statuses()).toSorted()).toEqual(['queued', 'queued', 'running', 'running']);
  for (const { id } of busy) await as(owner).post(`${EXPORTS}/${id}/cancel`);
  for (const one of busy) expect((await untilEnded(as(owner), one)).status).toBe('cancelled');
});
