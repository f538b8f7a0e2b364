import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { document } from '../../../test/operations.ts';
import { type RecordEffect, transactionFor } from '../db/transaction.ts';
import { createLog } from '../log.ts';
import { createVault } from '../secrets/envelope.ts';
import { Idempotency, type KeyedCall, type StoredResponse } from './idempotency.ts';
import { forgetOldIdempotencyKeys } from './store.ts';

const server = await startTestServer();
const { db, owner } = server;
const INVITATIONS = '/org/main/invitations';
const invitation = { email_address: 'ada@example.com', role: 'member' };

beforeEach(async () => {
  await db.deleteFrom('idempotency_keys').execute();
  await sql`DELETE FROM invitations /* of every organization */`.execute(db);
});

const invite = (key: string, body: unknown = invitation, path = INVITATIONS) =>
  server.as(owner).post(path, body, { 'idempotency-key': key });

async function countInvitations(): Promise<number> {
  return (await server.as(owner).get(INVITATIONS)).body.length;
}

test('a repeated request returns the first response and does nothing', async () => {
  const first = await invite('one');
  const again = await invite('one');
  expect(first).toMatchObject({ status: 201, body: { invitation_token: expect.any(String) } });
  expect(first.headers).not.toHaveProperty('idempotency-replayed');
  expect(again).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' } });
  expect(again.body).toEqual(first.body);
  expect(again.headers['content-type']).toBe(first.headers['content-type']);
  expect(await countInvitations()).toBe(1);
});

test('the response has the same shape as without a key', async () => {
  const plain = await server.as(owner).post(INVITATIONS, invitation);
  const keyed = await invite('shape');
  expect(Object.keys(keyed.body)).toEqual(Object.keys(plain.body));
  expect(keyed.headers['content-type']).toBe(plain.headers['content-type']);
});

test('another key, another path or another user makes it another request', async () => {
  const admin = await server.addPerson('admin', { role: 'admin' });
  await invite('one');
  await invite('two');
  await server.as(admin).post(INVITATIONS, invitation, { 'idempotency-key': 'one' });
  expect(await countInvitations()).toBe(3);
  expect(await invite('one', { name: 'Elsewhere' }, '/org/main/ws')).toMatchObject({ status: 201 });
});

test('the order of names in the body does not matter, but every value does', async () => {
  await invite('one');
  const { email_address, role } = invitation;
  expect(await invite('one', { role, email_address })).toMatchObject({ status: 201 });
  for (const different of [
    { ...invitation, role: 'admin' },
    { ...invitation, more: 1 },
  ]) {
    expect(await invite('one', different)).toMatchObject({
      status: 409,
      body: { type: 'conflict_error', detail: expect.stringContaining('new key') },
    });
  }
  expect(await countInvitations()).toBe(1);
});

test('one of many concurrent requests runs, and the others get a conflict or its response', async () => {
  const responses = await Promise.all(Array.from({ length: 20 }, () => invite('one')));
  expect(await countInvitations()).toBe(1);
  const good = responses.filter(({ status }) => status === 201);
  expect(new Set(good.map(({ body }) => body.id)).size).toBe(1);
  expect(good.filter(({ headers }) => !headers['idempotency-replayed'])).toHaveLength(1);
  for (const { status, body, headers } of responses.filter((response) => !good.includes(response))) {
    expect([status, body.type, headers['retry-after']]).toEqual([409, 'conflict_error', '1']);
  }
});

test('a failed request can be repeated with its key', async () => {
  const elsewhere = { name: 'Second', key: 'taken' };
  const { body } = await server.as(owner).post('/org/main/ws', elsewhere);
  expect(await invite('one', elsewhere, '/org/main/ws')).toMatchObject({ status: 409 });
  expect((await server.as(owner).delete(`/org/main/ws/${body.key}`)).status).toBe(204);
  expect(await invite('one', elsewhere, '/org/main/ws')).toMatchObject({ status: 201 });
});

test('a forbidden or invalid request learns nothing from a key and stores none', async () => {
  const member = await server.addPerson('member', { role: 'member' });
  const asMember = server.as(member).post(INVITATIONS, invitation, { 'idempotency-key': 'one' });
  expect(await asMember).toMatchObject({ status: 403 });
  expect(await invite('one', { role: 'member' })).toMatchObject({ status: 422 });
  expect(await db.selectFrom('idempotency_keys').select('user_id').execute()).toEqual([]);
});

