/** Publishes the sample tasks where they are missing, and evaluates a simulated model on them. Needs no key of any provider. */
import { type EvaluationResponse, type InWorkspace, isDrydockError } from '@drydock/sdk';
import { drydock } from '../api/client.ts';
import { SAMPLE_TASKS, type SampleTask } from './sample-tasks.ts';

const BLOCK = 512;
const encoder = new TextEncoder();
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

/** Packs small text files into a tar.gz, as bundles of the registry are sent. */
async function packFiles(files: Readonly<Record<string, string>>): Promise<Blob> {
  const parts = Object.entries(files).flatMap(([path, text]) => {
    const content = encoder.encode(text);
    const padding = new Uint8Array((BLOCK - (content.length % BLOCK)) % BLOCK);
    return [toHeader(path, content.length), content, padding];
  });
  // An archive ends with two empty blocks.
  const tar = new Blob([...parts, new Uint8Array(2 * BLOCK)]);
  return new Response(tar.stream().pipeThrough(new CompressionStream('gzip'))).blob();
}

/** A header of the format ustar: fields of fixed size, numbers in octal, and a sum of all bytes. */
function toHeader(path: string, sizeBytes: number): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(BLOCK);
  const put = (offset: number, text: string) => header.set(encoder.encode(text), offset);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  put(0, path);
  put(100, `${octal(0o644, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0${octal(sizeBytes, 11)}\0${octal(0, 11)}\0`);
  put(148, '        0');
  put(257, 'ustar\0');
  put(263, '00');
  const sum = header.reduce((total, byte) => total + byte, 0);
  put(148, `${octal(sum, 6)}\0 `);
  return header;
}
