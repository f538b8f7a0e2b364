/** Concurrent saves: in one batch, from several processes, together with deletions, and as repeated calls. */
import { beforeAll, expect, test } from 'vitest';
import { type Person, startTestServer, type TestResponse } from '../../../test/harness.ts';
import { findOrganizationId } from '../../../test/other-organization.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import { connect } from '../../platform/db/connect.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { createLog } from '../../platform/log.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { SessionWriter } from './session-writer.ts';

const server = await startTestServer();
const { owner, db } = server;
const mia = await server.addPerson('mia', { role: 'member' });
const organizationId = await findOrganizationId(server, 'main');

const sessions = '/org/main/ws/main/sessions';
const save = (body: object, who = owner, headers = {}) => server.as(who).post(sessions, body, headers);
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, n) => make(n));
const statuses = (responses: readonly TestResponse[]) =>
  responses.map(({ status }) => status).toSorted((a, b) => a - b);

let workspaceId: string;
beforeAll(async () => {
  workspaceId = (await save({ id: uuidv7(), model: 'm' })).body.workspace_id;
});

function scopeOf(person: Person, workspace = workspaceId): WorkspaceScope {
  return {
    principal: { userId: person.id, isPlatformAdmin: false, apiKey: undefined, loginId: undefined },
    requestId: 'test',
    organizationId,
    organizationKey: 'main',
    role: 'member',
    workspaceId: workspace,
    workspaceKey: 'main',
    workspaceRole: 'contributor',
  };
}

test('twenty concurrent first saves of one id create exactly one session', async () => {
  const id = uuidv7();
  const responses = await Promise.all(times(20, (n) => save({ id, model: 'm', agent: `a${n}` })));
  expect(statuses(responses)).toEqual([...times(19, () => 200), 201]);
  const last = await server.as(owner).get(`${sessions}/${id}`);
  expect(responses.map(({ body }) => body)).toContainEqual(last.body);
});

test('concurrent first saves of one id by two users give it to one, and the other gets 409', async () => {
  const id = uuidv7();
  const responses = await Promise.all(times(20, (n) => save({ id, model: 'm' }, n % 2 === 0 ? owner : mia)));
  expect(statuses(responses)).toEqual([...times(9, () => 200), 201, ...times(10, () => 409)]);
});

test('each save in a batch gets its own response', async () => {
  const known = uuidv7();
  await save({ id: known, model: 'm' });
  const foreign = uuidv7();
  await save({ id: foreign, model: 'm' }, mia);
  const kinds = [
    () => ({ body: { id: uuidv7(), model: 'm', title: `t${Math.random()}` }, status: 201 }),
    () => ({ body: { id: uuidv7(), model: 'm', project_id: uuidv7() }, status: 422 }),
    () => ({ body: { id: uuidv7(), model: 'm', group_id: uuidv7() }, status: 422 }),
    () => ({ body: { id: known, model: 'm' }, status: 200 }),
    () => ({ body: { id: foreign, model: 'm' }, status: 409 }),
  ];
  const sent = times(60, (n) => (kinds[n % kinds.length] as (typeof kinds)[0])());
  const responses = await Promise.all(sent.map(({ body }) => save(body)));
  expect(responses.map(({ status }) => status)).toEqual(sent.map(({ status }) => status));
  for (const [index, { body, status }] of sent.entries()) {
    if (status < 300) expect(responses[index]?.body).toMatchObject(body);
  }
});

test('processes that save the same ids agree on which of them created each session', async () => {
  const ids = times(40, () => uuidv7());
  const log = createLog('fatal');
  const pools = times(3, () => connect({ url: server.url, poolSize: 4, namedStatements: true, log }));
  const writers = pools.map((pool) => new SessionWriter(pool));
  // Each process has its own order, so that they meet halfway.
  const results = await Promise.all(
    writers.flatMap((writer, n) =>
      (n === 1 ? ids.toReversed() : ids).map((id) => writer.save(scopeOf(owner), { id, model: `m${n}` })),
    ),
  );
  const created = results.filter(({ isNew }) => isNew).map(({ session }) => session.id);
  expect(created.toSorted()).toEqual(ids.toSorted());
  await Promise.all(writers.map((writer) => writer.drain()));
  await Promise.all(pools.map((pool) => pool.destroy()));
});

