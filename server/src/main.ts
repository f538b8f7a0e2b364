/** The server process: configuration, database, application, listening, and the way back down. */
import { prepareFirstStart } from './accounts/first-start.ts';
import { type AppOptions, buildApp } from './app.ts';
import { startBackground } from './background.ts';
import { printAddress, printFirstOwner, printWorker } from './banner.ts';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { Inference } from './inference/service.ts';
import { hostUrlOf, openOperator, openSandboxes } from './open-sandboxes.ts';
import { type OpenStorage, openStorage } from './open-storage.ts';
import { openLocalFiles } from './platform/analytics/local-files.ts';
import { DataDirectoryError } from './platform/data-directory-error.ts';
import { findBundledBinaries } from './platform/db/bundled-binaries.ts';
import { BundledPostgres } from './platform/db/bundled-postgres.ts';
import { connect } from './platform/db/connect.ts';
import { migrate } from './platform/db/migrate.ts';
import { requireNamedStatements } from './platform/db/named-statements.ts';
import { ApiError } from './platform/errors.ts';
import { createLog, type Log } from './platform/log.ts';
import { listenForScrapes } from './platform/metrics/listener.ts';
import { Metrics } from './platform/metrics/metrics.ts';
import { addPoolGauges } from './platform/metrics/pool-gauges.ts';
import { watchProcess } from './platform/metrics/process-metrics.ts';
import { createVault } from './platform/secrets/envelope.ts';
import { readSecretKeys } from './platform/secrets/secret-key.ts';
import { DiskReserve } from './platform/storage-limits/disk-reserve.ts';
import { toQuotas, writeQuotas } from './platform/storage-limits/quotas.ts';
import { forgottenOrphans } from './runtimes/removal/members.ts';
import type { SandboxHost } from './runtimes/sandbox-host.ts';
import { Sandboxes } from './runtimes/service.ts';
import { makeDaysAhead } from './traces/retention/partitions.ts';

/** After this long the process ends, whatever still waits: a database that is silent would hold it for ever. */
const STOP_MS = 25_000;
/** After this long, requests that have not ended are cut off. */
const DRAIN_MS = 10_000;
const IDLE_CHECK_MS = 100;

async function start(config: Config, log: Log): Promise<() => Promise<void>> {
  const undo: (() => Promise<void>)[] = [];
  const stop = async () => {
    const failures: unknown[] = [];
    for (const step of undo.splice(0).toReversed())
      await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };
  try {
    const { db, directUrl } = await openDatabase(config, log, undo);
    const metrics = new Metrics(log);
    watchProcess(metrics);
    addPoolGauges(metrics, db);
    if (config.metricsPort) undo.push(await listenForScrapes(metrics, config.metricsPort));
    // At once, whatever happens next: it is not kept anywhere.
    printFirstOwner(await prepareFirstStart(db, config.init));
    await makeDaysAhead(db);
    await writeQuotas(db, await toQuotas(config.quotas, config.dataDir));
    const disk = new DiskReserve(config.dataDir, config.diskReserve);
    const secretKeys = readSecretKeys(config, log);
    const opened = await openStorage({ config, secretKeys, db, disk, log, metrics });
    undo.push(opened.close);
    const { storage } = opened;
    const local = await openLocalFiles();
    undo.push(local.close);
    const inference = new Inference({
      db,
      vault: createVault(secretKeys.current, secretKeys.other),
      log,
      credits: config.credits,
      allowsPrivate: config.inference.allowPrivateProviders,
    });
    undo.push(() => inference.close());
    const sandboxes =
      config.role === 'worker'
        ? undefined
        : await openSandboxes({
            config,
            secretKeys,
            db,
            storage,
            log,
            metrics,
            reserveBytes: await disk.bytesLeftByFiles(),
          });
    if (sandboxes) undo.push(() => sandboxes.close());
    const operator = sandboxes?.operator ?? openOperator({ config, secretKeys, db });
    const background = await startBackground({
      config,
      url: directUrl,
      db,
      storage,
      local,
      inference,
      sandboxes: new Sandboxes({ db, operator, log }),
      moreCleanUps: [...opened.cleanUps, forgottenOrphans(operator)],
      log,
      metrics,
    });
    undo.push(() => background.stop());
    if (config.role === 'worker') printWorker();
    else {
      const { current: secretKey, other: otherSecretKey } = secretKeys;
      const { queue } = background;
      const app = {
        config,
        secretKey,
        otherSecretKey,
        db,
        storage,
        disk,
        local,
        inference,
        queue,
        directUrl,
        log,
        metrics,
        sandboxes,
      };
      undo.push(await serve(app, opened));
    }
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts the bundled PostgreSQL when no other is configured, migrates it and connects to it. */
async function openDatabase(config: Config, log: Log, undo: (() => Promise<void>)[]) {
  const postgres = config.database.url ? undefined : await startPostgres(config, log);
  if (postgres) undo.push(() => postgres.stop());
  const url = config.database.url ?? postgres?.url ?? '';
  if (config.database.url && config.database.namedStatements) await requireNamedStatements(url);
  const directUrl = config.database.directUrl ?? url;
  await migrate({ url: directUrl, log });
  const db = connect({ ...config.database, url, log });
  undo.push(() => db.destroy());
  return { db, directUrl };
}

/** @returns how to end it: no new requests, and those under way are answered */
async function serve(
  options: AppOptions & { readonly sandboxes: SandboxHost | undefined },
  { storage, drain }: OpenStorage,
): Promise<() => Promise<void>> {
  const { config } = options;
  const app = await buildApp(options);
  await app.listen({ host: config.host, port: config.port });
  await options.sandboxes?.announce(hostUrlOf(config, app.server.address()));
  printAddress(config, app.server.address(), storage.endpoint);
  return async () => {
    // A connection whose last answer has just gone out is idle only now.
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
  const log = createLog(config.logLevel);
  // In the next turn: by then a signal is heard.
  const starting = Promise.resolve().then(() => start(config, log));
  let stopping: Promise<void> | undefined;
  // Also while it starts: what has been started by then is stopped in order.
  const shutDown = () => {
    if (stopping) return;
    setTimeout(() => fail(`Not everything has ended within ${STOP_MS / 1_000} s.`), STOP_MS).unref();
    stopping = starting.then((stop) => stop()).then(() => process.exit());
    stopping.catch(fail);
  };
  process.on('SIGTERM', shutDown).on('SIGINT', shutDown);
  await starting;
}

function fail(error: unknown): never {
  console.error(explain(error) ?? error);
  process.exit(1);
}

/** What a person can mend gets a sentence; everything else shows where it came from. */
function explain(error: unknown): string | undefined {
  if (error instanceof ConfigError || error instanceof DataDirectoryError || error instanceof ApiError)
    return error.message;
  const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code === 'EADDRINUSE')
    return `${address}:${port} is taken by another program; choose another with PORT, or DRYDOCK_S3_PORT for S3.`;
  return undefined;
}

await run().catch(fail);
