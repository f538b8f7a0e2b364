/** Metrics of the process itself: processor, memory, handles, garbage collection, event-loop delay, and connections to the database. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, type Registry } from 'prom-client';
import { type Db, poolOf } from '../db/connect.ts';
import type { Metrics } from './metrics.ts';

/**
 * The usual resolution of 10 ms takes 1 % of a core in an idle process. A stall that is shorter than this may be missed, and a longer one is
 * reported up to this much too short.
 */
const POLL_INTERVAL_MS = 500;
const NEVER_MS = 2 ** 31 - 1;
const NANOSECONDS = 1e9;

const QUANTILES = { '0.5': 50, '0.9': 90, '0.99': 99, '1': 100 } as const;

/** Must be called once per process. */
export function watchProcess(metrics: Metrics): void {
  collectDefaultMetrics({ register: metrics.registry, eventLoopMonitoringPrecision: NEVER_MS });
  removeIdleLag(metrics.registry);
  const delays = monitorEventLoopDelay({ resolution: POLL_INTERVAL_MS });
  delays.enable();
  metrics.addGauge({
    name: 'drydock_event_loop_lag_seconds',
    help: 'By how much the event loop was late since the last reading, sampled every 500 ms: a shorter stall may be missed.',
    labelNames: ['quantile'],
    read: () => {
      // The histogram measures the time between two samples, which includes the interval.
      const lag = (percent: number) =>
        Math.max(0, delays.percentile(percent) / NANOSECONDS - POLL_INTERVAL_MS / 1000);
      const readings = Object.entries(QUANTILES).map(([quantile, percent]) => ({
        labels: { quantile },
        value: lag(percent),
      }));
      delays.reset();
      return readings;
    },
  });
}

/** Removes the library's own quantiles, which stay empty because its sampling is off. */
function removeIdleLag(registry: Registry): void {
  for (const { name } of registry.getMetricsAsArray())
    if (/^nodejs_eventloop_lag_\w+_seconds$/.test(name)) registry.removeSingleMetric(name);
}

export function addPoolGauges(metrics: Metrics, db: Db): void {
  const pool = poolOf(db);
  if (!pool) return;
  metrics.addGauge({
    name: 'drydock_database_connections',
    help: 'Connections of this process to the database, by what they do.',
    labelNames: ['state'],
    read: () => [
      { labels: { state: 'idle' }, value: pool.idleCount },
      { labels: { state: 'busy' }, value: pool.totalCount - pool.idleCount },
    ],
  });
  metrics.addGauge({
    name: 'drydock_database_connections_max',
    help: 'Connections that this process may open: DATABASE_POOL_SIZE.',
    read: () => pool.options.max,
  });
  metrics.addGauge({
    name: 'drydock_database_waiting',
    help: 'Statements and transactions that wait for a connection.',
    read: () => pool.waitingCount,
  });
}
