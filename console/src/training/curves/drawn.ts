/** The jobs and metrics that are drawn, as lines and in words. */
import { formatCount } from '../../components/format.ts';
import { formatValue } from '../figures.tsx';
import { LOSS } from '../queries.ts';
import { type JobCurves, lastIndexAt, type Point, pointAt, smooth } from './series.ts';

const NAMES: Readonly<Record<string, string>> = {
  [LOSS]: 'Train loss',
  'eval/loss': 'Eval loss',
  'train/learning_rate': 'Learning rate',
  'train/grad_norm': 'Gradient norm',
  'train/tokens_per_second': 'Tokens per second',
};

export const COLORS = ['blue', 'orange', 'teal', 'grape', 'red', 'lime', 'cyan', 'pink'].map(
  (name) => `light-dark(var(--mantine-color-${name}-7), var(--mantine-color-${name}-4))`,
);

/** A job whose curves are drawn. */
export interface Drawn extends JobCurves {
  readonly name: string;
  readonly color: string;
  readonly end: number;
}

export interface Line {
  /** Unique in its chart. */
  readonly key: string;
  readonly color: string;
  readonly points: readonly Point[];
  /** The points before smoothing, drawn faintly behind; undefined without smoothing. */
  readonly raw: readonly Point[] | undefined;
  /** Sparse values, as those of evaluations, are marked with dots on a dashed line. */
  readonly isSparse: boolean;
  /** The last step of its job. */
  readonly end: number;
}

/** The known metrics first, and then whatever else trainers report. */
export function listNames(drawn: readonly Drawn[]): readonly string[] {
  const found = new Set(drawn.flatMap(({ curves }) => Object.keys(curves ?? {})));
  return [
    ...Object.keys(NAMES).filter((name) => found.delete(name)),
    ...[...found].toSorted((a, b) => a.localeCompare(b)),
  ];
}

export const labelOf = (metric: string): string => NAMES[metric] ?? metric;

export const toLines = (drawn: readonly Drawn[], metric: string, smoothing: number): Line[] =>
  drawn.flatMap(({ id, color, curves, end }) => {
    const points = curves?.[metric];
    const isSparse = metric.startsWith('eval/');
    if (!points) return [];
    const isSmoothed = smoothing > 0 && !isSparse;
    return [
      {
        key: `${id}/${metric}`,
        color,
        points: isSmoothed ? smooth(points, smoothing) : points,
        raw: isSmoothed ? points : undefined,
        isSparse,
        end,
      },
    ];
  });

/** All steps with a value, in order. */
export function listSteps(drawn: readonly Drawn[]): readonly number[] {
  const steps = new Set<number>();
  for (const { curves } of drawn)
    for (const points of Object.values(curves ?? {})) for (const { step } of points) steps.add(step);
  return [...steps].toSorted((a, b) => a - b);
}

export function nearestIndex(steps: readonly number[], at: number): number {
  const before = lastIndexAt(steps, at, (step) => step);
  const [low = -Infinity, high = Infinity] = [steps[before], steps[before + 1]];
  return at - low <= high - at ? before : before + 1;
}

/** @returns the step that a key leads to */
export function moveBy(key: string, steps: readonly number[], index: number): number | undefined {
  const page = Math.max(1, Math.round(steps.length / 10));
  const target = {
    ArrowRight: index + 1,
    ArrowUp: index + 1,
    ArrowLeft: index - 1,
    ArrowDown: index - 1,
    PageUp: index + page,
    PageDown: index - page,
    Home: 0,
    End: steps.length - 1,
  }[key];
  return target === undefined ? undefined : steps[Math.min(Math.max(target, 0), steps.length - 1)];
}

export function describeStep(drawn: readonly Drawn[], names: readonly string[], step: number): string {
  const jobs = drawn.map(({ name, curves, end }) => {
    const values = names.flatMap((metric) => {
      const point = pointAt(curves?.[metric], step, end);
      return point ? [`${labelOf(metric)} ${formatValue(point.value)}`] : [];
    });
    const words = values.join(', ') || 'no values';
    return drawn.length > 1 ? `${name}: ${words}` : words;
  });
  return `Step ${formatCount(step)}. ${jobs.join('. ')}`;
}
