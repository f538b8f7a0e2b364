/**
 * `npm run trainer -- --url https://drydock.example.com --org main --workspace main`: connects a trainer on this machine to a server
 * anywhere. The key, whose scopes name `training:work`, comes from DRYDOCK_API_KEY. Other commands of the trainer follow the two dashes as
 * well: `npm run trainer -- doctor`.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { findTrainerPython } from './training-packages.ts';

const COMMANDS = new Set(['work', 'serve', 'demo-model', 'doctor']);

const python = findTrainerPython();
if (python === undefined) {
  console.error(
    'The trainer is not installed. Install it with "npm run setup -- --training" (about 6 GB), or set DRYDOCK_TRAINER_PYTHON to a Python that has the packages of trainer/requirements.txt.',
  );
  process.exit(1);
}
const given = process.argv.slice(2);
const args = COMMANDS.has(given[0] ?? '') ? given : ['work', ...given];
const env = { ...process.env, PYTHONPATH: join(import.meta.dirname, '../trainer/src') };
const { status } = spawnSync(python, ['-m', 'drydock_trainer', ...args], { stdio: 'inherit', env });
process.exit(status ?? 1);
