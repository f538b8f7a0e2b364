import { expect, test } from 'vitest';
import { type Person, startTestServer } from '../../../test/harness.ts';
import { addOrganization, findOrganizationId } from '../../../test/other-organization.ts';
import { joinOrganization } from '../../accounts/members/store.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { settle } from '../../platform/metering/credits.ts';
import { reserve } from '../../platform/metering/reservations.ts';
import { getCredits } from './store.ts';

const server = await startTestServer();
const { db, owner } = server;
const mia = await server.addPerson('mia', { role: 'member' });
const other = await server.addPerson('other');

/** Creates an organization for one test, whose owner is not a platform admin. */
let made = 0;
async function newOrganization() {
  const key = `books-${made++}`;
  const id = await addOrganization(server, other, key);
  await transaction(db, (trx) => joinOrganization(trx, id, mia.id, 'member'));
  return { id, path: `/org/${key}/credits` };
}

const adjust = (path: string, body: object, who: Person = owner, headers: Record<string, string> = {}) =>
  server.as(who).post(`${path}/adjust`, body, headers);

test('credits have a balance, a reserved and an available amount', async () => {
  const { id, path } = await newOrganization();
  expect((await server.as(mia).get(path)).body).toEqual({
    balance: 0,
    reserved: 0,
    available: 0,
    mode: 'unlimited',
    is_low_balance: false,
  });
  await adjust(path, { amount: 1_000 });
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  await transaction(db, async (trx) => {
    await settle(trx, { organizationId: id, reference: 'run', amount: 100 });
    await reserve(trx, { organizationId: id, reference: 'next', amount: 250, expiresAt });
  });
  expect((await server.as(mia).get(path)).body).toMatchObject({
    balance: 900,
    reserved: 250,
    available: 650,
  });
});

test.each([
  [999, 'enforced', true],
  [1_000, 'enforced', false],
  [999, 'unlimited', false],
] as const)(
  'getCredits with %i available and credits %s has is_low_balance %s',
  async (amount, mode, isLow) => {
    const { id, path } = await newOrganization();
    await adjust(path, { amount });
    const balance = await getCredits(db, { organizationId: id }, mode);
    expect(balance).toMatchObject({ available: amount, is_low_balance: isLow });
  },
);

test('a platform admin can adjust the credits of any organization, which is audited; others cannot', async () => {
  const { id, path } = await newOrganization();
  const response = await adjust(path, { amount: 500, note: 'A gift', reference: 'gift-1' });
  expect(response).toMatchObject({
    status: 201,
    body: { kind: 'adjustment', amount: 500, note: 'A gift', reference: 'gift-1', actor_id: owner.id },
  });
  for (const who of [mia, other])
    expect(await adjust(path, { amount: 1 }, who)).toMatchObject({ status: 403 });
  const entries = await db
    .selectFrom('audit_log')
    .select(['action', 'resource', 'after', 'actor_id'])
    .where('organization_id', '=', id)
    .where('action', '=', 'credits.adjusted')
    .execute();
  expect(entries).toEqual([
    {
      action: 'credits.adjusted',
      resource: `credits/${response.body.id}`,
      after: { amount: 500, note: 'A gift', reference: 'gift-1' },
      actor_id: owner.id,
    },
  ]);
});

test('an adjustment with the same reference counts once', async () => {
  const { path } = await newOrganization();
  await adjust(path, { amount: 5, reference: 'once' });
  expect(await adjust(path, { amount: 5, reference: 'once' })).toMatchObject({
    status: 409,
    body: { type: 'already_exists_error' },
  });
  const sentTwice = () => adjust(path, { amount: 7 }, owner, { 'idempotency-key': 'k' });
  expect((await sentTwice()).body).toEqual((await sentTwice()).body);
  expect((await server.as(mia).get(path)).body.balance).toBe(12);
});

test('an adjustment cannot take back more than is available', async () => {
  const { id, path } = await newOrganization();
  await adjust(path, { amount: 100 });
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  await transaction(db, (trx) =>
    reserve(trx, { organizationId: id, reference: 'run', amount: 60, expiresAt }),
  );
  const refusal = await adjust(path, { amount: -41 });
  expect(refusal.status).toBe(422);
  expect(JSON.stringify(refusal.body)).toContain('["body","amount"]');
  expect(await adjust(path, { amount: -40 })).toMatchObject({ status: 201, body: { amount: -40 } });
  const responses = await Promise.all([1, 2, 3, 4].map(() => adjust(path, { amount: -1 })));
  expect(responses.map(({ status }) => status)).toEqual([422, 422, 422, 422]);
  expect((await server.as(mia).get(path)).body).toMatchObject({ balance: 60, available: 0 });
});

test.each([
  { amount: 0 },
  { amount: 1.5 },
  { amount: '5' },
  { amount: 1e13 },
  {},
  { amount: 1, reference: '' },
])('the adjustment %j is refused', async (body) => {
  const { path } = await newOrganization();
  expect(await adjust(path, body)).toMatchObject({ status: 422, body: { type: 'validation_error' } });
});

test('the ledger is listed in pages, newest first, including charges', async () => {
  const { id, path } = await newOrganization();
  for (let n = 1; n <= 5; n++) await adjust(path, { amount: n });
  await transaction(db, (trx) => settle(trx, { organizationId: id, reference: 'run', amount: 3 }));
  const amounts: number[] = [];
  let cursor = '';
  for (let page = 0; page < 4; page++) {
    const { status, body } = await server.as(mia).get(`${path}/transactions?limit=2${cursor}`);
    expect(status).toBe(200);
    amounts.push(...body.items.map(({ amount }: { amount: number }) => amount));
    cursor = `&cursor=${body.next_cursor}`;
    if (body.next_cursor === null) break;
  }
  expect(amounts).toEqual([-3, 5, 4, 3, 2, 1]);
  const main = await findOrganizationId(server, 'main');
  expect(main).not.toBe(id);
  expect((await server.as(owner).get(`/org/main/credits/transactions?limit=2${cursor}`)).status).toBe(422);
});
