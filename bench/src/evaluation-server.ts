/** A whole server in this process, as one command starts it, which records how long it waits for the sandboxes of each runtime. */
import { buildApp } from '@drydock/server/src/app.ts';
import { startBackground } from '@drydock/server/src/background.ts';
import { loadConfig } from '@drydock/server/src/config.ts';
import { Inference } from '@drydock/server/src/inference/service.ts';
import { openSandboxes } from '@drydock/server/src/open-sandboxes.ts';
import { openStorage } from '@drydock/server/src/open-storage.ts';
import { openLocalFiles } from '@drydock/server/src/platform/analytics/local-files.ts';
import { connect } from '@drydock/server/src/platform/db/connect.ts';
import { createLog } from '@drydock/server/src/platform/log.ts';
import { Metrics } from '@drydock/server/src/platform/metrics/metrics.ts';
import { createVault } from '@drydock/server/src/platform/secrets/envelope.ts';
import { DiskReserve } from '@drydock/server/src/platform/storage-limits/disk-reserve.ts';
import type { RuntimeOperator } from '@drydock/server/src/runtimes/operator.ts';
import { Sandboxes } from '@drydock/server/src/runtimes/service.ts';

export type Interval = readonly [from: number, to: number];

export interface TimedServer {
  readonly origin: string;
  /** Times at which the server waited for a sandbox, by the id of its runtime: starts, commands, ends and removals. */
  readonly times: ReadonlyMap<string, readonly Interval[]>;
}

export async function startTimedServer(
  env: Record<string, string>,
  undo: AsyncDisposableStack,
): Promise<TimedServer> {
  const config = loadConfig({ ...env, PORT: '0' });
  const log = createLog('warn');
  const url = env.DATABASE_URL ?? '';
  const db = connect({ ...config.database, url, log });
  undo.defer(() => db.destroy());
  const secretKey = env.DRYDOCK_SECRET_KEY ?? '';
  const secretKeys = { current: secretKey, other: undefined };
  const metrics = new Metrics(log);
  const disk = new DiskReserve(config.dataDir, config.diskReserve);
  const opened = await openStorage({ config, secretKeys, db, disk, log, metrics });
  undo.defer(opened.close);
  const { storage } = opened;
  const local = await openLocalFiles();
  undo.defer(() => local.close());
  const vault = createVault(secretKey);
  const inference = new Inference({ db, vault, log, credits: config.credits, allowsPrivate: false });
  undo.defer(() => inference.close());
  const host = await openSandboxes({ config, secretKeys, db, storage, disk, log, metrics });
  undo.defer(() => host.close());
  const { operator, times } = timed(host.operator);
  const sandboxes = new Sandboxes({ db, operator, log });
  const background = await startBackground({
    config,
    url,
    db,
    storage,
    local,
    inference,
    vault,
    sandboxes,
    log,
    metrics,
  });
  undo.defer(() => background.stop());
  const { queue } = background;
  const shared = { db, storage, local, inference, sandboxes: host, queue, log, metrics };
  const app = await buildApp({ config, secretKey, directUrl: url, ...shared });
  undo.defer(() => app.close());
  return { origin: await app.listen({ host: '127.0.0.1', port: 0 }), times };
}

function timed(operator: RuntimeOperator): { operator: RuntimeOperator; times: Map<string, Interval[]> } {
  const times = new Map<string, Interval[]>();
  const note = (runtimeId: string, since: number) =>
    times.set(runtimeId, [...(times.get(runtimeId) ?? []), [since, performance.now()]]);
  const own = {
    start: operator.start.bind(operator),
    end: operator.end.bind(operator),
    delete: operator.delete.bind(operator),
    takeWorkspace: operator.takeWorkspace.bind(operator),
    exec: operator.exec.bind(operator),
  };
  operator.start = (target, ...rest) => measured(target.runtimeId, () => own.start(target, ...rest));
  operator.end = (target, ...rest) => measured(target.runtimeId, () => own.end(target, ...rest));
  operator.delete = (target, ...rest) => measured(target.runtimeId, () => own.delete(target, ...rest));
  operator.takeWorkspace = (target, ...rest) =>
    measured(target.runtimeId, () => own.takeWorkspace(target, ...rest));
  operator.exec = async (target, ...rest) => {
    const since = performance.now();
    const execution = await own.exec(target, ...rest);
    void execution.exit.then(() => note(target.runtimeId, since));
    return execution;
  };
  async function measured<T>(runtimeId: string, work: () => Promise<T>): Promise<T> {
    const since = performance.now();
    try {
      return await work();
    } finally {
      note(runtimeId, since);
    }
  }
  return { operator, times };
}

/** Milliseconds that at least one of these intervals covers: waits may overlap. */
export function coveredMs(intervals: readonly Interval[]): number {
  let [covered, end] = [0, Number.NEGATIVE_INFINITY];
  for (const [from, to] of intervals.toSorted(([a], [b]) => a - b)) {
    covered += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return covered;
}
