/** Finds the trainer beside this server: a Python with the packages, and the code of the trainer in this repository. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `npm run setup -- --training` writes this file last, so that what was broken off is not taken for whole. */
export const INSTALLED_MARK = 'installed.json';

export interface TrainerPlace {
  /** The folder of the server's data, in which the virtual environment and the work of trainers lie. */
  readonly dataDir: string;
  /** `DRYDOCK_TRAINER_PYTHON`: an interpreter that has the packages already. */
  readonly python: string | undefined;
  /** The code of the trainer; by default the folder in this repository. */
  readonly source?: string;
}

export interface TrainerProgram {
  readonly python: string;
  /** The folder of downloaded models and of checkpoints that are being written. */
  readonly workFolder: string;
  readonly environment: Readonly<Record<string, string>>;
}

const SOURCE = join(import.meta.dirname, '../../../../trainer/src');

export const trainerFolder = (dataDir: string) => join(dataDir, 'trainer');

/** @returns undefined where no trainer is installed */
export function findTrainer({ dataDir, python, source = SOURCE }: TrainerPlace): TrainerProgram | undefined {
  const folder = trainerFolder(dataDir);
  const own = existsSync(join(folder, INSTALLED_MARK)) ? join(folder, 'venv/bin/python') : undefined;
  const chosen = python ?? own;
  if (chosen === undefined || !existsSync(source)) return undefined;
  return {
    python: chosen,
    workFolder: join(folder, 'work'),
    environment: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: folder,
      PYTHONPATH: source,
      PYTHONUNBUFFERED: '1',
      TOKENIZERS_PARALLELISM: 'false',
      HF_HUB_OFFLINE: '1',
    },
  };
}

/** @returns a sentence for `GET …/training/backends` */
export function describeTrainer({ dataDir, python, source = SOURCE }: TrainerPlace): string {
  if (!existsSync(source))
    return `The code of the trainer is missing: there is no folder ${source}. Start the server from a complete checkout, or connect a trainer from another machine with "npm run trainer".`;
  if (python !== undefined) return `A trainer is started with ${python} when a job waits.`;
  const mark = join(trainerFolder(dataDir), INSTALLED_MARK);
  if (!existsSync(mark))
    return 'No trainer is installed beside the server. Install one with "npm run setup -- --training" (about 6 GB), and start the server again.';
  const { packages } = JSON.parse(readFileSync(mark, 'utf8')) as { packages: Record<string, string> };
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  return `A trainer is installed (${versions.join(', ')}) and started when a job waits.`;
}
