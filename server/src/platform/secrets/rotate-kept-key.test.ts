import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { until } from '../../../test/processes.ts';
import { SEALED_TABLES } from '../../sealed-tables.ts';
import { transaction } from '../db/transaction.ts';
import { createLog } from '../log.ts';
import { uuidv7 } from '../uuid.ts';
import { createVault, type SealedSecret } from './envelope.ts';
import { type Rewrapped, rewrapAll } from './rewrap.ts';
import { rotateKeptKey } from './rotate-kept-key.ts';
import { keepKey, NEXT_KEY_FILE, readSecretKey, readSecretKeys } from './secret-key.ts';

const { db, owner } = await startTestServer();
const log = createLog('fatal');
let dataDir = '';
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'drydock-rotate-'));
});
afterEach(async () => {
  rmSync(dataDir, { recursive: true, force: true });
  await db.deleteFrom('user_secrets').execute();
});

const settings = () => ({ secretKey: undefined, previousSecretKey: undefined, dataDir });
const currentKey = () => readSecretKey(settings());
const rotate = () => rotateKeptKey(db, dataDir, SEALED_TABLES);
const valueOf = (id: string) => `the value of ${id}`;

/** Fills enough rows for several batches. */
async function fill(count = 1_201): Promise<void> {
  const vault = createVault(currentKey());
  const values = Array.from({ length: count }, () => {
    const id = uuidv7();
    return { id, user_id: owner.id, name: id, masked_value: '…', ...vault.seal(valueOf(id), id) };
  });
  await db.insertInto('user_secrets').values(values).execute();
}

const listRows = () =>
  db.selectFrom('user_secrets').select(['id', 'key_id', 'wrapped_key', 'ciphertext']).orderBy('id').execute();

/** Reads everything as a server that starts at this moment would. */
async function expectReadable(): Promise<void> {
  const { current, other } = readSecretKeys(settings(), log);
  const vault = createVault(current, other);
  const isReadable = (row: SealedSecret & { id: string }) => vault.open(row, row.id) === valueOf(row.id);
  expect((await listRows()).filter((row) => !isReadable(row))).toEqual([]);
}

test('every row is readable with only the next key, which has replaced the previous one', async () => {
  const before = currentKey();
  await fill();
  const ciphertexts = (await listRows()).map(({ ciphertext }) => ciphertext);
  await expectReadable();
  expect(await rotate()).toEqual<Rewrapped>({ rewrapped: 1_201, left: 0 });
  expect(currentKey()).not.toBe(before);
  expect(readdirSync(dataDir)).toEqual(['secret-key']);
  expect(statSync(join(dataDir, 'secret-key')).mode & 0o777).toBe(0o600);
  await expectReadable();
  const after = await listRows();
  expect(after.map(({ ciphertext }) => ciphertext)).toEqual(ciphertexts);
  expect(new Set(after.map(({ key_id }) => key_id))).toEqual(new Set([createVault(currentKey()).keyId]));
});

const interruptions: [string, (next: string) => Promise<unknown>][] = [
  ['after the next key was written', async () => undefined],
  [
    'among the rows',
    async (next) => {
      const vault = createVault(next, currentKey());
      for (const row of (await listRows()).slice(0, 600))
        await db
          .updateTable('user_secrets')
          .set(vault.rewrap(row, row.id))
          .where('id', '=', row.id)
          .execute();
    },
  ],
  ['before the files were swapped', (next) => rewrapAll(db, createVault(next, currentKey()), SEALED_TABLES)],
];

test.each(interruptions)(
  'a rotation interrupted %s is completed by the next one',
  async (_name, interrupt) => {
    await fill();
    const next = keepKey(dataDir, 'n'.repeat(64), NEXT_KEY_FILE);
    await interrupt(next);
    await expectReadable();
    // A secret sealed by a server that starts in between is not lost either.
    await fill(1);
    await expectReadable();
    expect((await rotate()).left).toBe(0);
    expect(currentKey()).toBe(next);
    expect(readdirSync(dataDir)).toEqual(['secret-key']);
    await expectReadable();
  },
);

test('a row written behind the running rotation is sealed with the next key as well', async () => {
  currentKey();
  await fill(1);
  const { rotating } = await transaction(db, async (trx) => {
    await trx.selectFrom('user_secrets').select('id').forUpdate().execute();
    const running = rotate();
    await until('the rotation waits for the row', async () => {
      const { rows } = await sql`
        SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(
        db,
      );
      return rows.length === 1;
    });
    await fill(1);
    return { rotating: running };
  });
  expect(await rotating).toEqual<Rewrapped>({ rewrapped: 2, left: 0 });
  await expectReadable();
});

test('rows of an unknown key and damaged rows are reported and left unchanged', async () => {
  currentKey();
  await fill(3);
  const [foreign, damaged] = await listRows();
  const wrapped_key = Buffer.alloc(60);
  await db
    .updateTable('user_secrets')
    .set({ key_id: 'unknown' })
    .where('id', '=', foreign?.id ?? '')
    .execute();
  await db
    .updateTable('user_secrets')
    .set({ wrapped_key })
    .where('id', '=', damaged?.id ?? '')
    .execute();
  expect(await rotate()).toEqual<Rewrapped>({ rewrapped: 1, left: 2 });
  expect(await listRows()).toMatchObject([{ key_id: 'unknown' }, { wrapped_key }, {}]);
});

test.skipIf(process.getuid?.() !== 0)(
  'a rotation run by root keeps the key readable for the user of the server',
  async () => {
    currentKey();
    chownSync(join(dataDir, 'secret-key'), 65534, 65534);
    await rotate();
    expect(statSync(join(dataDir, 'secret-key'))).toMatchObject({ uid: 65534, gid: 65534 });
  },
);

test('a rotation without a key in the data directory creates nothing', async () => {
  await expect(rotate()).rejects.toThrow('There is no secret key in');
  expect(readdirSync(dataDir)).toEqual([]);
});

test('a truncated next key stops the server and the rotation without losing anything', async () => {
  const before = currentKey();
  await fill(1);
  writeFileSync(join(dataDir, NEXT_KEY_FILE), 'short');
  await expect(rotate()).rejects.toThrow('is damaged');
  expect(() => readSecretKeys(settings(), log)).toThrow('is damaged');
  expect(readFileSync(join(dataDir, 'secret-key'), 'utf8')).toBe(before);
});
