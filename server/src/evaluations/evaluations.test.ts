/** Evaluations from the request to the result, with real sandboxes and simulated models. */
import { expect, test } from 'vitest';
import { startEvaluationWorld, W } from '../../test/evaluation-world.ts';

const { me, publishTask, evaluate, ended, listItems, listLeftovers } = await startEvaluationWorld();

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
