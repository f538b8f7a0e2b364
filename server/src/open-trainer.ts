/** The trainer beside this process, if one is installed: it trains waiting jobs and serves published models. */
import type { Config } from './config.ts';
import type { Db } from './platform/db/connect.ts';
import type { Log } from './platform/log.ts';
import type { ObjectStorage } from './platform/object-storage/object-storage.ts';
import { describeTrainer, findTrainer } from './training/local-trainer/installation.ts';
import { TrainerSupervisor } from './training/local-trainer/supervisor.ts';
import type { LocalTrainer } from './training/reading/backends.ts';
import { LocalModels } from './training/serving/local-models.ts';

export interface TrainerOptions {
  readonly config: Config;
  readonly db: Db;
  readonly storage: ObjectStorage;
  readonly log: Log;
}

export interface OpenTrainer {
  readonly localModels: LocalModels;
  readonly localTrainer: () => LocalTrainer;
  /**
   * Starts training the waiting jobs.
   * @param url where the trainer reaches this server
   */
  supervise(url: string): void;
  close(): Promise<void>;
}

export function openTrainer({ config, db, storage, log }: TrainerOptions): OpenTrainer {
  const place = { dataDir: config.dataDir, python: config.trainerPython };
  const program = findTrainer(place);
  const localModels = new LocalModels({ db, storage, program });
  let supervisor: TrainerSupervisor | undefined;
  return {
    localModels,
    localTrainer: () => ({
      installed: program !== undefined,
      detail: supervisor?.problem ?? describeTrainer(place),
    }),
    supervise(url) {
      if (program) supervisor = new TrainerSupervisor({ db, log, program, url, credits: config.credits });
    },
    async close() {
      await supervisor?.stop();
      await localModels.close();
    },
  };
}
