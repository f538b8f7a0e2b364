/** Many reservations and charges in one transaction: each behaves as if it were alone. */
import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { transaction } from '../db/transaction.ts';
import { uuidv7 } from '../uuid.ts';
import { adjust, balance, settleAll } from './credits.ts';
import { type Reservation, reserve, reserveAll } from './reservations.ts';

const server = await startTestServer();
const { db } = server;
const inOneMinute = () => new Date(Date.now() + 60_000).toISOString();

async function newOrganization(credits: number): Promise<string> {
  const id = uuidv7();
  await db
    .insertInto('organizations')
    .values({ id, key: `org-${id}`, name: 'Test' })
    .execute();
  const gift = {
    organizationId: id,
    reference: 'gift',
    amount: credits,
    actorId: server.owner.id,
    note: null,
  };
  await transaction(db, (trx) => adjust(trx, gift));
  return id;
}

const reservation = (organizationId: string, reference: string, amount: number): Reservation => ({
  organizationId,
  reference,
  amount,
  expiresAt: inOneMinute(),
});
const holdAll = (requests: readonly Reservation[]) =>
  transaction(db, async (trx) => (await reserveAll(trx, requests)).map((refusal) => refusal?.type ?? 'held'));

const REFUSED = 'usage_limit_exceeded_error';

test('reserveAll holds or refuses each reservation by itself, in the given order', async () => {
  const [rich, poor] = [await newOrganization(100), await newOrganization(10)];
  const requests = [
    reservation(poor, 'a', 8),
    reservation(rich, 'a', 60),
    reservation(poor, 'b', 3),
    reservation(rich, 'b', 41),
    reservation(rich, 'c', 40),
    reservation(poor, 'c', 2),
    reservation(rich, 'gift', 0),
  ];
  expect(await holdAll(requests)).toEqual([
    'held',
    'held',
    REFUSED,
    REFUSED,
    'held',
    'held',
    'conflict_error',
  ]);
  expect(await holdAll([])).toEqual([]);
  expect(await holdAll([reservation(rich, 'd', 1), reservation(poor, 'd', 0)])).toEqual([REFUSED, 'held']);
});

test('a reference that occurs twice in a batch replaces itself, as when it is reserved again', async () => {
  const id = await newOrganization(100);
  await transaction(db, (trx) => reserve(trx, reservation(id, 'a', 90)));
  const requests = [
    reservation(id, 'a', 20),
    reservation(id, 'b', 50),
    reservation(id, 'a', 51),
    reservation(id, 'a', 50),
    reservation(id, 'c', 1),
  ];
  expect(await holdAll(requests)).toEqual(['held', 'held', REFUSED, 'held', REFUSED]);
  const { rows } = await readHeld(id);
  expect(rows).toEqual([
    { reference: 'a', amount: 50 },
    { reference: 'b', amount: 50 },
  ]);
});

const readHeld = async (id: string) => ({
  rows: await db
    .selectFrom('credit_reservations')
    .select(['reference', 'amount'])
    .where('organization_id', '=', id)
    .orderBy('reference')
    .execute(),
});

test('a reservation that has expired when it is made takes nothing from those after it', async () => {
  const id = await newOrganization(10);
  const dead = { ...reservation(id, 'a', 10), expiresAt: new Date(Date.now() - 1_000).toISOString() };
  expect(await holdAll([dead, reservation(id, 'b', 10), reservation(id, 'c', 1)])).toEqual([
    'held',
    'held',
    REFUSED,
  ]);
});

test('settleAll charges several organizations once each and frees the reserved amounts', async () => {
  const [first, second] = [await newOrganization(100), await newOrganization(100)];
  await holdAll([reservation(first, 'a', 50), reservation(second, 'a', 50), reservation(second, 'b', 50)]);
  const charge = (organizationId: string, reference: string, amount: number) => ({
    organizationId,
    reference,
    amount,
  });
  const charges = [
    charge(second, 'a', 7),
    charge(first, 'a', 0),
    charge(second, 'a', 9),
    charge(first, 'z', 130),
  ];
  const settle = () => transaction(db, (trx) => settleAll(trx, charges));
  expect(await settle()).toEqual([true, true, false, true]);
  expect(await settle()).toEqual([false, false, false, false]);
  expect(await transaction(db, (trx) => settleAll(trx, []))).toEqual([]);
  expect([await balance(db, first), await balance(db, second)]).toEqual([-30, 93]);
  expect((await readHeld(first)).rows).toEqual([]);
  expect((await readHeld(second)).rows).toEqual([{ reference: 'b', amount: 50 }]);
});

test('batches of organizations in any order neither deadlock nor promise more than the balance', async () => {
  const ids = await Promise.all(Array.from({ length: 5 }, () => newOrganization(200)));
  const shuffled = <Item>(items: readonly Item[]) => items.toSorted(() => Math.random() - 0.5);
  const run = async (runner: number) => {
    const held: Reservation[] = [];
    for (let round = 0; round < 10; round++) {
      const requests = shuffled(
        ids.flatMap((id) => [1, 2].map((n) => reservation(id, `${runner}-${round}-${n}`, 3))),
      );
      // Does not use `transaction`, which would retry after a deadlock.
      const refusals = await db.transaction().execute((trx) => reserveAll(trx, requests));
      const granted = requests.filter((_, index) => refusals[index] === undefined);
      const settled = shuffled(granted.filter((_, index) => index % 2 === 0));
      await db.transaction().execute((trx) => settleAll(trx, settled));
      held.push(...granted);
    }
    return held;
  };
  const held = (await Promise.all(Array.from({ length: 8 }, (_, runner) => run(runner)))).flat();
  for (const id of ids) expect(held.filter(({ organizationId }) => organizationId === id)).toHaveLength(66);
});

test('batches that share references can be settled and reserved concurrently in any order', async () => {
  const ids = await Promise.all(Array.from({ length: 3 }, () => newOrganization(1_000)));
  const requests = ids.flatMap((id) => Array.from({ length: 20 }, (_, n) => reservation(id, `r${n}`, 1)));
  const shuffled = () => requests.toSorted(() => Math.random() - 0.5);
  const results = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      db.transaction().execute(async (trx) => {
        if (n % 2) return (await reserveAll(trx, shuffled())).map(() => false);
        return settleAll(trx, shuffled());
      }),
    ),
  );
  expect(results.flat().filter(Boolean)).toHaveLength(60);
  expect(await Promise.all(ids.map((id) => balance(db, id)))).toEqual([980, 980, 980]);
});
