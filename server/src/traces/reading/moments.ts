/** Moments as PostgreSQL writes them in UTC, with up to six digits of a second, of which dates hold three. */

import { parseTimestamp } from '../../platform/db/timestamp.ts';

/** The text of one that is later is greater. */
export const earliest = (texts: readonly string[]) => texts.reduce((a, b) => (b < a ? b : a));
export const latest = (texts: readonly string[]) => texts.reduce((a, b) => (b > a ? b : a));

/** Not less than none: a span may say that it ended before it began. */
export function millisecondsBetween(start: string, end: string): number {
  const [from, to] = [split(start), split(end)];
  return Math.max(0, (to.ms - from.ms) * 1_000 + to.us - from.us) / 1_000;
}

function split(text: string): { ms: number; us: number } {
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  return { ms: Date.parse(parseTimestamp(text)), us: Number(fraction.slice(3).padEnd(3, '0')) };
}
