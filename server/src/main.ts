/** The server process: loads the configuration, opens the database, starts the application, listens, and shuts down in order. */
import { constants } from 'node:os';
import { join } from 'node:path';
import { type FirstOwner, prepareFirstStart } from './accounts/first-start.ts';
import { type AppOptions, buildApp } from './app.ts';
import { type Background, startBackground } from './background.ts';
import { describeStop, printAddress, printFirstOwner, printWorker } from './banner.ts';
import { type Config, ignoredVariables, loadConfig } from './config.ts';
import { explainError } from './explain-error.ts';
import { Inference, type InferenceOptions } from './inference/service.ts';
import { hostUrlOf, openOperator, openSandboxes } from './open-sandboxes.ts';
import { type OpenStorage, openStorage } from './open-storage.ts';
import { type OpenTrainer, openTrainer } from './open-trainer.ts';
import { warnIfUnconfined } from './platform/analytics/confinement.ts';
import { openLocalFiles } from './platform/analytics/local-files.ts';
import { openDataDirectory, requireOwnData } from './platform/data-directory.ts';
import { findBundledBinaries } from './platform/db/bundled-binaries.ts';
import { BundledPostgres } from './platform/db/bundled-postgres.ts';
import { connect, type Db } from './platform/db/connect.ts';
import { migrate } from './platform/db/migrate.ts';
import { requireNamedStatements } from './platform/db/named-statements.ts';
import { findPostmaster } from './platform/db/postmaster-file.ts';
import { requireConnection } from './platform/db/require-connection.ts';
import { createLog, type Log } from './platform/log.ts';
import { listenForScrapes, Metrics } from './platform/metrics/metrics.ts';
import { addPoolGauges, watchProcess } from './platform/metrics/process-metrics.ts';
import { createVault } from './platform/secrets/envelope.ts';
import { readSecretKeys } from './platform/secrets/secret-key.ts';
import { DiskReserve } from './platform/storage-limits/disk-reserve.ts';
import { toQuotas, writeQuotas } from './platform/storage-limits/quotas.ts';
import { requireFreePorts } from './ports.ts';
import { forgottenOrphans } from './runtimes/removal/members.ts';
import type { SandboxHost } from './runtimes/sandbox-host.ts';
import { Sandboxes } from './runtimes/service.ts';
import { makeDaysAhead } from './traces/retention/partitions.ts';

/** The process ends after this time in any case: a database that does not respond would block the shutdown for ever. */
const STOP_MS = 25_000;
/** Requests that are still running after this time are cut off. */
const DRAIN_MS = 10_000;
const IDLE_CHECK_MS = 100;
/** Ctrl-C in a terminal reaches the whole process group, and npm forwards it a second time: signals this close count as one. */
const SAME_SIGNAL_MS = 500;

/** The parts that have been started, for a shutdown that reports what it waits for, or that cannot wait. */
interface Parts {
  postgres?: BundledPostgres;
  metrics?: Metrics;
  background?: Background;
}