test.each([
  { title: 'empty', key: '' },
  { title: '256 characters long', key: 'x'.repeat(256) },
  { title: 'not ASCII', key: 'schlüssel' },
  { title: 'holding a tab', key: 'a\tb' },
])('a key that is $title is listed among the mistakes', async ({ key }) => {
  const { status, body } = await invite(key, { role: 'member' });
  expect(status).toBe(422);
  expect(body.errors.map(({ loc }: { loc: string[] }) => loc)).toEqual([
    ['body', 'email_address'],
    ['header', 'idempotency-key'],
  ]);
});

test('a key of 255 printable characters is accepted', async () => {
  const key = `~ !"${'x'.repeat(251)}`;
  expect(key).toHaveLength(255);
  expect(await invite(key)).toMatchObject({ status: 201 });
});

test('onboarding accepts a key: a repetition returns its response instead of a 409', async () => {
  const person = await server.addPerson('fresh');
  const onboard = () =>
    server.as(person).post('/user/onboarding', { username: 'onboarded' }, { 'idempotency-key': 'one' });
  const first = await onboard();
  expect(first).toMatchObject({ status: 200, body: { username: 'onboarded' } });
  expect(await onboard()).toMatchObject({ status: 200, body: first.body });
});

test('keys and secrets are created again each time', async () => {
  const post = (path: string, body: object) =>
    server.as(owner).post(path, body, { 'idempotency-key': 'one' });
  const keys = [await post('/user/api-keys', { name: 'a' }), await post('/user/api-keys', { name: 'a' })];
  expect(keys[0]?.body.key).not.toBe(keys[1]?.body.key);
  expect(await post('/user/secrets', { name: 'A', value: 'b' })).toMatchObject({ status: 201 });
  expect(await post('/user/secrets', { name: 'A', value: 'b' })).toMatchObject({ status: 409 });
});

test('the OpenAPI document names the header where it is accepted', () => {
  const parameters = (path: string) =>
    (document.paths[`/api/v1${path}`].post.parameters ?? []).filter(
      (parameter: { in: string }) => parameter.in === 'header',
    );
  expect(parameters('/org/{org}/invitations')).toMatchObject([{ name: 'Idempotency-Key', required: false }]);
  expect(parameters('/org/{org}/ws/{workspace}/projects')).toHaveLength(1);
  expect(parameters('/user/onboarding')).toHaveLength(1);
  for (const path of ['/user/api-keys', '/user/secrets', '/auth/login']) expect(parameters(path)).toEqual([]);
});

test('a stored response cannot be read from the table', async () => {
  const { body } = await invite('one');
  const { rows } = await sql<{
    row: string;
  }>`SELECT to_jsonb(k)::text AS row FROM idempotency_keys k`.execute(db);
  expect(rows).toHaveLength(1);
  expect(rows[0]?.row).not.toContain(body.id);
  const { ciphertext } = await db
    .selectFrom('idempotency_keys')
    .select('ciphertext')
    .executeTakeFirstOrThrow();
  expect(ciphertext?.includes(body.invitation_token)).toBe(false);
});

test('a key is free again after 24 hours, even if its row was not cleared away', async () => {
  await invite('one');
  await sql`UPDATE idempotency_keys SET created_at = now() - interval '24 hours 1 second'`.execute(db);
  expect((await invite('one', { ...invitation, role: 'admin' })).headers).not.toHaveProperty(
    'idempotency-replayed',
  );
  await invite('two');
  await sql`UPDATE idempotency_keys SET created_at = now() - interval '23 hours 59 minutes'`.execute(db);
  expect(await forgetOldIdempotencyKeys(db)).toBe(0);
  await sql`UPDATE idempotency_keys SET created_at = now() - interval '24 hours 1 second'`.execute(db);
  expect(await forgetOldIdempotencyKeys(db)).toBe(2);
});

/** Leaves the row in the state of a process that is killed in the middle of a call. */
async function leaveLost({ tookEffect }: { tookEffect: boolean }): Promise<void> {
  await sql`UPDATE idempotency_keys
               SET running_until = now() - interval '1 second', took_effect = ${tookEffect},
                   status = NULL, key_id = NULL, wrapped_key = NULL, ciphertext = NULL`.execute(db);
}

