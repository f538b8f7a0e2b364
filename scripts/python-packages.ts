/** The Python packages that tests need, in a virtual environment of this checkout. */
import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from './system-packages.ts';

const FOLDER = join(import.meta.dirname, '../.python');
const WANTED = join(import.meta.dirname, 'python-requirements.txt');

/** Returns the interpreter with the packages; undefined if `npm run setup -- --tests` has not installed them, or has installed others. */
export function findPython(folder = FOLDER, wanted = WANTED): string | undefined {
  const installed = join(folder, 'requirements.txt');
  const isCurrent = existsSync(installed) && readFileSync(installed, 'utf8') === readFileSync(wanted, 'utf8');
  return isCurrent ? join(folder, 'bin/python') : undefined;
}

/** @returns what is still missing, or nothing */
export function installPython(folder = FOLDER, wanted = WANTED): string {
  if (findPython(folder, wanted)) return '';
  rmSync(folder, { recursive: true, force: true });
  const [python, pip] = [findProgram('python3'), findProgram('pip3')];
  const isDone =
    python !== undefined &&
    pip !== undefined &&
    succeeds(python, '-m', 'venv', '--without-pip', folder) &&
    succeeds(pip, '--python', join(folder, 'bin/python'), 'install', '--quiet', '--requirement', wanted);
  // Written last, so that an interrupted installation does not count as complete.
  if (isDone) copyFileSync(wanted, join(folder, 'requirements.txt'));
  return isDone ? '' : describeMissingPython();
}

export const describeMissingPython = () =>
  'Missing: the Python packages of scripts/python-requirements.txt, needed for the tests with the SDKs for Python ' +
  'of OpenTelemetry, OpenAI and Anthropic.\nInstall them with "npm run setup -- --tests", or go on without.';

function succeeds(command: string, ...args: string[]): boolean {
  const options: SpawnSyncOptions = { stdio: ['ignore', 'inherit', 'inherit'] };
  return spawnSync(command, args, options).status === 0;
}
