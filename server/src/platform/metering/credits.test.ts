import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { type Trx, transaction } from '../db/transaction.ts';
import { uuidv7 } from '../uuid.ts';
import { adjust, balance, foldCredits, release, settle } from './credits.ts';
import { forgetOldReservations, reserve } from './reservations.ts';

const server = await startTestServer();
const { db } = server;

/** Creates an organization for one test. */
async function newOrganization(credits: number): Promise<string> {
  const id = uuidv7();
  await db
    .insertInto('organizations')
    .values({ id, key: `org-${id}`, name: 'Test' })
    .execute();
  if (credits !== 0) await transaction(db, (trx) => add(trx, id, credits));
  return id;
}

const add = (trx: Trx, organizationId: string, amount: number, reference: string = uuidv7()) =>
  adjust(trx, { organizationId, reference, amount, actorId: server.owner.id, note: null });

const inOneMinute = () => new Date(Date.now() + 60_000).toISOString();
const hold = (organizationId: string, reference: string, amount: number, expiresAt = inOneMinute()) =>
  transaction(db, (trx) => reserve(trx, { organizationId, reference, amount, expiresAt }));
const charge = (organizationId: string, reference: string, amount: number) =>
  transaction(db, (trx) => settle(trx, { organizationId, reference, amount }));

const NO_CREDITS = { type: 'usage_limit_exceeded_error', message: expect.stringContaining('credit') };

/** A fold includes entries older than the millisecond in which it begins. */
async function fold(batch?: number): Promise<number> {
  await sleep(3);
  return foldCredits(db, batch);
}

async function countOf(table: 'credit_deltas' | 'credit_reservations' | 'credit_transactions', id: string) {
  const { count } = await db
    .selectFrom(table)
    .select((one) => one.fn.countAll<number>().as('count'))
    .where('organization_id', '=', id)
    .executeTakeFirstOrThrow();
  return count;
}

test('the balance is the sum of the ledger before and after a fold', async () => {
  const id = await newOrganization(0);
  expect(await balance(db, id)).toBe(0);
  for (const amount of [1_000, -300, 7]) await transaction(db, (trx) => add(trx, id, amount));
  expect(await balance(db, id)).toBe(707);
  await fold();
  expect(await countOf('credit_deltas', id)).toBe(0);
  expect(await countOf('credit_transactions', id)).toBe(3);
  expect(await balance(db, id)).toBe(707);
  await transaction(db, (trx) => add(trx, id, 3));
  expect(await balance(db, id)).toBe(710);
  await fold();
  expect(await balance(db, id)).toBe(710);
});

test('an adjustment with a used reference changes nothing', async () => {
  const id = await newOrganization(0);
  expect(await transaction(db, (trx) => add(trx, id, 100, 'gift'))).toBe(true);
  expect(await transaction(db, (trx) => add(trx, id, 100, 'gift'))).toBe(false);
  expect(await balance(db, id)).toBe(100);
});

test('a reserved amount cannot be reserved again, but stays in the balance', async () => {
  const id = await newOrganization(100);
  await hold(id, 'run-1', 60);
  await expect(hold(id, 'run-2', 41)).rejects.toMatchObject(NO_CREDITS);
  await hold(id, 'run-2', 40);
  expect(await balance(db, id)).toBe(100);
  await transaction(db, (trx) => release(trx, id, 'run-1'));
  await hold(id, 'run-3', 60);
});

test('a reservation with the same reference replaces the previous one', async () => {
  const id = await newOrganization(100);
  await hold(id, 'run', 60);
  await hold(id, 'run', 100);
  await expect(hold(id, 'run', 101)).rejects.toMatchObject(NO_CREDITS);
  await hold(id, 'run', 10);
  await hold(id, 'other', 90);
});

