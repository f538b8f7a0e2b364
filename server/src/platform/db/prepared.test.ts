import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { createLog } from '../log.ts';
import { connect } from './connect.ts';
import { prepared } from './prepared.ts';
import { transaction } from './transaction.ts';

const server = await startTestServer();
let built = 0;
const findUsers = prepared<{ username: string; email: string }, { id: string }>((db, value) => {
  built++;
  return db
    .selectFrom('users')
    .select('id')
    .where('username', '=', value('username'))
    .where('email_address', '=', value('email'))
    .where('email_opt_in', '=', false);
});
const owner = { username: 'owner', email: 'owner@localhost' };

test("a prepared statement is built once and runs with each caller's values", async () => {
  expect(await findUsers(server.db, owner)).toEqual([{ id: server.owner.id }]);
  expect(await findUsers(server.db, { ...owner, username: 'nobody' })).toEqual([]);
  expect(built).toBe(1);
});

test("a prepared statement uses the pool directly, and inside a transaction it sees the transaction's changes", async () => {
  const db = connect({ url: server.url, poolSize: 2, namedStatements: true, log: createLog('fatal') });
  expect(await findUsers(db, owner)).toEqual([{ id: server.owner.id }]);
  await transaction(db, async (trx) => {
    await trx.updateTable('users').set({ username: 'renamed' }).where('id', '=', server.owner.id).execute();
    expect(await findUsers(trx, owner)).toEqual([]);
    expect(await findUsers(trx, { ...owner, username: 'renamed' })).toHaveLength(1);
    await trx.updateTable('users').set({ username: 'owner' }).where('id', '=', server.owner.id).execute();
  });
  await db.destroy();
});
