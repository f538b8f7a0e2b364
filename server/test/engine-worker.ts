/** A worker process without HTTP that runs an engine's job beside the platform's own; HOLDS=1 stops jobs at their moments. */
import { startBackground } from '../src/background.ts';
import { loadConfig } from '../src/config.ts';
import { Inference } from '../src/inference/service.ts';
import { openOperator } from '../src/open-sandboxes.ts';
import { openStorage } from '../src/open-storage.ts';
import { openLocalFiles } from '../src/platform/analytics/local-files.ts';
import { connect } from '../src/platform/db/connect.ts';
import { createLog } from '../src/platform/log.ts';
import { Metrics } from '../src/platform/metrics/metrics.ts';
import { createVault } from '../src/platform/secrets/envelope.ts';
import { readSecretKeys } from '../src/platform/secrets/secret-key.ts';
import { Sandboxes } from '../src/runtimes/service.ts';
import { engineJob } from './engine-job.ts';

const config = loadConfig(process.env);
const url = config.database.url ?? '';
const log = createLog('warn');
const db = connect({ ...config.database, url, log });
const secretKeys = readSecretKeys(config, log);
const metrics = new Metrics(log);
const { storage } = await openStorage({ config, secretKeys, db, log, metrics });
const { credits, inference } = config;
const vault = createVault(secretKeys.current);
await startBackground({
  config,
  url,
  db,
  storage,
  local: await openLocalFiles(),
  inference: new Inference({
    db,
    vault,
    log,
    credits,
    allowsPrivate: inference.allowPrivateProviders,
  }),
  vault,
  sandboxes: new Sandboxes({ db, operator: openOperator({ config, secretKeys, db }), log }),
  moreJobs: (tools) => [engineJob(tools, { holds: process.env.HOLDS === '1' })],
  log,
  metrics,
});
console.log('working');
