/** Pausing, resuming, cancelling, retrying and deleting evaluations while they run. */
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { addProvider, offerModel, startEvaluationWorld, W } from '../../../test/evaluation-world.ts';
import { type Frame, openEvents } from '../../../test/event-harness.ts';
import { answers, fails, type RecordedRequest } from '../../../test/model-provider.ts';

const { server, me, publishTask, evaluate, get, ended, listItems, listLeftovers } =
  await startEvaluationWorld({
    environment: { DRYDOCK_ALLOW_PRIVATE_PROVIDERS: '1' },
  });
const provider = await addProvider(me);
await publishTask('task', 'echo yes', { manifest: { verification: { method: 'exact', expected: 'yes' } } });
await publishTask('endless', 'tail -f /dev/null', {
  manifest: { verification: { method: 'exact', expected: 'yes' } },
});

/** Requests that wait for their answer. */
const held: [RecordedRequest, ServerResponse][] = [];
const hold = () => provider.always((request, response) => void held.push([request, response]));
const release = (text = 'yes') => {
  for (const [request, response] of held.splice(0)) answers({ text })(request, response);
};
const slow = { model: 'acme/large', task_names: ['task'] };
const heldCount = (count: number) => expect.poll(() => held.length).toBe(count);
const status = (id: string, wanted: string) => expect.poll(async () => (await get(id)).status).toBe(wanted);

test('updateEvaluation pauses: samples under way finish, no more begin, and a resumed one goes on', async () => {
  hold();
  const id = await evaluate({ ...slow, repetitions: 3, concurrency: 1 });
  await heldCount(1);
  const paused = await me.patch(`${W}/evaluation/${id}`, { paused: true });
  expect(paused.body).toMatchObject({ status: 'paused', pause_reason: 'Paused by a user.' });
  release();
  await expect.poll(async () => (await get(id)).passed_count).toBe(1);
  // The job leaves the queue when no sample is running.
  const jobStatus = async () =>
    (
      await sql<{
        status: string;
      }>`SELECT status FROM evaluations /* of every organization */ WHERE id = ${id}`.execute(server.db)
    ).rows[0]?.status;
  await expect.poll(jobStatus).toBe('paused');
  expect((await get(id)).item_counts).toMatchObject({ queued: 2, passed: 1 });
  expect(held).toHaveLength(0);
  expect(
    (await me.get(`${W}/evaluations?status=paused`)).body.items.map((one: { id: string }) => one.id),
  ).toContain(id);
  provider.always(answers({ text: 'yes' }));
  expect((await me.patch(`${W}/evaluation/${id}`, { paused: false })).body).toMatchObject({
    status: 'running',
    pause_reason: null,
  });
  expect(await ended(id)).toMatchObject({ status: 'completed', passed_count: 3 });
});

test('updateEvaluation resumes before the samples under way have ended', async () => {
  hold();
  const id = await evaluate({ ...slow, repetitions: 2, concurrency: 1 });
  await heldCount(1);
  await me.patch(`${W}/evaluation/${id}`, { paused: true });
  await me.patch(`${W}/evaluation/${id}`, { paused: false });
  provider.always(answers({ text: 'yes' }));
  release();
  expect(await ended(id)).toMatchObject({ status: 'completed', passed_count: 2 });
});

test('updateEvaluation changes the concurrency while samples run', async () => {
  hold();
  const id = await evaluate({ ...slow, repetitions: 4, concurrency: 1 });
  await heldCount(1);
  expect(
    (await me.patch(`${W}/evaluation/${id}`, { concurrency: 3, name: 'renamed', tags: ['x'] })).body,
  ).toMatchObject({
    concurrency: 3,
    requested_concurrency: 3,
    name: 'renamed',
    tags: ['x'],
  });
  await heldCount(3);
  provider.always(answers({ text: 'yes' }));
  release();
  await ended(id);
  expect(await me.patch(`${W}/evaluation/${id}`, { concurrency: 2 })).toMatchObject({ status: 409 });
  expect(await me.patch(`${W}/evaluation/${id}`, { paused: true })).toMatchObject({ status: 409 });
  expect(await me.patch(`${W}/evaluation/${id}`, { paused: false })).toMatchObject({ status: 409 });
  expect(await me.patch(`${W}/evaluation/${id}`, { name: 'again' })).toMatchObject({ status: 200 });
});

test.each<[string, object]>([
  ['concurrency 0', { concurrency: 0 }],
  ['concurrency 101', { concurrency: 101 }],
  ['a negative budget', { budget_usd: -1 }],
  ['a blank name', { name: ' ' }],
  ['51 tags', { tags: Array.from({ length: 51 }, String) }],
  ['paused that is not a boolean', { paused: 'yes' }],
])('updateEvaluation refuses %s', async (_, update) => {
  const { status, body } = await me.patch(`${W}/evaluation/${crypto.randomUUID()}`, update);
  expect({ status, type: body.type }).toEqual({ status: 422, type: 'validation_error' });
});