async function start(config: Config, log: Log, parts: Parts): Promise<() => Promise<void>> {
  const undo: (() => Promise<void>)[] = [];
  const stop = async () => {
    const failures: unknown[] = [];
    for (const step of undo.splice(0).toReversed())
      await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };
  try {
    const { db, directUrl } = await openDatabase(config, log, parts, undo);
    const metrics = new Metrics(log);
    parts.metrics = metrics;
    watchProcess(metrics);
    addPoolGauges(metrics, db);
    if (config.metricsPort) undo.push(await listenForScrapes(metrics, config.metricsPort));
    const secretKeys = readSecretKeys(config, log);
    const owner = await prepareFirstStart(db, config.init, secretKeys);
    await makeDaysAhead(db);
    const disk = await limitStorage(config, db);
    const opened = await openStorage({ config, secretKeys, db, disk, log, metrics });
    undo.push(opened.close);
    const { storage } = opened;
    const local = await openLocalFiles();
    undo.push(local.close);
    const vault = createVault(secretKeys.current, secretKeys.other);
    const trainer = openTrainer({ config, db, storage, log });
    undo.push(() => trainer.close());
    const inference = openInference(config, { db, vault, log, localModels: trainer.localModels });
    undo.push(() => inference.close());
    const sandboxes =
      config.role === 'worker'
        ? undefined
        : await openSandboxes({ config, secretKeys, db, storage, disk, log, metrics });
    if (sandboxes) undo.push(() => sandboxes.close());
    const operator = sandboxes?.operator ?? openOperator({ config, secretKeys, db });
    const background = await startBackground({
      config,
      url: directUrl,
      db,
      storage,
      local,
      inference,
      vault,
      sandboxes: new Sandboxes({ db, operator, log }),
      moreCleanUps: [...opened.cleanUps, forgottenOrphans(operator)],
      log,
      metrics,
    });
    parts.background = background;
    undo.push(() => background.stop());
    if (config.role === 'worker') {
      printFirstOwner(owner);
      printWorker();
    } else {
      const keys = { secretKey: secretKeys.current, otherSecretKey: secretKeys.other };
      const tools = {
        config,
        db,
        storage,
        disk,
        local,
        inference,
        directUrl,
        log,
        metrics,
        sandboxes,
      };
      undo.push(await serve({ ...keys, ...tools, queue: background.queue }, opened, owner, trainer));
    }
    const probed = warnIfUnconfined(log);
    // Waited for after all else has stopped, since the trial query of a busy machine takes seconds.
    undo.unshift(() => probed);
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

const openInference = (
  { credits, inference: { allowPrivateProviders: allowsPrivate } }: Config,
  parts: Pick<InferenceOptions, 'db' | 'vault' | 'log' | 'localModels'>,
) => new Inference({ ...parts, credits, allowsPrivate });

/** Stores the quotas, and opens the reserve of the disk with the data directory. */
async function limitStorage(
  { dataDir, diskReserve, quotas, s3, database, role }: Config,
  db: Db,
): Promise<DiskReserve> {
  const isLocal = { objects: !s3, registry: !s3, runtimes: role !== 'worker', spans: !database.url };
  await writeQuotas(db, await toQuotas(quotas, dataDir, isLocal));
  return new DiskReserve(dataDir, diskReserve);
}

/**
 * Starts the bundled PostgreSQL when no other is configured, migrates it and connects to it. Every condition that could keep this process
 * from starting is checked before any file is created, in the order of docs/design/start.md.
 */
async function openDatabase(config: Config, log: Log, parts: Parts, undo: (() => Promise<void>)[]) {
  const { database } = config;
  checkDataDirectory(config);
  // A postmaster may belong to another server in this directory, which then also holds the ports: starting PostgreSQL refuses that case
  // first. Otherwise a killed server has left the postmaster behind, and the ports are checked after it has ended.
  const hasPostmaster = !database.url && findPostmaster(join(config.dataDir, 'postgres')) !== undefined;
  if (!hasPostmaster) await requireFreePorts(config);
  const postgres = database.url ? undefined : await startPostgres(config, log);
  if (postgres) {
    parts.postgres = postgres;
    undo.push(() => postgres.stop());
  }
  if (hasPostmaster) await requireFreePorts(config);
  const url = database.url ?? postgres?.url ?? '';
  const directUrl = database.directUrl ?? url;
  if (database.url) await checkGivenDatabase(url, directUrl, database.namedStatements);
  await migrate({ url: directUrl, log });
  const db = connect({ ...database, url, log });
  undo.push(() => db.destroy());
  return { db, directUrl };
}

function checkDataDirectory({ dataDir, database, s3, role }: Config): void {
  // A worker with a database and an S3 elsewhere writes no files.
  if (database.url && s3 && role === 'worker') return;
  openDataDirectory(dataDir);
  requireOwnData(dataDir);
}

async function checkGivenDatabase(url: string, directUrl: string, namedStatements: boolean): Promise<void> {
  await requireConnection(url, 'DATABASE_URL');
  if (directUrl !== url) await requireConnection(directUrl, 'DATABASE_DIRECT_URL');
  if (namedStatements) await requireNamedStatements(url);
}

/** @returns a function that shuts the server down: it accepts no new requests and completes the running ones */
async function serve(
  options: AppOptions & { readonly sandboxes: SandboxHost | undefined },
  { storage, drain }: OpenStorage,
  owner: FirstOwner | undefined,
  trainer: OpenTrainer,
): Promise<() => Promise<void>> {
  const { config } = options;
  const app = await buildApp({ ...options, ...trainer });
  await app.listen({ host: config.host, port: config.port });
  const url = hostUrlOf(config, app.server.address());
  await options.sandboxes?.announce(url);
  trainer.supervise(url);
  // Credentials are printed last, when nothing can keep this process from serving any more.
  printFirstOwner(owner);
  printAddress(config, app.server.address(), storage.endpoint);
  return async () => {
    // A connection becomes idle only when its last response has been sent.
    const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS);
    const cut = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
    await Promise.all([app.close(), drain()]);
    clearInterval(idle);
    clearTimeout(cut);
  };
}

function startPostgres(config: Config, log: Log): Promise<BundledPostgres> {
  return BundledPostgres.start({
    dataDir: config.dataDir,
    binaries: findBundledBinaries(),
    log,
    onLost: () => {
      process.exitCode = 1;
      process.kill(process.pid, 'SIGTERM');
    },
  });
}

async function run(): Promise<void> {
  const config = loadConfig(process.env);
  const log = createLog(config.logLevel, config.logFormat);
  const ignored = ignoredVariables(process.env);
  if (ignored.length > 0) log.warn(`not settings of Drydock, and ignored: ${ignored.join(', ')}`);
  const parts: Parts = {};
  // The start begins in the next turn of the event loop, when the signal handlers are set.
  const starting = Promise.resolve().then(() => start(config, log, parts));
  let isStarted = false;
  let stoppedAt: number | undefined;
  // A signal during the start is handled too: the parts that have been started are stopped in order.
  const shutDown = (signal: NodeJS.Signals) => {
    if (stoppedAt !== undefined) {
      if (performance.now() - stoppedAt > SAME_SIGNAL_MS) stopNow(signal, parts);
      return;
    }
    stoppedAt = performance.now();
    setTimeout(() => fail(`Not everything has ended within ${STOP_MS / 1_000} s.`), STOP_MS).unref();
    if (!isStarted) console.error('Stopping once the start is done. Send the signal again to stop now.');
    const stop = async () => {
      const undo = await starting;
      if (isStarted) console.error((await describeStop(parts, DRAIN_MS)).join('\n'));
      await undo();
      process.exit();
    };
    stop().catch(fail);
  };
  process.on('SIGTERM', shutDown).on('SIGINT', shutDown);
  await starting;
  isStarted = true;
}

/** Ends the process at once. PostgreSQL shuts down by itself; the next start resumes the remaining work, as after a kill. */
function stopNow(signal: NodeJS.Signals, { postgres }: Parts): never {
  console.error('Stopped at once: what was still running is cut off.');
  postgres?.stopSoon();
  process.exit(128 + constants.signals[signal]);
}

function fail(error: unknown): never {
  console.error(explainError(error));
  process.exit(1);
}

await run().catch(fail);
