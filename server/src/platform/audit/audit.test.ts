import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { transaction } from '../db/transaction.ts';
import { auditAccount } from './audit.ts';

const server = await startTestServer();
const actor = { userId: server.owner.id, apiKeyId: null, requestId: null };

test.each(['password', 'refresh_token', 'value', 'api_key', 'key_hash', 'environment', 'client_secret'])(
  'a value named "%s" does not enter the log',
  async (name) => {
    const entry = { action: 'test.done', resource: 'tests/1', after: { [name]: 'canary' } };
    await expect(transaction(server.db, (trx) => auditAccount(trx, actor, entry))).rejects.toThrow(name);
  },
);

test('an entry is gone with the transaction that wrote it', async () => {
  const entry = { action: 'test.rolled_back', resource: 'tests/1' };
  const failing = transaction(server.db, async (trx) => {
    await auditAccount(trx, actor, entry);
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  const found = await server.db
    .selectFrom('account_audit_log')
    .select('id')
    .where('action', '=', entry.action)
    .execute();
  expect(found).toEqual([]);
});
