/** Clean-ups of spans, run by the sweeper every minute. A run with nothing to do reads the catalog once. */
import { sql } from 'kysely';
import type { CleanUp } from '../../platform/clean-up.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Clock, type Day, databaseClock, dayOf, firstKeptDay } from './days.ts';
import { SpansOfDeletedSessions } from './deleted-sessions.ts';
import { findEarnedDays, hasTooMany } from './earned-days.ts';
import { dropExpiredDay, expireSpans, forgetBytes, forgetSources, recountCut } from './expiry.ts';
import { findMissing, makeDay, type Partitions, readPartitions, takeOut } from './partitions.ts';

/** State in memory only saves repeated work: another process does the same without it. */
export function traceCleanUps(clock = databaseClock): readonly CleanUp[] {
  const days = new DaysOfSpans(clock);
  const sessions = new SpansOfDeletedSessions(clock);
  return [
    { name: 'days of spans', run: (db) => days.keepUp(db) },
    { name: 'expired spans', run: (db) => days.expire(db) },
    { name: 'spans of deleted sessions', run: (db) => sessions.remove(db) },
  ];
}

class DaysOfSpans {
  private readonly clock: Clock;
  /** Days that took too long, not tried again today. */
  private readonly tooLong = new Set<string>();
  /** State at the last search for days that deserve a partition. */
  private looked = '';
  /** State at the last deletion of expired spans. */
  private expired = '';

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /**
   * Creates, fills and drops partitions.
   * @returns how many
   */
  async keepUp(db: Db): Promise<number> {
    const now = await this.clock(db);
    const partitions = await readPartitions(db);
    const { longest_days: longest, default_bytes: bytes } = await readState(db);
    let changed = await this.make(db, findMissing(partitions.days, now), dayOf(now));
    const state = `${dayOf(now)} ${longest} ${bytes}`;
    if (state !== this.looked) {
      changed += await this.make(db, await findEarnedDays(db, longest, now), dayOf(now));
      this.looked = state;
    }
    return changed + (await drop(db, partitions, firstKeptDay(now, longest)));
  }

  private async make(db: Db, days: readonly Day[], today: Day): Promise<number> {
    let made = 0;
    for (const day of days) {
      const attempt = `${day} on ${today}`;
      if (this.tooLong.has(attempt)) continue;
      const result = (await hasTooMany(db, day)) ? 'too_long' : await makeDay(db, day);
      // A backup may hold the table for long, and every attempt makes other statements wait behind it.
      if (result === 'busy') break;
      if (result === 'made') made++;
      if (result === 'too_long') this.tooLong.add(attempt);
    }
    return made;
  }

  /** Runs once a day, and when an organization changes its retention. */
  async expire(db: Db): Promise<number> {
    const now = await this.clock(db);
    const { days } = await readPartitions(db);
    const { retention, longest_days: longest } = await readState(db);
    const state = `${dayOf(now)} ${retention} ${days.length}`;
    if (state === this.expired) return 0;
    const gone = await expireSpans(db, days, now);
    await recountCut(db, firstKeptDay(now, longest));
    // These rows are deleted last, since spans refer to them until then.
    const forgotten = (await forgetSources(db, now)) + (await forgetBytes(db));
    this.expired = state;
    return gone + forgotten;
  }
}

async function drop(db: Db, { days, expired }: Partitions, kept: Day): Promise<number> {
  const out = [...expired];
  for (const day of days) {
    if (day >= kept || !(await takeOut(db, day))) break;
    out.push(day);
  }
  for (const day of out) await dropExpiredDay(db, day);
  return out.length;
}

interface State {
  readonly longest_days: number;
  /** Changes when the retention of any organization changes. */
  readonly retention: string;
  readonly default_bytes: number;
}

async function readState(db: Db): Promise<State> {
  const { rows } = await sql<State>`
    SELECT coalesce(max(trace_retention_days), 1) AS longest_days,
           coalesce(sum(hashtextextended(id::text, trace_retention_days)), 0)::text AS retention,
           pg_relation_size('public.spans_default_near') AS default_bytes
      FROM organizations`.execute(db);
  const [state] = rows;
  if (!state) throw new Error('an aggregate returned no row');
  return state;
}
