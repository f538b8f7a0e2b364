import type { Metrics } from '../metrics/metrics.ts';
import type { JobQueue } from './queue.ts';

/** The values come from the queue's own count, which is a few seconds old. Every worker reports the whole fleet. */
export function addJobGauges(metrics: Metrics, { boss }: JobQueue): void {
  metrics.addGauge({
    name: 'drydock_jobs',
    help: 'Jobs in the queue, by kind and state.',
    labelNames: ['kind', 'state'],
    read: async () =>
      (await boss.getQueues())
        .filter(({ name }) => !name.startsWith('__pgboss'))
        .flatMap(({ name: kind, queuedCount, activeCount, failedCount }) => [
          { labels: { kind, state: 'queued' }, value: queuedCount },
          { labels: { kind, state: 'running' }, value: activeCount },
          { labels: { kind, state: 'failed' }, value: failedCount },
        ]),
  });
}
