import { Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { Durations } from './durations.ts';

const NAME = 'answers_seconds';
const LABELS = ['method', 'status'];
const BOUNDS = [0.005, 0.1, 2.5];

const linesOf = async (registry: Registry) => (await registry.metrics()).trim().split('\n').toSorted();

test('Durations reports the same as a histogram of prom-client', async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const durations = new Durations(ours, {
    name: NAME,
    help: 'How long.',
    labelNames: LABELS,
    bucketsSeconds: BOUNDS,
  });
  const histogram = new Histogram({
    name: NAME,
    help: 'How long.',
    labelNames: LABELS,
    buckets: BOUNDS,
    registers: [theirs],
  });
  expect(await linesOf(ours)).toEqual(await linesOf(theirs));
  for (const [method, status, seconds] of [
    ['GET', 200, 0],
    ['GET', 200, 0.005], // a bucket includes its upper bound
    ['GET', 200, 0.0051],
    ['GET', 200, 2.6],
    ['GET', 404, 0.1],
    ['a"b\\c\nd', 200, 1],
    ['GET', 200, 0.05],
  ] as const) {
    durations.observe([method, status], seconds);
    histogram.observe({ method, status }, seconds);
  }
  expect(await linesOf(ours)).toEqual(await linesOf(theirs));
  expect(await linesOf(ours)).toContain(`${NAME}_count{method="GET",status="200"} 5`);
});
