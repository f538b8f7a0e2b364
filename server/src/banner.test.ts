import { expect, test } from 'vitest';
import { describeStop } from './banner.ts';
import { createLog } from './platform/log.ts';
import { Metrics } from './platform/metrics/metrics.ts';

/** A process with the given amounts of work in progress. */
function partsWith(values: Record<string, number>, runningJobs = 0) {
  const metrics = new Metrics(createLog('fatal'));
  for (const [name, value] of Object.entries(values))
    metrics.addGauge({ name, help: '-', read: () => value });
  return { metrics, background: { runningJobs } };
}

test('describeStop only announces the stop when no work is in progress', async () => {
  expect(await describeStop(partsWith({}), 10_000)).toEqual(['Stopping.']);
  expect(await describeStop({}, 10_000)).toEqual(['Stopping.']);
});

test('describeStop counts the work that the stop waits for and explains how to skip the wait', async () => {
  const parts = partsWith({ drydock_http_requests_in_flight: 1, drydock_s3_requests_in_flight: 1 }, 1);
  expect(await describeStop(parts, 10_000)).toEqual([
    'Stopping: waiting up to 10 s for 2 requests and 1 job. Press Ctrl-C again to stop now.',
  ]);
});

test('describeStop counts the sandboxes that keep running and explains how to end them', async () => {
  const [, line] = await describeStop(partsWith({ drydock_sandboxes: 2 }), 10_000);
  expect(line).toBe(
    '2 sandboxes live on, and the next start takes over. ' +
      'To end sandboxes, delete their runtimes; "npm run reset" ends all and removes all data.',
  );
});
