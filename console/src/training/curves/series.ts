/** The curves of jobs: what the server has stored, and the points that arrived since by events. */
import type { InWorkspace, OneTrainingJob, TrainingJobResponse, TrainingMetricsResponse } from '@drydock/sdk';
import { useQueries, useQuery } from '@tanstack/react-query';
import { jobQuery, type LivePoint, livePointsQuery, metricsQuery } from '../queries.ts';

export interface Point {
  readonly step: number;
  readonly value: number;
}

/** Points by the name of the metric, in the order of their steps. */
export type Curves = Readonly<Record<string, readonly Point[]>>;

/** @returns undefined until the curves have been read */
export function useCurves(jobRef: OneTrainingJob): Curves | undefined {
  const { data } = useQuery(metricsQuery(jobRef));
  const { data: live = [] } = useQuery(livePointsQuery(jobRef));
  return data && mergeCurves(data, live);
}

export interface JobCurves {
  readonly id: string;
  readonly job: TrainingJobResponse | undefined;
  readonly curves: Curves | undefined;
  readonly error: Error | null;
}

/** The same for several jobs. */
export function useAllCurves(where: InWorkspace, ids: readonly string[]): readonly JobCurves[] {
  const refs = ids.map((id) => ({ ...where, job_id: id }));
  const jobs = useQueries({ queries: refs.map((ref) => jobQuery(ref)) });
  const metrics = useQueries({ queries: refs.map((ref) => metricsQuery(ref)) });
  const live = useQueries({ queries: refs.map((ref) => livePointsQuery(ref)) });
  return ids.map((id, index) => {
    const data = metrics[index]?.data;
    return {
      id,
      job: jobs[index]?.data,
      curves: data && mergeCurves(data, live[index]?.data ?? []),
      error: jobs[index]?.error ?? null,
    };
  });
}

/** The merged curves of what was read: pages render much more often than points arrive. */
const merged = new WeakMap<TrainingMetricsResponse, { live: readonly LivePoint[]; curves: Curves }>();

/** The newest values count for a step that was trained twice. */
function mergeCurves(metrics: TrainingMetricsResponse, live: readonly LivePoint[]): Curves {
  const known = merged.get(metrics);
  if (known?.live === live) return known.curves;
  const curves: Record<string, readonly Point[]> = {};
  for (const [name, { steps, values }] of Object.entries(metrics.series))
    curves[name] = steps.map((step, index) => ({ step, value: values[index] ?? 0 }));
  const added: Record<string, Point[]> = {};
  for (const { step, metrics: measured } of live)
    for (const [name, value] of Object.entries(measured)) (added[name] ??= []).push({ step, value });
  for (const [name, points] of Object.entries(added)) curves[name] = mergePoints(curves[name] ?? [], points);
  merged.set(metrics, { live, curves });
  return curves;
}

function mergePoints(known: readonly Point[], added: readonly Point[]): readonly Point[] {
  const byStep = new Map([...known, ...added].map((point) => [point.step, point]));
  return [...byStep.values()].toSorted((a, b) => a.step - b.step);
}

const smoothed = new WeakMap<readonly Point[], { weight: number; points: readonly Point[] }>();

/**
 * Exponential smoothing: `weight` is the share of the past. The sum is divided by the weights so far, without which a curve would begin at
 * zero.
 */
export function smooth(points: readonly Point[], weight: number): readonly Point[] {
  if (weight === 0) return points;
  const known = smoothed.get(points);
  if (known?.weight === weight) return known.points;
  let [sum, weights] = [0, 0];
  const result = points.map(({ step, value }) => {
    sum = sum * weight + value * (1 - weight);
    weights = weights * weight + (1 - weight);
    return { step, value: sum / weights };
  });
  smoothed.set(points, { weight, points: result });
  return result;
}

/** @returns the index of the last item whose step is not after `step`, or -1 */
export function lastIndexAt<Item>(
  items: readonly Item[],
  step: number,
  stepOf: (item: Item) => number,
): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (stepOf(items[middle] as Item) <= step) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The value of a curve at a step: that of the last point until then. After the end of a job there is none. */
export function pointAt(points: readonly Point[] | undefined, step: number, end: number): Point | undefined {
  if (!points || step > end) return undefined;
  return points[lastIndexAt(points, step, (point) => point.step)];
}

/** The last step of any curve. */
export const endOf = (curves: Curves | undefined): number =>
  Math.max(0, ...Object.values(curves ?? {}).map((points) => points.at(-1)?.step ?? 0));
