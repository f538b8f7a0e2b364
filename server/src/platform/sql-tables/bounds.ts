/** Derives the range of column values that a query can need from its condition. */
import type { Condition } from './table-need.ts';

/** Inclusive limits; null when there is none. */
export interface Bound {
  readonly from: string | null;
  readonly to: string | null;
}

export interface Bounds {
  /** Returns the range of a time column. */
  time(column: string): Bound;
  /** Returns the single value that all needed rows have; null when there may be others. */
  only(column: string): string | null;
}

export const boundsOf = (condition: Condition | null): Bounds => ({
  time: (column) => {
    const found = condition && timesOf(condition, column);
    return { from: found && toText(found.from), to: found && toText(found.to) };
  },
  only: (column) => condition && onlyOf(condition, column),
});

interface Times {
  readonly from: Moment | null;
  readonly to: Moment | null;
}

/** A time as given, and in comparable form: milliseconds, and the digits below. */
interface Moment {
  readonly text: string;
  readonly ms: number;
  readonly below: string;
}

const ANY_TIME: Times = { from: null, to: null };

function timesOf(condition: Condition, column: string): Times {
  if ('all' in condition) {
    const parts = condition.all.map((part) => timesOf(part, column));
    return {
      from: extreme(compact(parts.map(({ from }) => from)), 1),
      to: extreme(compact(parts.map(({ to }) => to)), -1),
    };
  }
  if ('any' in condition) {
    const parts = condition.any.map((part) => timesOf(part, column));
    const [froms, tos] = [parts.map(({ from }) => from), parts.map(({ to }) => to)];
    return {
      from: froms.includes(null) ? null : extreme(compact(froms), -1),
      to: tos.includes(null) ? null : extreme(compact(tos), 1),
    };
  }
  if (condition.column !== column || !('value' in condition)) return ANY_TIME;
  const moment = parseMoment(condition.value);
  if (!moment || condition.is === '<>') return ANY_TIME;
  return {
    from: condition.is === '<' || condition.is === '<=' ? null : moment,
    to: condition.is === '>' || condition.is === '>=' ? null : moment,
  };
}

function onlyOf(condition: Condition, column: string): string | null {
  if ('all' in condition)
    return condition.all.map((part) => onlyOf(part, column)).find((value) => value !== null) ?? null;
  if ('any' in condition) {
    const [first = null, ...others] = condition.any.map((part) => onlyOf(part, column));
    return others.every((value) => value === first) ? first : null;
  }
  return condition.column === column && condition.is === '=' && typeof condition.value === 'string'
    ? condition.value
    : null;
}

const MOMENT =
  /^(?<day>\d{4}-\d\d-\d\d)[T ](?<time>\d\d:\d\d:\d\d)(?:\.(?<fraction>\d{1,6}))?(?<offset>Z|[+-]\d\d(?::?\d\d)?)$/;

/** Returns undefined for an invalid time, or one that PostgreSQL would read differently. */
export function parseMoment(given: unknown): Moment | undefined {
  const {
    day,
    time,
    fraction = '',
    offset = '',
  } = (typeof given === 'string' && MOMENT.exec(given)?.groups) || {};
  if (!day || !time || day < '0001') return undefined;
  const midnight = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, day.length) !== day)
    return undefined;
  const zone = offset === 'Z' ? offset : `${offset.slice(0, 3)}:${offset.slice(3).replace(':', '') || '00'}`;
  const digits = fraction.padEnd(6, '0');
  const ms = Date.parse(`${day}T${time}.${digits.slice(0, 3)}${zone}`);
  return Number.isNaN(ms) ? undefined : { text: given as string, ms, below: digits.slice(3) };
}

const compact = (moments: readonly (Moment | null)[]) => moments.filter((moment) => moment !== null);

/** @param sign 1 for the latest, -1 for the earliest */
function extreme(moments: readonly Moment[], sign: 1 | -1): Moment | null {
  const isBeyond = (a: Moment, b: Moment) => sign * (a.ms - b.ms || Number(a.below) - Number(b.below)) > 0;
  return moments.reduce<Moment | null>(
    (found, moment) => (found === null || isBeyond(moment, found) ? moment : found),
    null,
  );
}

const toText = (moment: Moment | null) => moment?.text ?? null;