test('cancelEvaluation ends samples under way and those that wait, and leaves nothing behind', async () => {
  const id = await evaluate({ task_names: ['endless'], repetitions: 3, concurrency: 2 });
  await expect.poll(async () => (await get(id)).item_counts.agent_running).toBe(2);
  expect(await me.delete(`${W}/evaluation/${id}`)).toMatchObject({ status: 409 });
  expect(await me.post(`${W}/evaluation/${id}/cancel`)).toMatchObject({ status: 200 });
  const evaluation = await ended(id);
  expect(evaluation).toMatchObject({
    status: 'cancelled',
    stop_reason: 'cancelled',
    pass_rate: null,
    item_counts: { cancelled: 3 },
  });
  const items = await listItems(id);
  expect(
    items.every(
      (item: { passed: unknown; item_status: string }) =>
        item.passed === null && item.item_status === 'cancelled',
    ),
  ).toBe(true);
  await expect.poll(listLeftovers).toEqual([]);
  const session = await me.get(`${W}/sessions/${items[0].session_id}`);
  expect(session.body).toMatchObject({ frozen_by: 'evaluation', group: { status: 'cancelled' } });
  expect(await me.post(`${W}/evaluation/${id}/cancel`)).toMatchObject({ status: 409 });
});

test('cancelEvaluation leaves nothing behind when the write of a sample is refused before the worker has noticed', async () => {
  hold();
  const id = await evaluate({ ...slow, repetitions: 4, concurrency: 4 });
  await heldCount(4);
  await me.post(`${W}/evaluation/${id}/cancel`);
  release();
  expect(await ended(id)).toMatchObject({ status: 'cancelled' });
  // Shorter than the 90 s of a lease, after which a clean-up would remove a sandbox that was kept.
  await expect.poll(listLeftovers, { timeout: 60_000 }).toEqual([]);
});

test('cancelEvaluation ends a paused and a waiting evaluation at once', async () => {
  hold();
  const id = await evaluate({ ...slow, repetitions: 2, concurrency: 1 });
  await heldCount(1);
  await me.patch(`${W}/evaluation/${id}`, { paused: true });
  release();
  await status(id, 'paused');
  await me.post(`${W}/evaluation/${id}/cancel`);
  expect(await ended(id)).toMatchObject({ status: 'cancelled' });
});

test('cancelEvaluationItem ends one sample, and the others go on', async () => {
  const id = await evaluate({ task_names: ['endless', 'task'], concurrency: 1 });
  await expect.poll(async () => (await get(id)).item_counts.agent_running).toBe(1);
  const [endless] = await listItems(id);
  expect(await me.post(`${W}/evaluation/${id}/items/${endless.id}/retry`)).toMatchObject({ status: 409 });
  expect(await me.post(`${W}/evaluation/${id}/items/${endless.id}/cancel`)).toMatchObject({ status: 200 });
  expect(await ended(id)).toMatchObject({
    status: 'completed',
    passed_count: 1,
    item_counts: { cancelled: 1, passed: 1 },
  });
  expect((await listItems(id))[0]).toMatchObject({
    item_status: 'cancelled',
    passed: null,
    stop_reason: 'cancelled',
  });
  expect(await me.post(`${W}/evaluation/${id}/items/${endless.id}/cancel`)).toMatchObject({ status: 409 });
});

test('retryEvaluation runs what failed again, keeps earlier attempts, and reopens the evaluation', async () => {
  provider.always(answers({ text: 'no' }));
  const id = await evaluate({ ...slow, repetitions: 2 });
  const before = await ended(id);
  expect(before).toMatchObject({ failed_count: 2, mean_score: 0 });
  provider.always(answers({ text: 'yes' }));
  const [item] = await listItems(id);
  expect((await me.post(`${W}/evaluation/${id}/items/${item.id}/retry`)).body).toMatchObject({
    item_status: 'queued',
    passed: null,
  });
  expect(await ended(id)).toMatchObject({
    status: 'completed',
    passed_count: 1,
    failed_count: 1,
    mean_score: 0.5,
  });
  expect((await me.post(`${W}/evaluation/${id}/retry-failed`, { states: ['timed_out'] })).body).toMatchObject(
    { status: 'completed' },
  );
  expect((await me.post(`${W}/evaluation/${id}/retry-failed`, {})).status).toBe(200);
  const after = await ended(id);
  expect(after).toMatchObject({
    status: 'completed',
    passed_count: 2,
    failed_count: 0,
    pass_rate: 1,
    mean_score: 1,
  });
  expect(after.cost_usd).toBeCloseTo(2 * before.cost_usd, 10);
  const { body: attempts } = await me.get(`${W}/evaluation/${id}/items/${item.id}/attempts`);
  expect(attempts).toMatchObject([
    { number: 1, status: 'failed', passed: false, is_counted: false, answer: 'no' },
    { number: 2, status: 'passed', passed: true, is_counted: true, answer: 'yes' },
  ]);
  for (const { started_at, agent_finished_at, completed_at } of attempts)
    for (const time of [started_at, agent_finished_at, completed_at])
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(await me.post(`${W}/evaluation/${id}/retry-failed`, { states: ['passed'] })).toMatchObject({
    status: 422,
  });
});

