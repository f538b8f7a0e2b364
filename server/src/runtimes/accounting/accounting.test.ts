/** Time and credits of real sandboxes; tests that need an hour to pass shift the timestamps of the period instead. */
import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { until } from '../../../test/processes.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { adjust, balance } from '../../platform/metering/credits.ts';
import { uuidv7 } from '../../platform/uuid.ts';

const BASE = '/org/main/ws/main/runtimes';
const unlimited = await startTestServer({}, [], { hasSandboxes: true });
const enforced = await startTestServer({ DRYDOCK_CREDITS: 'enforced' }, [], { hasSandboxes: true });

let made = 0;

const create = async (server: TestServer, body = {}) => {
  const key = `a-${++made}`;
  expect((await server.as(server.owner).post(BASE, { key, ...body })).status).toBe(201);
  return key;
};

async function start(server: TestServer, key: string, body = {}) {
  const response = await server.as(server.owner).post(`${BASE}/${key}/start`, body);
  expect(response.status).toBe(200);
  return response.body.instance;
}

const getRuntime = async (server: TestServer, key: string) =>
  (await server.as(server.owner).get(`${BASE}/${key}`)).body;

const usage = async (server: TestServer) =>
  (await server.as(server.owner).get('/org/main/sandboxes/usage')).body;

/** Shifts start and end of a period into the past. */
const turnBack = ({ db }: TestServer, sandboxId: string, seconds: number) =>
  sql`UPDATE sandboxes /* of every organization */
         SET period_started_at = period_started_at - make_interval(secs => ${seconds}),
             expires_at = expires_at - make_interval(secs => ${seconds}),
             created_at = created_at - make_interval(secs => ${seconds})
       WHERE id = ${sandboxId}`.execute(db);

/** The most seconds that can have been used since `startedAt`: both ends of a period are rounded. */
const secondsSince = (startedAt: number) => Math.ceil((performance.now() - startedAt) / 1000) + 1;

const limitOrganization = (server: TestServer, limits: Record<string, number | null>) =>
  server.as(server.owner).patch('/org/main', limits);

afterEach(async () => {
  for (const server of [unlimited, enforced]) {
    const client = server.as(server.owner);
    const { body } = await client.get(BASE);
    for (const { key } of body.items) expect((await client.delete(`${BASE}/${key}`)).status).toBe(204);
    expect(await server.sandboxes?.provider.list()).toEqual([]);
  }
});

describe('runtime limits', () => {
  test('start reports the requested, the configured and the actual limit with their reasons', async () => {
    const key = await create(unlimited, { requested_runtime_limit_seconds: 700 });
    expect(await start(unlimited, key)).toMatchObject({
      requested_runtime_limit_seconds: 700,
      requested_runtime_limit_source_level: 'l4_requested',
      configured_runtime_limit_seconds: 700,
      actual_runtime_limit_seconds: 700,
    });
    await limitOrganization(unlimited, { max_sandbox_runtime_seconds: 600 });
    const second = await create(unlimited, { config: { sandbox: { timeout_seconds: 900 } } });
    expect(await start(unlimited, second, { requested_runtime_limit_seconds: 800 })).toMatchObject({
      requested_runtime_limit_seconds: 800,
      configured_runtime_limit_seconds: 600,
      configured_runtime_limit_source_level: 'l2_org_max',
      actual_runtime_limit_seconds: 600,
    });
    await limitOrganization(unlimited, { max_sandbox_runtime_seconds: null });
  });

  test('keepalive extends a period up to the maximum, and resume starts a new period by the current limits', async () => {
    const client = unlimited.as(unlimited.owner);
    const key = await create(unlimited);
    const { expires_at } = await start(unlimited, key, { requested_runtime_limit_seconds: 60 });
    const keepAlive = async () =>
      (await client.post(`${BASE}/${key}/keepalive`, { extend_seconds: 100 })).body.expires_at;
    expect(Date.parse(await keepAlive()) - Date.parse(expires_at)).toBe(100_000);
    await limitOrganization(unlimited, { max_sandbox_runtime_seconds: 200 });
    expect(Date.parse(await keepAlive()) - Date.parse(expires_at)).toBe(140_000);
    expect(Date.parse(await keepAlive()) - Date.parse(expires_at)).toBe(140_000);
    await limitOrganization(unlimited, { max_sandbox_runtime_seconds: 50 * 60 });
    await client.post(`${BASE}/${key}/pause`);
    expect((await client.post(`${BASE}/${key}/resume`)).body.instance).toMatchObject({
      requested_runtime_limit_seconds: 60,
      actual_runtime_limit_seconds: 60,
      pause_reason: null,
    });
    await limitOrganization(unlimited, { max_sandbox_runtime_seconds: null });
  });

  test('a sandbox is paused when its period expires, and time after the expiry is not charged', async () => {
    const key = await create(unlimited);
    const { sandbox_id } = await start(unlimited, key, { requested_runtime_limit_seconds: 100 });
    await turnBack(unlimited, sandbox_id, 130);
    await until('it is paused', async () => (await getRuntime(unlimited, key)).status === 'paused');
    expect((await getRuntime(unlimited, key)).instance).toMatchObject({
      state: 'paused',
      pause_reason: 'timeout',
      expires_at: null,
      total_runtime_seconds: 100,
      billed_credits: 6,
      running_credits: 0,
      estimated_total_credits: 6,
    });
  });

  test('a sandbox that cannot be paused is ended at its limit, and pausing it is refused', async () => {
    const client = unlimited.as(unlimited.owner);
    const key = await create(unlimited);
    const { sandbox_id } = await start(unlimited, key, { requested_runtime_limit_seconds: 60 });
    await sql`UPDATE sandboxes /* of every organization */ SET supports_pause = false WHERE id = ${sandbox_id}`.execute(
      unlimited.db,
    );
    const refusal = await client.post(`${BASE}/${key}/pause`);
    expect(refusal).toMatchObject({ status: 409, body: { type: 'conflict_error' } });
    expect((await getRuntime(unlimited, key)).status).toBe('running');
    await turnBack(unlimited, sandbox_id, 60);
    await until('it has ended', async () => (await getRuntime(unlimited, key)).status === 'idle');
    expect((await getRuntime(unlimited, key)).instance).toMatchObject({
      state: 'killed',
      total_runtime_seconds: 60,
    });
  });
});

