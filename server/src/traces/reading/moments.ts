/** Timestamps in PostgreSQL's UTC format, with up to six decimals of a second; a Date holds three. */

import { parseTimestamp } from '../../platform/db/timestamp.ts';

/** Timestamps compare as text. */
export const earliest = (texts: readonly string[]) => texts.reduce((a, b) => (b < a ? b : a));
export const latest = (texts: readonly string[]) => texts.reduce((a, b) => (b > a ? b : a));

/** Returns at least 0: a span may claim to end before it began. */
export function millisecondsBetween(start: string, end: string): number {
  const [from, to] = [split(start), split(end)];
  return Math.max(0, (to.ms - from.ms) * 1_000 + to.us - from.us) / 1_000;
}

function split(text: string): { ms: number; us: number } {
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  return { ms: Date.parse(parseTimestamp(text)), us: Number(fraction.slice(3).padEnd(3, '0')) };
}