test('a call that was lost before it took effect runs again, exactly once for concurrent repetitions', async () => {
  await invite('one');
  await sql`DELETE FROM invitations /* of every organization */`.execute(db);
  await leaveLost({ tookEffect: false });
  expect(await invite('one', { ...invitation, role: 'admin' })).toMatchObject({ status: 409 });
  const responses = await Promise.all(Array.from({ length: 10 }, () => invite('one')));
  expect(responses.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
  expect(await countInvitations()).toBe(1);
});

test('a call whose response was lost after it took effect does not run again and returns a conflict', async () => {
  await invite('one');
  await leaveLost({ tookEffect: true });
  expect(await invite('one')).toMatchObject({
    status: 409,
    body: { type: 'conflict_error', detail: expect.stringMatching(/took effect.*new key/s) },
  });
  expect(await countInvitations()).toBe(1);
});

test('a response that cannot be decrypted counts as lost, not as an internal error', async () => {
  await invite('one');
  await sql`UPDATE idempotency_keys SET key_id = 'another'`.execute(db);
  expect(await invite('one')).toMatchObject({ status: 409, body: { type: 'conflict_error' } });
  expect(await countInvitations()).toBe(1);
});

const idempotency = new Idempotency({
  db,
  vault: createVault('a secret key of this test alone'),
  log: createLog('fatal'),
});
const call: KeyedCall = { userId: owner.id, method: 'POST', path: '/x', key: 'k', body: {}, query: {} };
const done: StoredResponse = { status: 200, text: '{}' };

/** A change that commits or rolls back with its transaction. */
const note = (text: string, recordEffect: RecordEffect) =>
  transactionFor(db, { recordEffect }, (trx) =>
    trx
      .insertInto('login_attempts')
      .values({ id: crypto.randomUUID(), subject: text, address: 'x' })
      .execute(),
  );

const countNotes = async (subject: string) =>
  (await db.selectFrom('login_attempts').select('id').where('subject', '=', subject).execute()).length;

test('a call that was considered lost and resumes changes nothing', async () => {
  const slow = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const first = idempotency.run(call, async (recordEffect) => {
    started.resolve();
    await slow.promise;
    await note('awake', recordEffect);
    return done;
  });
  await started.promise;
  await sql`UPDATE idempotency_keys SET running_until = now() - interval '1 second'`.execute(db);
  await idempotency.run(call, async (recordEffect) => {
    await note('awake', recordEffect);
    return done;
  });
  slow.resolve();
  await expect(first).rejects.toMatchObject({ type: 'conflict_error' });
  expect(await countNotes('awake')).toBe(1);
  expect(await idempotency.run(call, () => expect.fail('ran again'))).toMatchObject({ isReplayed: true });
});

test('a call that fails after part of it took effect is not run again', async () => {
  const half = async (recordEffect: RecordEffect) => {
    await note('half', recordEffect);
    throw new Error('then it failed');
  };
  await expect(idempotency.run(call, half)).rejects.toThrow('then it failed');
  await expect(idempotency.run(call, half)).rejects.toMatchObject({
    type: 'conflict_error',
    message: expect.stringContaining('took effect'),
  });
  expect(await countNotes('half')).toBe(1);
});

test('a rolled-back transaction does not count as having taken effect', async () => {
  const failing = (recordEffect: RecordEffect) =>
    transactionFor(db, { recordEffect }, async () => {
      throw new Error('rolled back');
    });
  await expect(idempotency.run(call, failing)).rejects.toThrow('rolled back');
  expect(await idempotency.run(call, async () => done)).toMatchObject({ isReplayed: false });
});

test('work that a call leaves to run later is not blocked by its key', async () => {
  let later: Promise<unknown> = Promise.resolve();
  const goOn = Promise.withResolvers<void>();
  const failing = async (recordEffect: RecordEffect) => {
    later = goOn.promise.then(() => note('later', recordEffect));
    throw new Error('failed');
  };
  await expect(idempotency.run(call, failing)).rejects.toThrow('failed');
  goOn.resolve();
  await later;
  expect(await countNotes('later')).toBe(1);
});

test('the same body with another query is another request', async () => {
  await idempotency.run({ ...call, key: 'query' }, async () => done);
  const other = idempotency.run({ ...call, key: 'query', query: { page: 2 } }, async () => done);
  await expect(other).rejects.toMatchObject({ type: 'conflict_error' });
});
