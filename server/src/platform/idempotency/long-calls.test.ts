/** Calls that run long, or that write something on their way that does not decide their outcome. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { startTestServer } from '../../../test/harness.ts';
import {
  type RecordEffect,
  type Requested,
  type Trx,
  transaction,
  transactionFor,
} from '../db/transaction.ts';
import { invalidValue } from '../errors.ts';
import { orgRoutes } from '../http/operations.ts';
import { createLog } from '../log.ts';
import { createVault } from '../secrets/envelope.ts';
import { Idempotency, type KeyedCall } from './idempotency.ts';

const write = { role: 'member', scope: 'datasets:write', response: z.object({ notes: z.int() }) } as const;
let isGood = false;

/** Two steps: the first is kept regardless of the second. */
const steps = orgRoutes('Test', (on) => {
  on.post('/steps', { id: 'takeSteps', summary: 'Take steps', ...write, long: true }, async ({ scope }) => {
    await transaction(db, addNote('first'));
    if (!isGood) throw invalidValue(['body'], 'is not good yet');
    await note('second', scope);
    return { notes: await countNotes() };
  });
});

const server = await startTestServer({}, [steps]);
const { db, owner } = server;

const addNote = (subject: string) => (trx: Trx) =>
  trx.insertInto('login_attempts').values({ id: crypto.randomUUID(), subject, address: 'x' }).execute();

const note = (subject: string, request: Requested) => transactionFor(db, request, addNote(subject));

const countNotes = async () => (await db.selectFrom('login_attempts').select('id').execute()).length;

beforeEach(async () => {
  await db.deleteFrom('idempotency_keys').execute();
  await db.deleteFrom('login_attempts').execute();
});

test('a call that is refused after a transaction that does not record its effect leaves its key free, and runs once when it succeeds', async () => {
  const take = () => server.as(owner).post('/org/main/steps', undefined, { 'idempotency-key': 'one' });
  isGood = false;
  expect(await take()).toMatchObject({ status: 422 });
  expect(await db.selectFrom('idempotency_keys').select('user_id').execute()).toEqual([]);
  isGood = true;
  expect(await take()).toMatchObject({ status: 200, body: { notes: 3 } });
  expect(await take()).toMatchObject({ status: 200, headers: { 'idempotency-replayed': 'true' } });
  expect(await countNotes()).toBe(3);
});

test('only calls that may run long are documented as such', () => {
  const { paths } = server.app.swagger();
  expect(paths?.['/api/v1/org/{org}/steps']?.post).toMatchObject({ 'x-long': true });
  expect(paths?.['/api/v1/org/{org}/ws']?.post).not.toHaveProperty('x-long');
});

const vault = createVault('a secret key of this test alone');
const patient = new Idempotency({ db, vault, log: createLog('fatal'), heartbeatMs: 20 });
const call: KeyedCall = { userId: owner.id, method: 'POST', path: '/x', key: 'k', body: {}, query: {} };
const done = { status: 200, text: '{}' };

/** Simulates two minutes without a heartbeat. */
const letTimePass = () =>
  sql`UPDATE idempotency_keys SET running_until = now() - interval '1 second'`.execute(db);

async function isKept(): Promise<boolean> {
  const { rows } = await sql<{ is_kept: boolean }>`
    SELECT bool_and(running_until > now()) AS is_kept FROM idempotency_keys`.execute(db);
  return rows[0]?.is_kept === true;
}

test('a long call keeps its key as long as it runs', async () => {
  const slow = Promise.withResolvers<void>();
  const first = patient.run(call, () => slow.promise.then(() => done));
  await vi.waitFor(async () => expect(await isKept()).toBe(true));
  await letTimePass();
  await vi.waitFor(async () => expect(await isKept()).toBe(true)); // replaced at the next heartbeat
  const again = patient.run(call, () => expect.fail('ran again'));
  await expect(again).rejects.toMatchObject({ message: expect.stringContaining('still running') });
  slow.resolve();
  expect(await first).toEqual({ ...done, isReplayed: false });
  expect(await patient.run(call, () => expect.fail('ran again'))).toMatchObject({ isReplayed: true });
});

test('a call that has ended sends no more heartbeats', async () => {
  const failing = async (recordEffect: RecordEffect) => {
    await note('half', { recordEffect });
    await sleep(60);
    throw new Error('failed');
  };
  await expect(patient.run(call, failing)).rejects.toThrow('failed');
  await letTimePass();
  await sleep(100);
  await expect(patient.run(call, failing)).rejects.toMatchObject({
    message: expect.stringContaining('took effect'),
  });
});
