/** Times and plans of trace reads, at two sizes of the tables. */
import type { Db } from '@drydock/server/src/platform/db/connect.ts';
import { ListPlans } from './list-plans.ts';
import type { ListWorld } from './list-world.ts';
import { recordStatements } from './recorded-statements.ts';
import { settleSpanRows } from './span-rows.ts';
import { percentile } from './statistics.ts';
import { printTable, verdict } from './table.ts';

const WARM_UP_CALLS = 20;
const CALLS = 60;
/** Only the fastest share is compared, since the slower ones include other load on the machine. */
const QUICK_SHARE = 0.25;
/** Allows for an index that is one level deeper. */
const MAX_GROWTH = 1.5;
/** Milliseconds below which a difference is caused by the machine, not by the statement. */
const MIN_MS = 1;

export interface TraceReading {
  readonly title: string;
  /** Path below the workspace. */
  readonly path: string;
  /** The same without HTTP. */
  readonly work: (db: Db) => Promise<unknown>;
  /** Whether it counts all own traces, of any time. */
  readonly isOfAllDays?: boolean;
}

export class TraceGrowth {
  private readonly title: string;
  private readonly sizes: readonly [string, string];
  private readonly plans: ListPlans;
  private readonly times = new Map<string, number[]>();

  constructor(title: string, sizes: readonly [string, string]) {
    this.title = title;
    this.sizes = sizes;
    const heading = `Statements of what is read, while there are more ${title}`;
    this.plans = new ListPlans({ title: heading, columns: sizes, maxGrowth: MAX_GROWTH });
  }

  /** Measures the tables in their current state. */
  async add({ pool, db, send }: ListWorld, readings: readonly TraceReading[]): Promise<void> {
    await settleSpanRows(pool);
    for (const { title, path, work } of readings) {
      const times: number[] = [];
      for (let call = -WARM_UP_CALLS; call < CALLS; call++) {
        const started = performance.now();
        await send('GET', `/ws/main${path}`);
        if (call >= 0) times.push(performance.now() - started);
      }
      this.times.set(title, [...(this.times.get(title) ?? []), percentile(times, QUICK_SHARE)]);
      const statements = (await recordStatements(db, work)).filter(({ sql }) =>
        /spans|sender_parts/.test(sql),
      );
      for (const [index, statement] of statements.entries())
        await this.plans.add(pool, `${title}, statement ${index + 1}`, statement);
    }
  }

  /** @returns whether no read exceeds its bound in time or rows */
  report(): boolean {
    const found = [...this.times].map(([title, [before = 0, after = 0]]) => {
      const ratio = after / before;
      return { title, before, after, ratio, isKept: ratio <= MAX_GROWTH || after - before < MIN_MS };
    });
    const areNarrow = this.plans.report();
    console.log(
      `\nThe quickest quarter of ${CALLS} calls took at most, while there are more ${this.title}\n`,
    );
    printTable([
      ['', ...this.sizes.map((size) => `${size}, ms`), 'ratio', 'bound', ''],
      ...found.map(({ title, before, after, ratio, isKept }) => [
        title,
        before.toFixed(1),
        after.toFixed(1),
        ratio.toFixed(2),
        `<= ${MAX_GROWTH}`,
        verdict(isKept),
      ]),
    ]);
    return areNarrow && found.every(({ isKept }) => isKept);
  }
}
