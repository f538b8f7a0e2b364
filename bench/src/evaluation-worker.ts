/** A worker in this process, which notes how long it waits for the sandboxes of each runtime. */
import { startBackground } from '@drydock/server/src/background.ts';
import { loadConfig } from '@drydock/server/src/config.ts';
import { Inference } from '@drydock/server/src/inference/service.ts';
import { openOperator } from '@drydock/server/src/open-sandboxes.ts';
import { openStorage } from '@drydock/server/src/open-storage.ts';
import { openLocalFiles } from '@drydock/server/src/platform/analytics/local-files.ts';
import { connect } from '@drydock/server/src/platform/db/connect.ts';
import { createLog } from '@drydock/server/src/platform/log.ts';
import { Metrics } from '@drydock/server/src/platform/metrics/metrics.ts';
import { createVault } from '@drydock/server/src/platform/secrets/envelope.ts';
import type { RuntimeOperator } from '@drydock/server/src/runtimes/lifecycle/operator.ts';
import { Sandboxes } from '@drydock/server/src/runtimes/service.ts';

export type Interval = readonly [from: number, to: number];

export interface TimedWorker {
  /** When the worker waited for a sandbox, by the id of its runtime: starts, commands, ends and removals. */
  readonly times: ReadonlyMap<string, readonly Interval[]>;
}

export async function startTimedWorker(
  env: Record<string, string>,
  undo: AsyncDisposableStack,
): Promise<TimedWorker> {
  const config = loadConfig({ ...env, DRYDOCK_ROLE: 'worker' });
  const log = createLog('warn');
  const url = env.DATABASE_URL ?? '';
  const db = connect({ url, poolSize: 10, namedStatements: true, log });
  undo.defer(() => db.destroy());
  const secretKeys = { current: env.DRYDOCK_SECRET_KEY ?? '', other: undefined };
  const metrics = new Metrics(log);
  const { storage, close } = await openStorage({ config, secretKeys, db, log, metrics });
  undo.defer(close);
  const local = await openLocalFiles();
  undo.defer(() => local.close());
  const vault = createVault(secretKeys.current);
  const inference = new Inference({ db, vault, log, credits: config.credits, allowsPrivate: false });
  undo.defer(() => inference.close());
  const { operator, times } = timed(openOperator({ config, secretKeys, db }));
  const sandboxes = new Sandboxes({ db, operator, log });
  const background = await startBackground({
    config,
    url,
    db,
    storage,
    local,
    inference,
    sandboxes,
    log,
    metrics,
  });
  undo.defer(() => background.stop());
  return { times };
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