test('settle charges the actual cost once and frees the rest', async () => {
  const id = await newOrganization(100);
  await hold(id, 'run', 80);
  expect(await charge(id, 'run', 30)).toBe(true);
  expect(await charge(id, 'run', 30)).toBe(false);
  expect(await charge(id, 'run', 99)).toBe(false);
  expect(await balance(db, id)).toBe(70);
  await hold(id, 'next', 70);
  await expect(hold(id, 'run', 1)).rejects.toMatchObject({ type: 'conflict_error' });
});

test('concurrent settles charge once', async () => {
  const id = await newOrganization(100);
  await hold(id, 'run', 80);
  const results = await Promise.all(Array.from({ length: 8 }, () => charge(id, 'run', 30)));
  expect(results.filter(Boolean)).toHaveLength(1);
  expect(await balance(db, id)).toBe(70);
});

test('a cost above the reservation is charged in full, and the debt stops the next reservation', async () => {
  const id = await newOrganization(100);
  await hold(id, 'run', 100);
  await charge(id, 'run', 130);
  expect(await balance(db, id)).toBe(-30);
  await expect(hold(id, 'next', 1)).rejects.toMatchObject({
    ...NO_CREDITS,
    message: expect.stringContaining('0 are available'),
  });
});

test('an expired reservation holds nothing, is deleted, and can still be settled', async () => {
  const id = await newOrganization(100);
  await hold(id, 'dead', 100, new Date(Date.now() - 1).toISOString());
  await hold(id, 'next', 100);
  expect(await countOf('credit_reservations', id)).toBe(2);
  await forgetOldReservations(db);
  expect(await countOf('credit_reservations', id)).toBe(1);
  expect(await charge(id, 'dead', 40)).toBe(true);
  expect(await charge(id, 'dead', 40)).toBe(false);
  expect(await balance(db, id)).toBe(60);
});

test('all old reservations are deleted in batches', async () => {
  const id = await newOrganization(0);
  const past = new Date(Date.now() - 1).toISOString();
  for (let run = 0; run < 25; run++) await hold(id, `run-${run}`, 0, past);
  expect(await forgetOldReservations(db, 10)).toBe(25);
  expect(await forgetOldReservations(db, 10)).toBe(0);
});

