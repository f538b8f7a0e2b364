/** `npm run test:training`: the tests of the trainer with PyTorch, and real jobs against a real server. They take some minutes. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { findTrainerPython } from './training-packages.ts';

const ROOT = join(import.meta.dirname, '..');

const python = findTrainerPython();
if (python === undefined) {
  console.error(
    'The trainer is not installed. Install it with "npm run setup -- --training", or set DRYDOCK_TRAINER_PYTHON.',
  );
  process.exit(1);
}

const env = { ...process.env, DRYDOCK_TRAINER_PYTHON: python, OMP_NUM_THREADS: '1' };
const succeeds = (command: string, args: string[], cwd: string) =>
  spawnSync(command, args, { cwd, env, stdio: 'inherit' }).status === 0;

const isGood = [
  succeeds(python, ['-m', 'pytest', '-q'], join(ROOT, 'trainer')),
  succeeds('vitest', ['run', '--mode', 'nightly', 'server/test/training-round.nightly.test.ts'], ROOT),
];
process.exitCode = isGood.every(Boolean) ? 0 : 1;
