/** Splits time by calendar months in UTC. */

export interface MonthPart {
  /** Month in the form `2026-01`. */
  readonly month: string;
  /** A time in that month. */
  readonly from: string;
  readonly milliseconds: number;
}

/** Returns the parts of a time span; none if it is empty. */
export function splitByMonth(from: string, to: string): MonthPart[] {
  const parts: MonthPart[] = [];
  const end = Date.parse(to);
  for (let start = Date.parse(from); start < end; ) {
    const next = Math.min(end, nextMonth(start));
    const at = new Date(start).toISOString();
    parts.push({ month: at.slice(0, 7), from: at, milliseconds: next - start });
    start = next;
  }
  return parts;
}

function nextMonth(milliseconds: number): number {
  const at = new Date(milliseconds);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1);
}