test('evaluationJob pauses when the budget is used up, and goes on with a larger one', async () => {
  provider.always(answers({ text: 'yes' }));
  // A sample costs 0.012 US dollars.
  const id = await evaluate({ ...slow, repetitions: 4, concurrency: 1, budget_usd: 0.02 });
  await status(id, 'paused');
  const paused = await get(id);
  expect(paused.pause_reason).toContain('The budget of 0.02 US dollars is used up');
  expect(paused).toMatchObject({ passed_count: 2 });
  await me.patch(`${W}/evaluation/${id}`, { budget_usd: 1, paused: false });
  expect(await ended(id)).toMatchObject({ status: 'completed', passed_count: 4 });
});

test('evaluationJob fails when the budget is 0', async () => {
  const id = await evaluate({ ...slow, budget_usd: 0 });
  const evaluation = await ended(id);
  expect(evaluation).toMatchObject({ status: 'failed', stop_reason: 'error', error_count: 1 });
  expect(evaluation.error).toContain('The budget is 0');
});

test('evaluationJob fails when the model is gone', async () => {
  provider.always(fails(500));
  const id = await evaluate({ ...slow, max_retries: 0 });
  await ended(id);
  const providers = (await me.get('/org/main/inference/providers')).body;
  await me.put('/org/main/inference/providers', { providers: [] });
  await me.post(`${W}/evaluation/${id}/retry-failed`, {});
  const evaluation = await ended(id);
  expect(evaluation).toMatchObject({ status: 'failed' });
  expect(evaluation.error).toContain('acme/large');
  expect(providers).toHaveLength(1);
  await offerModel(me, provider);
});

test('updateEvaluation raises a budget of 0 after the end, and a retry runs with it', async () => {
  provider.always(answers({ text: 'yes' }));
  const id = await evaluate({ ...slow, budget_usd: 0 });
  await ended(id);
  expect(await me.patch(`${W}/evaluation/${id}`, { budget_usd: 1 })).toMatchObject({ status: 200 });
  await me.post(`${W}/evaluation/${id}/retry-failed`, {});
  expect(await ended(id)).toMatchObject({ status: 'completed', passed_count: 1, error: null });
});

test('cancelEvaluationItem ends a sample between two attempts, and leaves the others alone', async () => {
  provider.always((request, response) => {
    if (request.text.includes('tail -f')) held.push([request, response]);
    else fails(500)(request, response);
  });
  const task_names = ['endless', 'task', 'endless'];
  const id = await evaluate({ model: 'acme/large', task_names, max_retries: 5, concurrency: 2 });
  const itemOf = async (position: number) => (await listItems(id))[position];
  const isBetween = async () => {
    const { retry_count, item_status } = await itemOf(1);
    return retry_count >= 2 && item_status === 'queued';
  };
  await expect.poll(isBetween).toBe(true);
  await heldCount(1);
  const { id: item } = await itemOf(1);
  expect(await me.post(`${W}/evaluation/${id}/items/${item}/cancel`)).toMatchObject({ status: 200 });
  await expect.poll(async () => (await itemOf(1)).item_status).toBe('cancelled');
  // The third sample has the place of the second, and the first one was not disturbed.
  await heldCount(2);
  expect(held.map(([request]) => request.isAborted)).toEqual([false, false]);
  release();
  expect(await ended(id)).toMatchObject({
    status: 'completed',
    passed_count: 2,
    item_counts: { passed: 2, cancelled: 1, queued: 0 },
  });
  const attempts = async (of: string) => (await me.get(`${W}/evaluation/${id}/items/${of}/attempts`)).body;
  expect(await attempts((await itemOf(0)).id)).toMatchObject([{ number: 1, status: 'passed' }]);
  expect(await itemOf(1)).toMatchObject({ stop_reason: 'cancelled', passed: null });
});

