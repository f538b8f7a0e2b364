/**
 * Searches in evaluations of 5,000, 100,000 and a million messages in one database: the cost must depend only on an evaluation's own
 * messages.
 */
import { parseArgs } from 'node:util';
import { searchItems } from '@drydock/server/src/evaluations/search/search.ts';
import { connect, type Db, poolOf } from '@drydock/server/src/platform/db/connect.ts';
import { createLog } from '@drydock/server/src/platform/log.ts';
import { startDatabase } from './database.ts';
import { COMMON, type EvaluationPlace, insertEvaluation, RARE } from './evaluation-rows.ts';
import { count } from './figures.ts';
import { percentile } from './statistics.ts';
import { printTable, verdict } from './table.ts';

/** Milliseconds at the 95th percentile; a million messages have no bound. */
const BOUNDS: readonly (readonly [messages: number, maxMs: number])[] = [
  [5_000, 15],
  [100_000, 300],
];
const MILLION = 1_000_000;
const WARM_UP = 3;

const QUERIES: readonly (readonly [title: string, q: string])[] = [
  ['found nowhere', 'nowhere to be found'],
  ['found nowhere, 3 characters', 'q~x'],
  ['found nowhere, 1 character', '§'],
  ['in a message of a thousand', RARE],
  ['in most messages', COMMON],
  ['in errors', 'stopped: exit code'],
  ['in names of tasks', 'task-1'],
];

export async function benchEvaluationSearch(args: string[], undo: AsyncDisposableStack): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: { rounds: { type: 'string', default: '40' }, million: { type: 'boolean', default: false } },
  });
  const { env } = await startDatabase(undo);
  const db = connect({
    url: env.DATABASE_URL ?? '',
    poolSize: 2,
    namedStatements: true,
    log: createLog('warn'),
  });
  undo.defer(() => db.destroy());
  const pool = poolOf(db);
  if (!pool) throw new Error('There is no pool');
  const place = {
    organizationId: env.BENCH_ORGANIZATION_ID ?? '',
    workspaceId: env.BENCH_WORKSPACE_ID ?? '',
  };
  const sizes = [...BOUNDS, ...(values.million ? [[MILLION, Number.POSITIVE_INFINITY] as const] : [])];
  const made: { readonly id: string; readonly messages: number; readonly maxMs: number }[] = [];
  for (const [messages, maxMs] of sizes)
    made.push({ id: await insertEvaluation(pool, place, messages), messages, maxMs });
  const rows: string[][] = [['', 'matches', 'p50 ms', 'p95 ms', 'bound', '']];
  let isKept = true;
  for (const { id, messages, maxMs } of made) {
    const rounds = messages < MILLION ? Number(values.rounds) : Math.ceil(Number(values.rounds) / 8);
    for (const [title, q] of QUERIES) {
      const { total, times } = await measure(db, place, id, q, rounds);
      const p95 = percentile(times, 0.95);
      isKept &&= p95 <= maxMs;
      const bound = Number.isFinite(maxMs) ? [`<= ${maxMs}`, verdict(p95 <= maxMs)] : ['', ''];
      const figures = [percentile(times, 0.5), p95].map((ms) => ms.toFixed(1));
      rows.push([`${count(messages)} messages, ${title}`, count(total), ...figures, ...bound]);
    }
  }
  console.log(
    '\nSingle searches, one after the other: 80 % of messages have 300 bytes, 15 % 2 KB, 5 % 20 KB\n',
  );
  printTable(rows);
  return isKept;
}

async function measure(db: Db, place: EvaluationPlace, id: string, q: string, rounds: number) {
  const times: number[] = [];
  let total = 0;
  for (let round = -WARM_UP; round < rounds; round++) {
    const started = performance.now();
    ({ total } = await searchItems(db, place, id, q));
    if (round >= 0) times.push(performance.now() - started);
  }
  return { total, times };
}
