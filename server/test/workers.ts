/** Job workers for the tests: all kinds of jobs, on the database and the storage of a test server. */
import { type Background, startBackground } from '../src/background.ts';
import { loadConfig } from '../src/config.ts';
import { Inference } from '../src/inference/service.ts';
import { openOperator } from '../src/open-sandboxes.ts';
import { openLocalFiles } from '../src/platform/analytics/local-files.ts';
import type { Db } from '../src/platform/db/connect.ts';
import type { JobQueue } from '../src/platform/jobs/queue.ts';
import { createLog } from '../src/platform/log.ts';
import { Metrics } from '../src/platform/metrics/metrics.ts';
import type { ObjectStorage } from '../src/platform/object-storage/object-storage.ts';
import { createVault } from '../src/platform/secrets/envelope.ts';
import { Sandboxes } from '../src/runtimes/service.ts';
import { atEndOfFile } from './end-of-file.ts';
import type { TestSandboxes } from './sandboxes.ts';

interface Place {
  readonly db: Db;
  readonly storage: ObjectStorage;
  readonly url: string;
  /** The host of the test server; when omitted, the worker reaches no sandboxes. */
  readonly sandboxes?: Pick<TestSandboxes, 'operator'> | undefined;
  /** The key of the server, for a worker that reads its secrets. */
  readonly secretKey?: string;
  /** Whether providers may be servers of the test. */
  readonly allowsPrivate?: boolean;
  readonly credits?: 'unlimited' | 'enforced';
}

/** Stops when the test file ends, or earlier by its `stop`. */
export const startTestWorker = (place: Place): Promise<Background> => start(place, 'worker');

/** Starts at the first use, since most tests need none. */
export function lazyQueue(place: Place): Pick<JobQueue, 'enqueue'> {
  let started: Promise<Background> | undefined;
  return {
    enqueue: async (trx, kind, job) => {
      started ??= start(place, 'server');
      await (await started).queue.enqueue(trx, kind, job);
    },
  };
}

async function start(place: Place, role: 'server' | 'worker'): Promise<Background> {
  const { db, storage, url, secretKey = 'the key of a worker that reaches no host' } = place;
  const log = createLog('fatal');
  const config = loadConfig({});
  const secretKeys = { current: secretKey, other: undefined };
  const local = await openLocalFiles();
  const vault = createVault(secretKey);
  const { credits = config.credits, allowsPrivate = false } = place;
  const inference = new Inference({ db, vault, log, credits, allowsPrivate });
  const operator = place.sandboxes?.operator ?? openOperator({ config, secretKeys, db });
  const background = await startBackground({
    config: { role, database: config.database },
    url,
    db,
    storage,
    local,
    inference,
    vault,
    sandboxes: new Sandboxes({ db, operator, log }),
    log,
    metrics: new Metrics(log),
  });
  let stopped: Promise<void> | undefined;
  const close = async () => {
    await background.stop();
    await inference.close();
    await local.close();
  };
  const stop = () => (stopped ??= close());
  atEndOfFile(stop);
  return { ...background, stop };
}
