/** Evaluations from the request to the result, with real sandboxes and simulated models. */
import { expect, test } from 'vitest';
import { startEvaluationWorld, W } from '../../test/evaluation-world.ts';

const { server, me, publishTask, evaluate, ended, listItems, listLeftovers } = await startEvaluationWorld();

const VERIFY = 'test "$(cat result.txt)" = 42 && test "$(cat "$DRYDOCK_ANSWER_FILE")" = done\n';

test('createEvaluation runs an agent on a task, and verifies its workspace in a second sandbox', async () => {
  await publishTask('right', 'echo 42 > result.txt; echo done', { files: { 'verify.sh': VERIFY } });
  await publishTask('wrong', 'echo 41 > result.txt; echo done', { files: { 'verify.sh': VERIFY } });
  const id = await evaluate({ task_names: ['right', 'wrong'], repetitions: 2 });
  const evaluation = await ended(id);
  expect(evaluation).toMatchObject({
    status: 'completed',
    total_samples: 4,
    passed_count: 2,
    failed_count: 2,
    pass_rate: 0.5,
    task_breakdown: [
      { task_name: 'right', total: 2, passed: 2, failed: 0, errors: 0, pass_rate: 1, mean_score: 1 },
      { task_name: 'wrong', total: 2, passed: 0, failed: 2, errors: 0, pass_rate: 0, mean_score: 0 },
    ],
  });
  const items = await listItems(id);
  expect(
    items.map(({ task_name, sample, item_status }: Record<string, unknown>) => [
      task_name,
      sample,
      item_status,
    ]),
  ).toEqual([
    ['right', 1, 'passed'],
    ['wrong', 1, 'failed'],
    ['right', 2, 'passed'],
    ['wrong', 2, 'failed'],
  ]);
  expect(items[0]).toMatchObject({
    passed: true,
    score: 1,
    stop_reason: 'finished',
    error: null,
    answer: 'done',
    turn_count: 2,
    verification: { exit_code: 0, stdout: '', stderr: '' },
  });
  const transcript = await me.get(`${W}/evaluation/${id}/items/${items[0].id}/transcript`);
  expect(transcript.body.messages.map((message: { role: string }) => message.role)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
  ]);
  expect(transcript.body.session).toMatchObject({
    origin: 'eval',
    visibility: 'workspace',
    frozen_by: 'evaluation',
  });
  expect(await listLeftovers()).toEqual([]);
});

test('a reader of the workspace reads an evaluation, its items, transcripts and trajectories; a stranger none of it', async () => {
  const id = await evaluate({ task_names: ['right'] });
  await ended(id);
  const [item] = await listItems(id);
  const place = `${W}/evaluation/${id}`;
  const paths = [
    place,
    `${place}/items`,
    `${place}/items/${item.id}`,
    `${place}/items/${item.id}/attempts`,
    `${place}/items/${item.id}/transcript`,
    `${place}/items/${item.id}/trajectory`,
    `${place}/items/search?q=echo`,
    `${place}/analytics`,
    `${W}/sessions/${item.session_id}/trajectory`,
  ];
  const reader = server.as(await server.addPerson('reader', { role: 'member', workspaceRole: 'reader' }));
  const stranger = server.as(await server.addPerson('stranger'));
  for (const path of paths) {
    expect((await reader.get(path)).status, path).toBe(200);
    expect((await stranger.get(path)).status, path).toBe(403);
  }
  expect(await reader.post(`${place}/cancel`)).toMatchObject({ status: 403 });
});

test('getEvaluationItemTrajectory gives the document of the session, and refuses unknown formats and items of other evaluations', async () => {
  const id = await evaluate({ task_names: ['right'] });
  const other = await evaluate({ task_names: ['right'] });
  await ended(id);
  await ended(other);
  const [item] = await listItems(id);
  const [foreign] = await listItems(other);
  const pathOf = (itemId: string) => `${W}/evaluation/${id}/items/${itemId}/trajectory`;
  for (const format of ['atif', 'openai', 'native']) {
    const query = `?format=${format}&include_compacted=true`;
    const own = await me.get(`${W}/sessions/${item.session_id}/trajectory${query}`);
    expect((await me.get(pathOf(item.id) + query)).body).toEqual(own.body);
  }
  expect(await me.get(`${pathOf(item.id)}?format=none`)).toMatchObject({ status: 422 });
  for (const wrong of [foreign.id, crypto.randomUUID(), 'none'])
    expect(await me.get(pathOf(wrong))).toMatchObject({ status: 404 });
});

test('getEvaluationItemTrajectory is not found before an item has a session', async () => {
  // The second one waits as long as the first runs.
  await publishTask('endless', 'tail -f /dev/null', { files: { 'verify.sh': VERIFY } });
  const id = await evaluate({ task_names: ['endless', 'right'], concurrency: 1 });
  const last = (await listItems(id)).at(-1);
  expect(last).toMatchObject({ item_status: 'queued', session_id: null });
  expect(await me.get(`${W}/evaluation/${id}/items/${last.id}/trajectory`)).toMatchObject({ status: 404 });
  await me.post(`${W}/evaluation/${id}/cancel`);
  await ended(id);
});
