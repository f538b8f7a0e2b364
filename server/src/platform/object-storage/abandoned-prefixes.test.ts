import { expect, test } from 'vitest';
import { createTestStore, putText } from '../../../test/embedded-stores.ts';
import { TenantFilterCheck } from '../../../test/tenant-filter-check.ts';
import { createSigner } from '../auth/signing.ts';
import { transaction } from '../db/transaction.ts';
import { uuidv7 } from '../uuid.ts';
import { abandonPrefix, deleteAbandonedObjects, WAIT_MS } from './abandoned-prefixes.ts';
import { EmbeddedStorage } from './embedded/embedded-storage.ts';
import { Sessions } from './embedded/sessions.ts';
import { CREDENTIALS_SECONDS, MAX_REQUEST_MS } from './write-times.ts';

const { store, db: plain } = await createTestStore();
const db = plain.withPlugin(new TenantFilterCheck(plain));
const PLACE = { bucket: 'drydock', region: 'us-east-1', endpoint: 'http://127.0.0.1:8081' };
const sessions = new Sessions({
  signer: createSigner('a secret key for these tests only, not more'),
  region: PLACE.region,
});
const storage = new EmbeddedStorage({ store, sessions, ...PLACE });
const { run } = deleteAbandonedObjects(storage);
const organizationId = uuidv7();

const abandon = (prefix: string) => transaction(db, (trx) => abandonPrefix(trx, organizationId, prefix));

/** Shifts the times as if this many minutes had passed. */
const age = (minutes: number) =>
  db
    .updateTable('abandoned_prefixes')
    .set({ abandoned_at: new Date(Date.now() - minutes * 60_000).toISOString() })
    .where('organization_id', '=', organizationId)
    .execute();

const keys = async () => (await store.index.list({ prefix: '', limit: 100 })).objects.map(({ key }) => key);

test('objects of an abandoned prefix are deleted when all credentials for it have expired', async () => {
  for (const key of ['gone/1', 'gone/2/3', 'gone', 'gone2', 'kept/1']) await putText(store, key);
  await abandon('gone/');
  await abandon('gone/');
  await age(WAIT_MS / 60_000 - 1);
  expect(await run(db)).toBe(0);
  await putText(store, 'gone/late');
  await age(WAIT_MS / 60_000 + 1);
  expect(await run(db)).toBe(3);
  expect(await keys()).toEqual(['gone', 'gone2', 'kept/1']);
  await putText(store, 'gone/after');
  expect(await run(db)).toBe(0);
});

test('a prefix that fails is retried and does not block others', async () => {
  for (const key of ['broken/1', 'fine/1']) await putText(store, key);
  await abandon('broken/');
  await abandon('fine/');
  await age(WAIT_MS / 60_000 + 1);
  const failing = deleteAbandonedObjects({
    deleteUnder: async (prefix) => {
      if (prefix === 'broken/') throw new Error('the store is away');
      return storage.deleteUnder(prefix);
    },
  });
  await expect(failing.run(db)).rejects.toThrow('the store is away');
  expect(await keys()).not.toContain('fine/1');
  expect(await run(db)).toBe(1);
});

test('more failing prefixes than fit into one batch do not block others', async () => {
  for (let count = 0; count < 250; count++) await abandon(`broken/${count}/`);
  await age(WAIT_MS / 60_000 + 2);
  await putText(store, 'last/1');
  await abandon('last/');
  await db
    .updateTable('abandoned_prefixes')
    .set({ abandoned_at: new Date(Date.now() - WAIT_MS - 1_000).toISOString() })
    .where('organization_id', '=', organizationId)
    .where('prefix', '=', 'last/')
    .execute();
  const tried: string[] = [];
  const failing = deleteAbandonedObjects({
    deleteUnder: async (prefix) => {
      tried.push(prefix);
      if (prefix.startsWith('broken/')) throw new Error('the store is away');
      return storage.deleteUnder(prefix);
    },
  });
  await expect(failing.run(db)).rejects.toThrow('the store is away');
  expect(new Set(tried).size).toBe(251);
  expect(tried).toHaveLength(251);
  expect(await keys()).not.toContain('last/1');
  expect(await run(db)).toBe(0);
});

test('deletion waits for the longest request that the last credentials may start', () => {
  expect(WAIT_MS).toBeGreaterThan(CREDENTIALS_SECONDS * 1_000 + MAX_REQUEST_MS);
});

test('abandoning everything, or a part of a name, is refused', async () => {
  for (const prefix of ['', '/', 'orgs/1'])
    await expect(abandon(prefix)).rejects.toThrow('abandoned_prefixes_prefix_check');
});