test('capacity counts running, paused and starting sandboxes, also for concurrent starts', async () => {
  const client = unlimited.as(unlimited.owner);
  await limitOrganization(unlimited, { max_concurrent_sandboxes: 2 });
  const keys = await Promise.all([1, 2, 3, 4].map(() => create(unlimited)));
  const responses = await Promise.all(keys.map((key) => client.post(`${BASE}/${key}/start`)));
  expect(responses.map(({ status }) => status).toSorted((x, y) => x - y)).toEqual([200, 200, 429, 429]);
  const refused = responses.find(({ status }) => status === 429);
  expect(refused?.body.type).toBe('org_sandbox_capacity_exceeded_error');
  const [first] = responses.flatMap(({ status, body }) => (status === 200 ? [body.key] : []));
  expect(await client.post(`${BASE}/${first}/start`)).toMatchObject({
    status: 409,
    body: { type: 'conflict_error' },
  });
  await client.post(`${BASE}/${first}/pause`);
  const idle = keys[responses.findIndex(({ status }) => status === 429)];
  expect((await client.post(`${BASE}/${idle}/start`)).status).toBe(429);
  await client.post(`${BASE}/${first}/reset`);
  expect((await client.post(`${BASE}/${idle}/start`)).status).toBe(200);
  await limitOrganization(unlimited, { max_concurrent_sandboxes: null });
});

