/** Installs what the trainer needs: PyTorch and the other libraries, in a virtual environment below the data directory. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { INSTALLED_MARK, trainerFolder } from '../server/src/training/local-trainer/installation.ts';
import { findProgram } from './system-packages.ts';

const REQUIREMENTS = join(import.meta.dirname, '../trainer/requirements.txt');
/** Measured: 5.9 GB installed, plus the archives of the packages during the installation. */
const NEEDED_GB = 10;

export const dataDirectory = () => resolve(process.env['DRYDOCK_DATA_DIR'] ?? '.drydock');

/** @returns the versions of a requirements file by package */
function readPackages(requirements: string): Record<string, string> {
  const lines = requirements.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(lines.map((line) => line.split('==') as [string, string]));
}

/**
 * A repeated installation changes nothing if the same versions are present.
 * @returns what is wrong, or nothing
 */
export function installTraining(
  folder = trainerFolder(dataDirectory()),
  requirements = REQUIREMENTS,
): string {
  const wanted = JSON.stringify({ packages: readPackages(readFileSync(requirements, 'utf8')) });
  const mark = join(folder, INSTALLED_MARK);
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return '';
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { bavail, bsize } = statfsSync(folder);
  const freeGb = (bavail * bsize) / 1e9;
  if (freeGb < NEEDED_GB)
    return `The trainer needs ${NEEDED_GB} GB of free space in ${folder}, which has ${freeGb.toFixed(1)}. Free some, or set DRYDOCK_DATA_DIR to a folder of a larger disk.`;
  const [python, pip] = [findProgram('python3'), findProgram('pip3')];
  if (python === undefined || pip === undefined)
    return 'The trainer needs Python 3.11, 3.12 or 3.13 with pip. Install both, such as with "apt-get install python3-venv python3-pip".';
  console.log(
    `Installing PyTorch and the libraries of the trainer into ${folder}: about 6 GB, and some minutes.`,
  );
  const venv = join(folder, 'venv');
  rmSync(mark, { force: true });
  // An interrupted installation is resumed: pip skips packages that are installed.
  if (!existsSync(join(venv, 'bin/python')) && !succeeds(python, '-m', 'venv', '--without-pip', venv))
    return `The virtual environment ${venv} could not be made; see above.`;
  const install = ['install', '--progress-bar', 'on', '--requirement', requirements];
  if (!succeeds(pip, '--python', join(venv, 'bin/python'), ...install))
    return 'The packages of the trainer could not be installed; see above. Run "npm run setup -- --training" again: it goes on where it stopped.';
  // The mark is written last, so that an interrupted installation does not count as complete.
  writeFileSync(mark, wanted);
  console.log('The trainer is installed. A server that starts from now on trains jobs by itself.');
  return '';
}

/** @returns the interpreter of the trainer; undefined if it is not installed */
export function findTrainerPython(): string | undefined {
  const given = process.env['DRYDOCK_TRAINER_PYTHON'];
  if (given) return given;
  const folder = trainerFolder(dataDirectory());
  return existsSync(join(folder, INSTALLED_MARK)) ? join(folder, 'venv/bin/python') : undefined;
}

function succeeds(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
}
