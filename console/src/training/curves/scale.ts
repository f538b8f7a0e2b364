/** The positions of values, and the numbers written beside an axis. */
import type { Point } from './series.ts';

export interface Axis {
  readonly toPixel: (value: number) => number;
  readonly ticks: readonly number[];
}

/** @returns the next of 1, 2, 5, 10, 20, …, also of 0.1, 0.2, 0.5 */
function toNiceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least * 0.999) ?? least;
}

function toTicks(low: number, high: number, count: number): readonly number[] {
  const step = toNiceStep((high - low) / count);
  const first = Math.ceil(low / step - 1e-9);
  const length = Math.max(0, Math.floor(high / step + 1e-9) - first + 1);
  // Multiples of 0.1 are written with an error of 1e-17.
  return Array.from({ length }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

interface Extent {
  readonly from: number;
  readonly to: number;
}

/** The least width of a number below a chart. */
const PER_TICK = 80;

export function stepAxis(steps: Extent, pixels: Extent): Axis {
  const [low, high] = [steps.from, Math.max(steps.to, steps.from + 1)];
  const count = Math.max(1, Math.floor((pixels.to - pixels.from) / PER_TICK));
  return {
    toPixel: (step) => pixels.from + ((step - low) / (high - low)) * (pixels.to - pixels.from),
    ticks: toTicks(low, high, count).filter(Number.isInteger),
  };
}

/** @param pixels from the bottom to the top */
export function valueAxis(points: Iterable<Point>, isLog: boolean, pixels: Extent): Axis {
  let [low, high] = [Infinity, -Infinity];
  for (const { value } of points)
    if (!isLog || value > 0) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  if (low > high) [low, high] = [isLog ? 0.1 : 0, 1];
  return isLog ? logAxis(low, high, pixels) : linearAxis(low, high, pixels);
}

/** The least height of a number beside a chart. */
const PER_LINE = 42;

const countLines = ({ from, to }: Extent): number => Math.max(2, Math.round((from - to) / PER_LINE));

function linearAxis(least: number, most: number, pixels: Extent): Axis {
  // A line that does not move is drawn in the middle.
  const room = least === most ? Math.abs(least) * 0.5 || 1 : (most - least) * 0.06;
  const [low, high] = [least >= 0 ? Math.max(0, least - room) : least - room, most + room];
  return {
    toPixel: (value) => pixels.from + ((value - low) / (high - low)) * (pixels.to - pixels.from),
    ticks: toTicks(low, high, countLines(pixels)),
  };
}

function logAxis(least: number, most: number, pixels: Extent): Axis {
  const room = least === most ? 0.3 : Math.log10(most / least) * 0.06;
  const [low, high] = [Math.log10(least) - room, Math.log10(most) + room];
  const decades = Array.from(
    { length: Math.ceil(high) - Math.floor(low) + 1 },
    (_, index) => Math.floor(low) + index,
  );
  const isIn = (value: number) => Math.log10(value) >= low && Math.log10(value) <= high;
  const factors = decades.length > 4 ? [1] : [1, 2, 5];
  const fine = decades.flatMap((power) => factors.map((factor) => factor * 10 ** power)).filter(isIn);
  return {
    toPixel: (value) => pixels.from + ((Math.log10(value) - low) / (high - low)) * (pixels.to - pixels.from),
    ticks:
      fine.length >= 2 ? fine : toTicks(10 ** low, 10 ** high, countLines(pixels)).filter((tick) => tick > 0),
  };
}