describe('sandbox usage', () => {
  test('usage includes ended, running and deleted sandboxes, and pauses are free', async () => {
    const client = unlimited.as(unlimited.owner);
    const before = await usage(unlimited);
    const key = await create(unlimited);
    const startedAt = performance.now();
    const { sandbox_id } = await start(unlimited, key);
    await turnBack(unlimited, sandbox_id, 10);
    const running = (await usage(unlimited)).total_runtime_seconds - before.total_runtime_seconds;
    expect(running).toBeGreaterThanOrEqual(10);
    expect(running).toBeLessThanOrEqual(10 + secondsSince(startedAt));
    await client.post(`${BASE}/${key}/pause`);
    const paused = await usage(unlimited);
    // A pause of a thousand seconds.
    await turnBack(unlimited, sandbox_id, 1_000);
    expect((await usage(unlimited)).total_runtime_seconds).toBe(paused.total_runtime_seconds);
    const resumedAt = performance.now();
    await client.post(`${BASE}/${key}/resume`);
    await turnBack(unlimited, sandbox_id, 5);
    await client.delete(`${BASE}/${key}`);
    const after = await usage(unlimited);
    const resumed = after.total_runtime_seconds - paused.total_runtime_seconds;
    expect(resumed).toBeGreaterThanOrEqual(5);
    expect(resumed).toBeLessThanOrEqual(5 + secondsSince(resumedAt));
    expect(after.sessions_count - before.sessions_count).toBe(1);
  });

  test('usage of a period that spans two months is split between them', async () => {
    const client = unlimited.as(unlimited.owner);
    const before = await usage(unlimited);
    const key = await create(unlimited);
    const { sandbox_id } = await start(unlimited, key, { requested_runtime_limit_seconds: 86_400 });
    // The period started ten seconds before this month.
    await sql`UPDATE sandboxes /* of every organization */
                 SET created_at = date_trunc('month', now(), 'UTC') - interval '10 s',
                     period_started_at = date_trunc('month', now(), 'UTC') - interval '10 s',
                     expires_at = now() + interval '1 h'
               WHERE id = ${sandbox_id}`.execute(unlimited.db);
    const readAt = performance.now();
    const running = await usage(unlimited);
    const inMonth = running.current_month_seconds - before.current_month_seconds;
    const inAll = running.total_runtime_seconds - before.total_runtime_seconds;
    expect(inAll - inMonth).toBeOneOf([9, 10, 11]);
    await client.post(`${BASE}/${key}/pause`);
    const ended = await usage(unlimited);
    const afterwards = ended.current_month_seconds - running.current_month_seconds;
    expect(afterwards).toBeGreaterThanOrEqual(0);
    expect(afterwards).toBeLessThanOrEqual(secondsSince(readAt));
    const { rows } = await sql<{ month: string; seconds: number; is_in_month: boolean }>`
      SELECT split_part(external_id, '/', 3) AS month, seconds,
             to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM') = split_part(external_id, '/', 3) AS is_in_month
        FROM usage_events /* of every organization */
       WHERE source = 'sandbox' AND external_id LIKE ${`${sandbox_id}/%`} ORDER BY month`.execute(
      unlimited.db,
    );
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({ seconds: 10, is_in_month: true });
    expect(rows[1]?.is_in_month).toBe(true);
    const charged = (await getRuntime(unlimited, key)).instance.billed_credits;
    const exact = rows.reduce((sum, { seconds }) => sum + seconds, 0) * 0.0552;
    expect(charged).toBe(Math.ceil(Number(exact.toFixed(6))));
  });
});

describe('enforced credits', () => {
  const give = async (amount: number) => {
    const { id } = await enforced.db
      .selectFrom('organizations')
      .select('id')
      .where('key', '=', 'main')
      .executeTakeFirstOrThrow();
    await transaction(enforced.db, (trx) =>
      adjust(trx, {
        organizationId: id,
        reference: uuidv7(),
        amount,
        actorId: enforced.owner.id,
        note: null,
      }),
    );
    return id;
  };

  test('start without credits is refused and leaves nothing behind', async () => {
    const key = await create(enforced);
    const refusal = await enforced.as(enforced.owner).post(`${BASE}/${key}/start`);
    expect(refusal).toMatchObject({ status: 429, body: { type: 'usage_limit_exceeded_error' } });
    expect(refusal.body.detail).toContain('credit');
    expect(await getRuntime(enforced, key)).toMatchObject({ status: 'idle', instance: null });
  });

  test('a sandbox with few credits reserves them, runs until they are used up and is then paused', async () => {
    const client = enforced.as(enforced.owner);
    const organizationId = await give(10);
    const [key, other] = [await create(enforced), await create(enforced)];
    const instance = await start(enforced, key, { requested_runtime_limit_seconds: 600 });
    expect(instance).toMatchObject({
      configured_runtime_limit_seconds: 600,
      actual_runtime_limit_seconds: 181,
      runtime_limited_by_credits: true,
    });
    expect((await client.post(`${BASE}/${other}/start`)).status).toBe(429);
    expect((await client.post(`${BASE}/${key}/keepalive`, { extend_seconds: 60 })).status).toBe(429);
    await turnBack(enforced, instance.sandbox_id, 181);
    await until('it is paused', async () => (await getRuntime(enforced, key)).status === 'paused');
    expect((await getRuntime(enforced, key)).instance).toMatchObject({
      pause_reason: 'insufficient_credits',
      billed_credits: 10,
      total_runtime_seconds: 181,
    });
    expect(await balance(enforced.db, organizationId)).toBe(0);
    expect((await client.post(`${BASE}/${key}/resume`)).status).toBe(429);
    expect((await getRuntime(enforced, key)).status).toBe('paused');
    await give(100);
    expect((await client.post(`${BASE}/${key}/resume`)).body.instance).toMatchObject({
      actual_runtime_limit_seconds: 600,
      runtime_limited_by_credits: false,
      billed_credits: 10,
    });
    await client.post(`${BASE}/${key}/reset`);
    // Unused reserved credits are released.
    expect(await balance(enforced.db, organizationId)).toBe(99);
    expect((await start(enforced, other)).runtime_limited_by_credits).toBe(true);
  });
});
