/**
 * Makes a tiny language model that knows nothing, and publishes it, so that training works without a model hub. `npm run demo:model --
 * --url … --key …` publishes it to a server that runs.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Drydock } from '../../sdk/src/drydock.ts';
import { findTrainerPython } from '../training-packages.ts';
import { publish, VERSION, WHERE } from './publish.ts';

export const DEMO_MODEL = 'demo-llama';
const SOURCE = join(import.meta.dirname, '../../trainer/src');

/** @param python an interpreter with the packages of the trainer */
export async function publishDemoModel(drydock: Drydock, python: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-model-'));
  try {
    const made = spawnSync(python, ['-m', 'drydock_trainer', 'demo-model', '--out', folder], {
      env: { ...process.env, PYTHONPATH: SOURCE },
      encoding: 'utf8',
    });
    if (made.status !== 0) throw new Error(`The demo model could not be made:\n${made.stderr}`);
    const paths = readdirSync(folder).filter((path) => path !== 'model.yaml');
    const files = Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path))]));
    const manifest = {
      architecture: 'LlamaForCausalLM',
      pretty_name: 'Demo Llama',
      summary: 'A tiny Llama with random weights. It knows nothing and learns ten facts in seconds on a CPU.',
      task: 'text-generation',
      tags: ['demo'],
    };
    await publish(drydock.models, { name: DEMO_MODEL, manifest, files });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return `${WHERE.org}/${DEMO_MODEL}@${VERSION}`;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { url: { type: 'string' }, key: { type: 'string' } } });
  const python = findTrainerPython();
  if (python === undefined) {
    console.error(
      'The trainer is not installed. Install it with "npm run setup -- --training" (about 6 GB).',
    );
    process.exit(1);
  }
  const drydock = new Drydock({
    ...(values.url !== undefined && { baseUrl: values.url }),
    ...(values.key !== undefined && { apiKey: values.key }),
  });
  console.log(`Published ${await publishDemoModel(drydock, python)}.`);
}