test('evaluationJob keeps the sandboxes of other samples for the next step when one sample fails the step', async () => {
  hold();
  const id = await evaluate({ ...slow, repetitions: 2, concurrency: 1, max_retries: 0 });
  await heldCount(1);
  await sql`
    CREATE FUNCTION break_sample() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$`.execute(
    server.db,
  );
  await sql`
    CREATE TRIGGER break_sample BEFORE UPDATE ON evaluation_items FOR EACH ROW
      WHEN (NEW.sample = 2 AND NEW.status = 'claiming') EXECUTE FUNCTION break_sample()`.execute(server.db);
  await me.patch(`${W}/evaluation/${id}`, { concurrency: 2 });
  await expect.poll(() => held[0]?.[0].isAborted).toBe(true);
  await sql`DROP FUNCTION break_sample CASCADE`.execute(server.db);
  held.length = 0;
  provider.always(answers({ text: 'yes' }));
  expect(await ended(id)).toMatchObject({ status: 'completed', passed_count: 2, error_count: 0 });
});

test('cancelEvaluation counts the cost of samples under way, and keeps the analytics', async () => {
  const call = { id: 'call', name: 'bash', arguments: '{"command":"tail -f /dev/null"}' };
  provider.always(answers({ text: '', toolCalls: [call] }));
  const id = await evaluate(slow);
  const transcript = async () => {
    const [item] = await listItems(id);
    return (await me.get(`${W}/evaluation/${id}/items/${item.id}/transcript`)).body.messages?.length;
  };
  await expect.poll(transcript).toBe(2);
  await me.post(`${W}/evaluation/${id}/cancel`);
  const evaluation = await ended(id);
  const [item] = await listItems(id);
  expect(item.usage.cost_usd).toBeGreaterThan(0);
  expect(evaluation).toMatchObject({
    status: 'cancelled',
    cost_usd: item.usage.cost_usd,
    analytics_snapshot: { cost_usd: item.usage.cost_usd },
  });
});

test('retryEvaluation refuses while the evaluation is being cancelled', async () => {
  provider.always(answers({ text: 'no' }));
  const id = await evaluate(slow);
  await ended(id);
  const set = (status: string, cancelledAt: string | null) =>
    sql`UPDATE evaluations /* of every organization */ SET status = ${status}, cancel_requested_at = ${cancelledAt}
         WHERE id = ${id}`.execute(server.db);
  await set('running', '2026-01-01T00:00:00Z');
  expect(await me.post(`${W}/evaluation/${id}/retry-failed`, {})).toMatchObject({ status: 409 });
  await set('completed', null);
  expect(await get(id)).toMatchObject({ failed_count: 1 });
});

test('deleteEvaluation removes an ended evaluation and its events, and releases its sessions', async () => {
  provider.always(answers({ text: 'yes' }));
  const id = await evaluate(slow);
  await ended(id);
  const [item] = await listItems(id);
  expect(await me.delete(`${W}/sessions/${item.session_id}`)).toMatchObject({ status: 409 });
  const mia = server.as(await server.addPerson('mia', { role: 'member' }));
  expect(await mia.delete(`${W}/evaluation/${id}`)).toMatchObject({ status: 403 });
  expect(await mia.get(`${W}/evaluation/${id}`)).toMatchObject({ status: 200 });
  expect(await me.delete(`${W}/evaluation/${id}`)).toMatchObject({ status: 204 });
  expect(await me.get(`${W}/evaluation/${id}`)).toMatchObject({ status: 404 });
  expect(await me.get(`${W}/sessions/${item.session_id}`)).toMatchObject({ status: 200 });
  expect(await me.delete(`${W}/sessions/${item.session_id}`)).toMatchObject({ status: 204 });
});

test('streamEvaluationEvents reports states of samples, counts and the end', async () => {
  provider.always(answers({ text: 'yes' }));
  const id = await evaluate(slow);
  await ended(id);
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.app.server.address() as AddressInfo;
  const reader = await openEvents(
    `http://127.0.0.1:${port}/api/v1${W}/evaluation/${id}/events`,
    server.owner.key,
  );
  const framesOf = (type: string) =>
    reader.frames.filter(({ event }) => event === type).map(({ data }) => data as Frame & EventData);
  await expect.poll(() => framesOf('state')).toMatchObject([{ status: 'completed' }]);
  reader.leave();
  expect(framesOf('item').map(({ item_status }) => item_status)).toEqual([
    'claiming',
    'provisioning',
    'agent_running',
    'agent_finished',
    'passed',
  ]);
  expect(framesOf('counts').at(-1)?.item_counts).toMatchObject({ passed: 1, queued: 0 });
});

interface EventData {
  readonly item_status?: string;
  readonly item_counts?: Record<string, number>;
}