test('a session that is saved and deleted continuously either exists or does not', async () => {
  const id = uuidv7();
  const responses = await Promise.all(
    times(90, (n) =>
      n % 3 === 2 ? server.as(owner).delete(`${sessions}/${id}`) : save({ id, model: 'm', title: `t${n}` }),
    ),
  );
  const count = (status: number) => responses.filter((response) => response.status === status).length;
  expect(count(200) + count(201) + count(204) + count(404)).toBe(90);
  const { status } = await server.as(owner).get(`${sessions}/${id}`);
  expect(count(201) - count(204)).toBe(status === 200 ? 1 : 0);
});

test('saving to a workspace that is being deleted returns 404 and does not delay other saves', async () => {
  const { body } = await server.as(owner).post('/org/main/ws', { name: 'gone' });
  await server.as(owner).delete('/org/main/ws/gone');
  const writer = new SessionWriter(db);
  const gone = times(3, () => writer.save(scopeOf(owner, body.id), { id: uuidv7(), model: 'm' }));
  const fine = times(3, () => writer.save(scopeOf(mia), { id: uuidv7(), model: 'm' }));
  for (const one of gone) await expect(one).rejects.toMatchObject({ type: 'not_found_error' });
  for (const one of fine) expect(await one).toMatchObject({ isNew: true });
});

test('a save that waits for a lock does not delay other saves', async () => {
  const id = uuidv7();
  await save({ id, model: 'm' }, mia);
  const writer = new SessionWriter(db);
  const order: string[] = [];
  const isLocked = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  // Holds the lock as deleting or importing a session of very many messages does.
  const deletion = transaction(db, async (trx) => {
    await trx
      .deleteFrom('sessions')
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .execute();
    isLocked.resolve();
    await goOn.promise;
  });
  await isLocked.promise;
  const saveOne = async (name: string, one: string) => {
    const { isNew } = await writer.save(scopeOf(owner), { id: one, model: 'm' });
    order.push(name);
    return isNew;
  };
  // Two batches, the number that is written at the same time.
  const stuck = times(2, () => saveOne('stuck', id));
  const together = saveOne('free', uuidv7());
  await new Promise(setImmediate);
  stuck.push(saveOne('stuck', id));
  const after = times(3, () => saveOne('free', uuidv7()));
  expect(await Promise.all([together, ...after])).toEqual(times(4, () => true));
  expect(order).toEqual(times(4, () => 'free'));
  goOn.resolve();
  await deletion;
  expect((await Promise.all(stuck)).filter(Boolean)).toHaveLength(1);
});

test('a repeated call takes effect once, even in a batch with other saves', async () => {
  const ids = times(20, () => uuidv7());
  const send = () =>
    Promise.all(ids.map((id) => save({ id, model: 'm' }, owner, { 'idempotency-key': `save ${id}` })));
  const first = await send();
  expect(statuses(first)).toEqual(times(20, () => 201));
  const again = await send();
  expect(again.map(({ status, body }) => ({ status, body }))).toEqual(
    first.map(({ status, body }) => ({ status, body })),
  );
  expect(again.every(({ headers }) => headers['idempotency-replayed'] === 'true')).toBe(true);
});

test('a refused call can be repeated with its idempotency key', async () => {
  const id = uuidv7();
  await save({ id, model: 'm' }, mia);
  const bad = { id: uuidv7(), model: 'm', group_id: id };
  const send = () =>
    Promise.all([
      save({ id, model: 'm' }, owner, { 'idempotency-key': `taken ${id}` }),
      save(bad, owner, { 'idempotency-key': `bad ${id}` }),
      save({ id: uuidv7(), model: 'm' }),
    ]);
  expect((await send()).map(({ status }) => status)).toEqual([409, 422, 201]);
  await server.as(mia).delete(`${sessions}/${id}`);
  expect((await send()).map(({ status }) => status)).toEqual([201, 422, 201]);
});

test('a repeated save with an idempotency key gets the same response again', async () => {
  const id = uuidv7();
  await save({ id, model: 'm' });
  const send = () => save({ id, model: 'm', title: 't' }, owner, { 'idempotency-key': `again ${id}` });
  const first = await send();
  await save({ id, model: 'm', title: 'u' });
  expect(await send()).toMatchObject({ status: 200, body: first.body });
  expect((await server.as(owner).get(`${sessions}/${id}`)).body.title).toBe('u');
});

test('draining the writer stores pending saves and refuses new ones', async () => {
  const writer = new SessionWriter(db);
  const waiting = times(300, () => writer.save(scopeOf(owner), { id: uuidv7(), model: 'm' }));
  await writer.drain();
  await expect(writer.save(scopeOf(owner), { id: uuidv7(), model: 'm' })).rejects.toMatchObject({
    type: 'usage_limit_exceeded_error',
  });
  for (const one of waiting) expect(await one).toMatchObject({ isNew: true });
});
