/** Publishes the sample tasks where they are missing, and evaluates a simulated model on them. Needs no key of any provider. */
import { type EvaluationResponse, type InWorkspace, isDrydockError } from '@drydock/sdk';
import { drydock } from '../api/client.ts';
import { SAMPLE_TASKS, type SampleTask } from './sample-tasks.ts';
import { packFiles } from './tar-gz.ts';

const VERSION = '1.0.0';
/** A simulated model that runs the commands in its instructions, and makes mistakes. */
const MODEL = 'sim/noisy-tool-user';

export async function runSampleEvaluation(where: InWorkspace): Promise<EvaluationResponse> {
  for (const task of SAMPLE_TASKS) await publish(where.org, task);
  return drydock.evaluations.create(where, {
    name: 'Sample evaluation',
    model: MODEL,
    task_names: SAMPLE_TASKS.map(({ name }) => name),
    repetitions: 3,
    seed: 1,
  });
}

async function publish(org: string, { name, verify, ...task }: SampleTask): Promise<void> {
  const manifest = {
    name,
    version: VERSION,
    ...task,
    verification: { method: 'script', script: 'verify.sh' },
  };
  // Every JSON document is also a YAML document.
  const bundle = await packFiles({ 'task.yaml': JSON.stringify(manifest), 'verify.sh': verify });
  try {
    await drydock.tasks.publish({ org, name, version: VERSION }, bundle);
  } catch (error) {
    // An earlier version of the console has published this task with a different content.
    if (!(isDrydockError(error) && error.status === 409)) throw error;
  }
}
