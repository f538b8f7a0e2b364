/** The background work of a process: every kind of job and every clean-up, in one list each. */
import { accountCleanUps } from './accounts/clean-ups.ts';
import { assessmentJob } from './airt/running/assessment-job.ts';
import { takeInLateSpans } from './airt/spans/materialize.ts';
import type { Config } from './config.ts';
import { evaluationJob } from './evaluations/running/evaluation-job.ts';
import { exportJob } from './exports/jobs/export-job.ts';
import { exportFiles } from './exports/jobs/files.ts';
import { gateCheckJob } from './gates/check-job.ts';
import type { Inference } from './inference/service.ts';
import { openSqlTables } from './open-sql-tables.ts';
import { optimizationJob } from './optimization/running/optimization-job.ts';
import type { LocalFiles } from './platform/analytics/local-files.ts';
import { deadWorkFolders } from './platform/analytics/work-folder.ts';
import type { CleanUp } from './platform/clean-up.ts';
import type { Db } from './platform/db/connect.ts';
import { forgetOldIdempotencyKeys } from './platform/idempotency/store.ts';
import { addJobGauges } from './platform/jobs/gauges.ts';
import type { JobDefinition } from './platform/jobs/job-kind.ts';
import { wakeForgotten } from './platform/jobs/missing-wake-ups.ts';
import { JobQueue } from './platform/jobs/queue.ts';
import { JobWorker } from './platform/jobs/worker.ts';
import { forgetOldWindows } from './platform/limits/windows.ts';
import type { Log } from './platform/log.ts';
import { foldCredits } from './platform/metering/credits.ts';
import { forgetOldReservations } from './platform/metering/reservations.ts';
import type { Metrics } from './platform/metrics/metrics.ts';
import { deleteAbandonedObjects } from './platform/object-storage/abandoned-prefixes.ts';
import type { ObjectStorage } from './platform/object-storage/object-storage.ts';
import type { Vault } from './platform/secrets/envelope.ts';
import { startSweeper } from './platform/sweeper/sweeper.ts';
import { registryCleanUps } from './registry/blobs.ts';
import { downloadCleanUps } from './registry/downloads/clean-ups.ts';
import { conversionJob } from './registry/downloads/conversion-job.ts';
import { watchLostHosts } from './runtimes/hosts/lost-hosts.ts';
import type { Sandboxes } from './runtimes/service.ts';
import { forgetOldDeletions } from './sessions/metadata/store.ts';
import { traceCleanUps } from './traces/retention/clean-ups.ts';
import { trainingCleanUps } from './training/clean-ups.ts';

/** Exceeds the time limit of an export. */
const EXPORT_ROWS_MS = 3_600_000;

/** Parts of the process that a job may use. */
export type JobTools = Pick<BackgroundOptions, 'db' | 'storage' | 'local' | 'inference' | 'sandboxes'>;

export interface BackgroundOptions {
  readonly config: Pick<Config, 'role' | 'database'>;
  /** The direct PostgreSQL address, if there is one. */
  readonly url: string;
  readonly db: Db;
  readonly storage: ObjectStorage;
  readonly local: LocalFiles;
  readonly inference: Inference;
  readonly vault: Vault;
  readonly sandboxes: Sandboxes;
  /** Additional kinds of jobs, for benchmarks and tests. */
  readonly moreJobs?: (tools: JobTools) => readonly JobDefinition[];
  /** Clean-ups of parts that only some processes have. */
  readonly moreCleanUps?: readonly CleanUp[];
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface Background {
  readonly queue: JobQueue;
  /** Number of jobs that this process is running. */
  readonly runningJobs: number;
  stop(): Promise<void>;
}

export async function startBackground({
  config,
  url,
  db,
  storage,
  local,
  inference,
  vault,
  sandboxes,
  moreJobs = () => [],
  moreCleanUps = [],
  log,
  metrics,
}: BackgroundOptions): Promise<Background> {
  const isWorker = config.role !== 'server';
  const { environment } = config.database;
  const sql = openSqlTables({ db, directUrl: url, statementTimeoutMs: EXPORT_ROWS_MS, environment });
  const queue = new JobQueue({ url, db, log, isWorker });
  const kinds: readonly JobDefinition[] = [
    conversionJob({ db, storage, local }),
    exportJob({ db, storage, local, sql }),
    evaluationJob({ db, storage, inference, sandboxes }),
    optimizationJob({ db, storage, inference, queue }),
    assessmentJob({ db, vault, inference, queue }),
    gateCheckJob({ db, storage, local, inference, queue }),
    ...moreJobs({ db, storage, local, inference, sandboxes }),
  ];
  await queue.start(kinds);
  // Runs in every role: this may be the only process that is left.
  const unwatch = watchLostHosts(db, log);
  const stopQueue = async () => {
    await unwatch();
    await queue.stop();
  };
  if (!isWorker) return { queue, runningJobs: 0, stop: stopQueue };

  addJobGauges(metrics, queue);
  const worker = new JobWorker({ queue, db, log, kinds });
  await worker.start();
  const cleanUps = [
    wakeForgotten(queue, kinds),
    ...accountCleanUps,
    { name: 'idempotency keys', run: forgetOldIdempotencyKeys },
    { name: 'rate limits', run: forgetOldWindows },
    { name: 'credit deltas', run: (on: Db) => foldCredits(on) },
    { name: 'credit reservations', run: (on: Db) => forgetOldReservations(on) },
    ...downloadCleanUps,
    ...registryCleanUps(storage),
    // Runs before the clean-ups that delete the rows it reads.
    { name: 'late spans of assessments', run: takeInLateSpans },
    ...traceCleanUps(),
    { name: 'deleted sessions', run: forgetOldDeletions },
    exportFiles(storage),
    ...trainingCleanUps,
    deadWorkFolders,
    deleteAbandonedObjects(storage),
    sandboxes.cleanUp,
    ...moreCleanUps,
  ];
  await startSweeper({ queue, db, log, cleanUps });
  return {
    queue,
    get runningJobs() {
      return worker.runningCount;
    },
    stop: async () => {
      worker.stop();
      await stopQueue();
    },
  };
}
