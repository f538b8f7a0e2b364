/** Statistics over samples that passed or did not. Samples of the same task are a cluster. */
import { type Interval, wilsonInterval } from '../../platform/wilson-interval.ts';

export interface Cluster {
  /** Samples with a result. */
  readonly samples: number;
  readonly passed: number;
}

/**
 * Computes the confidence interval (Wilson score) of the pass rate, with the effective number of samples.
 * @returns null without samples
 */
export function passRateInterval(clusters: readonly Cluster[]): Interval | null {
  const { samples, passed } = sumOf(clusters);
  return samples === 0 ? null : wilsonInterval(passed / samples, effectiveSamples(clusters));
}

/**
 * The sample size that remains when samples of a task resemble each other: n divided by the design effect 1 + (m − 1)·ICC, where m is
 * the mean number of samples of a task.
 */
export function effectiveSamples(clusters: readonly Cluster[]): number {
  const counted = clusters.filter(({ samples }) => samples > 0);
  const { samples } = sumOf(counted);
  if (samples === 0) return 0;
  return samples / (1 + (samples / counted.length - 1) * intraclassCorrelation(counted));
}

/**
 * How much samples of a task resemble each other, 0 to 1, by a one-way analysis of variance over tasks of any size. One task alone is
 * its own population, so its samples are independent: 0. Where all samples have the same result nothing can be estimated, and 1
 * counts tasks instead of samples, as for tasks that each pass or fail as a whole.
 */
export function intraclassCorrelation(clusters: readonly Cluster[]): number {
  const counted = clusters.filter(({ samples }) => samples > 0);
  const { samples, passed } = sumOf(counted);
  const groups = counted.length;
  if (groups < 2 || samples === groups) return 0;
  if (passed === 0 || passed === samples) return 1;
  const rate = passed / samples;
  const squares = counted.reduce((sum, cluster) => sum + cluster.samples ** 2, 0);
  const between =
    counted.reduce(
      (sum, cluster) => sum + cluster.samples * (cluster.passed / cluster.samples - rate) ** 2,
      0,
    ) /
    (groups - 1);
  const within =
    counted.reduce((sum, cluster) => sum + cluster.passed * (1 - cluster.passed / cluster.samples), 0) /
    (samples - groups);
  const size = (samples - squares / samples) / (groups - 1);
  return Math.min(1, Math.max(0, (between - within) / (between + (size - 1) * within)));
}

/**
 * The chance that at least one of k samples passes: the unbiased estimate 1 − C(n−c, k) / C(n, k) of each task, averaged over tasks.
 * For every k up to the fewest samples that a task has; tasks without a result are left out.
 */
export function passAtK(clusters: readonly Cluster[]): Record<string, number> {
  const counted = clusters.filter(({ samples }) => samples > 0);
  const most = counted.reduce((least, { samples }) => Math.min(least, samples), Number.POSITIVE_INFINITY);
  const rates: Record<string, number> = {};
  for (let k = 1; Number.isFinite(most) && k <= most; k++)
    rates[k] = counted.reduce((sum, cluster) => sum + passAtKOf(cluster, k), 0) / counted.length;
  return rates;
}

/** The quotient of the binomials is computed as a product, since the binomials themselves overflow. */
function passAtKOf({ samples, passed }: Cluster, k: number): number {
  if (samples - passed < k) return 1;
  let allFail = 1;
  for (let count = samples - passed + 1; count <= samples; count++) allFail *= 1 - k / count;
  return 1 - allFail;
}

const sumOf = (clusters: readonly Cluster[]): Cluster => ({
  samples: clusters.reduce((sum, cluster) => sum + cluster.samples, 0),
  passed: clusters.reduce((sum, cluster) => sum + cluster.passed, 0),
});
