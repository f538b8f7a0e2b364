/** The benefit of batching: 32 callers that insert rows one by one, against the same callers with the batcher. */
import { parseArgs } from 'node:util';
import { Batcher } from '@drydock/server/src/platform/batcher/batcher.ts';
import pg from 'pg';
import { startDatabase } from './database.ts';
import { median } from './statistics.ts';
import { printTable, verdict } from './table.ts';

const CALLERS = 32;
const POOL_SIZE = 10;
const MIN_RATIO = 1.5;
const TEXT = 'x'.repeat(1_000);

type Insert = (id: string) => Promise<unknown>;

export async function benchBatcher(args: string[], undo: AsyncDisposableStack): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '3' } },
  });
  const { env } = await startDatabase(undo);
  const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: POOL_SIZE });
  undo.defer(() => pool.end());
  await pool.query('CREATE TABLE bench_rows (id uuid PRIMARY KEY, text text NOT NULL)');
  const one: Insert = (id) =>
    pool.query({ name: 'one', text: 'INSERT INTO bench_rows VALUES ($1, $2)', values: [id, TEXT] });
  const batcher = new Batcher<string, undefined>({ write: (ids) => insertAll(pool, ids) });
  const batched: Insert = (id) => batcher.add(id);

  const found: { one: number; batched: number }[] = [];
  for (const insert of [one, batched]) await insertsPerSecond(insert, 1);
  for (let round = 1; round <= Number(values.rounds); round++) {
    console.log(`round ${round} of ${values.rounds}`);
    const seconds = Number(values.seconds);
    found.push({
      one: await insertsPerSecond(one, seconds),
      batched: await insertsPerSecond(batched, seconds),
    });
  }
  return report(found);
}

async function insertAll(pool: pg.Pool, ids: string[]): Promise<undefined[]> {
  const text = 'INSERT INTO bench_rows SELECT id, $2 FROM unnest($1::uuid[]) AS id';
  await pool.query({ name: 'all', text, values: [ids, TEXT] });
  return ids.map(() => undefined);
}

async function insertsPerSecond(insert: Insert, seconds: number): Promise<number> {
  const started = performance.now();
  let count = 0;
  const call = async () => {
    for (; performance.now() - started < seconds * 1000; count++) await insert(crypto.randomUUID());
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  return count / ((performance.now() - started) / 1000);
}

function report(found: readonly { one: number; batched: number }[]): boolean {
  const ratio = median(found.map(({ one, batched }) => batched / one));
  const isKept = ratio >= MIN_RATIO;
  const rate = (read: (round: (typeof found)[number]) => number) => median(found.map(read)).toFixed(0);
  console.log(`\nMedians of the rounds, ${CALLERS} callers, rows of ${TEXT.length} bytes\n`);
  printTable([
    ['', 'inserts/s', 'ratio', 'bound', ''],
    ['one by one', rate(({ one }) => one), '', '', ''],
    ['batched', rate(({ batched }) => batched), ratio.toFixed(2), `>= ${MIN_RATIO}`, verdict(isKept)],
  ]);
  return isKept;
}
