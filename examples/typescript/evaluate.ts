/** Evaluates a model on a task set and prints the pass rate. */
import { setTimeout } from 'node:timers/promises';
import { Drydock, isDrydockError } from '@drydock/sdk';
import { publish, toTask, WHERE } from './publish.ts';

const drydock = new Drydock();
const names = ['example-red', 'example-blue'];
for (const name of names) await publish(drydock.tasks, name, toTask(name, name.replace('example-', '')));
await drydock.taskSets
  .create({ org: WHERE.org }, { name: 'example-colours', members: names })
  .catch((error: unknown) => {
    if (!isDrydockError(error) || error.status !== 409) throw error;
  });

const { id } = await drydock.evaluations.create(WHERE, {
  name: 'colours',
  model: 'sim/tool-user',
  task_set: 'example-colours',
  repetitions: 2,
});
const evaluation = { ...WHERE, evaluation_id: id };
const hasEnded = async () =>
  /completed|failed|cancelled/.test((await drydock.evaluations.get(evaluation)).status);
while (!(await hasEnded())) await setTimeout(500);

const { passed_count, total_samples, pass_rate } = await drydock.evaluations.get(evaluation);
console.log(`${passed_count} of ${total_samples} samples passed`); // → 4 of 4 samples passed
console.log('pass rate:', pass_rate); // → pass rate: 1
