import { type Db, poolOf } from '../db/connect.ts';
import type { Metrics } from './metrics.ts';

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