test('a rollback leaves no entry', async () => {
  const id = await newOrganization(100);
  const failing = transaction(db, async (trx) => {
    await settle(trx, { organizationId: id, reference: 'run', amount: 30 });
    await reserve(trx, { organizationId: id, reference: 'next', amount: 30, expiresAt: inOneMinute() });
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  await hold(id, 'all', 100);
  expect(await charge(id, 'run', 30)).toBe(true);
});

test.each([-1, 0.5, Number.NaN, 2 ** 53])('%s is not a valid amount', async (amount) => {
  const id = await newOrganization(0);
  await expect(hold(id, 'run', amount)).rejects.toThrow(RangeError);
  await expect(charge(id, 'run', amount)).rejects.toThrow(RangeError);
});

test('the ledger cannot be changed', async () => {
  for (const change of [
    sql`UPDATE credit_transactions /* of every organization */ SET amount = 0`,
    sql`DELETE FROM credit_transactions /* of every organization */`,
  ]) {
    await expect(change.execute(db)).rejects.toThrow('append-only');
  }
});

test('8 concurrent reservations get exactly what the balance pays for', async () => {
  const id = await newOrganization(0);
  // The balance has many entries, some of them folded, so that it is computed from both.
  for (let part = 0; part < 10; part++) {
    await transaction(db, (trx) => add(trx, id, 10));
    if (part === 5) await fold();
  }
  const attempts = Array.from({ length: 8 }, async (_, reserver) => {
    const held = [];
    for (let run = 0; run < 10; run++) {
      held.push(
        await hold(id, `run-${reserver}-${run}`, 3).then(
          () => true,
          () => false,
        ),
      );
    }
    return held;
  });
  const held = (await Promise.all(attempts)).flat();
  expect(held.filter(Boolean)).toHaveLength(33);
});

test('concurrent reservations and settlements never promise more than the balance', async () => {
  const id = await newOrganization(1_000);
  let spent = 0;
  const run = async (runner: number) => {
    for (let round = 0; round < 40; round++) {
      const reference = `run-${runner}-${round}`;
      const cost = 1 + ((runner * 7 + round) % 10);
      const isHeld = await hold(id, reference, 10).then(
        () => true,
        () => false,
      );
      if (!isHeld) continue;
      await charge(id, reference, cost);
      spent += cost;
    }
  };
  const running = new Set(Array(8).keys());
  const runners = [...running].map((runner) => run(runner).finally(() => running.delete(runner)));
  const watch = async () => {
    for (; running.size > 0; await fold(7)) expect(await balance(db, id)).toBeGreaterThanOrEqual(0);
  };
  await Promise.all([...runners, watch()]);
  expect(spent).toBeGreaterThan(900);
  expect(await balance(db, id)).toBe(1_000 - spent);
});

test('every reader sees the exact balance beside 8 writers and 2 folders', async () => {
  const ids = [await newOrganization(50), await newOrganization(50)] as const;
  const end = Date.now() + 3_000;
  let written = 0;
  const write = async (writer: number) => {
    for (; Date.now() < end; written++) {
      const [first, second] = writer % 2 ? ids : [ids[1], ids[0]];
      await transaction(db, async (trx) => {
        await add(trx, first, 5);
        // Some transactions take long to commit, so that commits and ids come in different orders.
        if (written % 5 === 0) await sleep(Math.random() * 20);
        await settle(trx, { organizationId: second, reference: uuidv7(), amount: 3 });
      });
    }
  };
  let folded = 0;
  const keepFolding = async () => {
    while (Date.now() < end) folded += await fold(10);
  };
  let reads = 0;
  const keepReading = async () => {
    for (; Date.now() < end; reads++) {
      for (const id of ids) expect(await balanceAndLedger(id)).toMatchObject({ isExact: true });
    }
  };
  const writers = Array.from({ length: 8 }, (_, writer) => write(writer));
  await Promise.all([...writers, keepFolding(), keepFolding(), keepReading()]);
  await fold();
  const open = await Promise.all(ids.map((id) => countOf('credit_deltas', id)));
  expect(open).toEqual([0, 0]);
  expect((await balance(db, ids[0])) + (await balance(db, ids[1]))).toBe(100 + written * 2);
  expect(Math.min(reads, folded / 20, written / 20)).toBeGreaterThan(1);
});

/** Reads both in one snapshot. */
async function balanceAndLedger(organizationId: string) {
  return transaction(db, async (trx) => {
    await sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`.execute(trx);
    const found = await balance(trx, organizationId);
    const { ledger } = await trx
      .selectFrom('credit_transactions')
      .select((one) => one.fn.sum<number>('amount').as('ledger'))
      .where('organization_id', '=', organizationId)
      .executeTakeFirstOrThrow();
    return { isExact: found === ledger, found, ledger };
  });
}

test('a writer waits neither for another writer nor for a fold or a reservation', async () => {
  const id = await newOrganization(100);
  await fold();
  await transaction(db, async (slow) => {
    await add(slow, id, 1);
    await reserve(slow, { organizationId: id, reference: 'slow', amount: 1, expiresAt: inOneMinute() });
    await sql`UPDATE credit_balances SET amount = amount WHERE organization_id = ${id}`.execute(slow);
    await sql`SELECT id FROM organizations WHERE id = ${id} FOR UPDATE`.execute(slow);
    await transaction(db, async (trx) => {
      await sql`SET LOCAL lock_timeout = '1s'`.execute(trx);
      await add(trx, id, 1);
      await settle(trx, { organizationId: id, reference: 'quick', amount: 1 });
    });
  });
  expect(await balance(db, id)).toBe(101);
});
