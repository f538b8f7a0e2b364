/**
 * SQL queries: the cost of an export beside its bare pipeline, the cost of columns that are not requested, and the effect on other
 * requests.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import pg from 'pg';
import { startDatabase } from './database.ts';
import { count } from './figures.ts';
import { startMain } from './main-process.ts';
import { EXPORTED_COLUMNS, insertMessageRows, MESSAGES_PER_SESSION } from './message-rows.ts';
import { PlainConnection } from './plain-connection.ts';
import { median, percentile } from './statistics.ts';
import { printTable, verdict } from './table.ts';
import { makeTempDir } from './temp-dir.ts';

const MAX_EXPORT_RATIO = 2;
const MAX_COLUMNS_RATIO = 0.5;
const MAX_READ_RATIO = 2;
const MAX_SMALL_MS = 150;
const SMALL_CALLS = 40;
const BARE = fileURLToPath(new URL('bare-export.ts', import.meta.url));
const POLL_MS = 50;
/** Milliseconds between two reads, as of a busy user's client. */
const READ_EVERY_MS = 10;
const ALL_COLUMNS = [
  ...EXPORTED_COLUMNS.map(({ name }) => name),
  'era',
  'is_compacted',
  'compacted_up_to_seq',
];

interface World {
  readonly connection: PlainConnection;
  readonly reader: PlainConnection;
  readonly url: string;
  readonly organizationId: string;
  readonly folder: string;
}

export async function benchSql(args: string[], undo: AsyncDisposableStack): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: 'small,export,columns,reads' },
      rounds: { type: 'string', default: '5' },
      rows: { type: 'string', default: '1000000' },
      'large-rows': { type: 'string', default: '10000000' },
      seconds: { type: 'string', default: '30' },
    },
  });
  const [rounds, rows, largeRows, seconds] = [
    values.rounds,
    values.rows,
    values['large-rows'],
    values.seconds,
  ].map(Number) as [number, number, number, number];
  const parts = new Set(values.only.split(','));
  const { env, apiKey } = await startDatabase(undo);
  const {
    DATABASE_URL: url = '',
    BENCH_ORGANIZATION_ID: organizationId = '',
    DRYDOCK_DATA_DIR: dataDir = '',
  } = env;
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  undo.defer(() => pool.end());
  const place = [organizationId, env.BENCH_WORKSPACE_ID ?? ''] as const;
  await insertMessageRows(pool, place, 0, rows);
  const { origin } = await startMain(dataDir, undo, { ...env, DRYDOCK_LOG_LEVEL: 'warn' });
  const connect = () => {
    const connection = new PlainConnection(origin, apiKey);
    undo.defer(async () => connection.close());
    return connection;
  };
  const folder = makeTempDir(undo);
  // Opens new connections each time, since idle ones are closed while rows are inserted.
  const open = (): World => ({ connection: connect(), reader: connect(), url, organizationId, folder });

  const kept: boolean[] = [];
  if (parts.has('small')) kept.push(await benchSmall(open()));
  if (parts.has('export')) kept.push(await benchExport(open(), rows, rounds));
  if (parts.has('columns')) kept.push(await benchColumns(open(), rows, rounds));
  if (parts.has('reads')) {
    await insertMessageRows(pool, place, rows, largeRows);
    kept.push(await benchReads(open(), largeRows, seconds));
  }
  return kept.every(Boolean);
}

interface ExportResponse {
  readonly id: string;
  readonly status: string;
  readonly row_count: number;
  readonly rows_read: number;
  readonly error_message: string | null;
}

const ask = async <Body>(connection: PlainConnection, method: 'GET' | 'POST', path: string, body?: object) =>
  JSON.parse(String(await connection.send(method, path, body && JSON.stringify(body)))) as Body;

const EXPORT_QUERY = `SELECT ${EXPORTED_COLUMNS.map(({ name }) => name).join(', ')} FROM messages`;

/** Measures from the request to the file behind a link. */
async function exportAll({ connection }: World, rows: number): Promise<number> {
  const started = performance.now();
  const { id } = await ask<ExportResponse>(connection, 'POST', '/exports', { query: EXPORT_QUERY });
  for (;;) {
    const { status, row_count, error_message } = await ask<ExportResponse>(
      connection,
      'GET',
      `/exports/${id}`,
    );
    if (status === 'completed') {
      if (row_count !== rows) throw new Error(`The export holds ${row_count} rows instead of ${rows}`);
      return performance.now() - started;
    }
    if (status !== 'queued' && status !== 'running')
      throw new Error(`The export is ${status}: ${error_message}`);
    await sleep(POLL_MS);
  }
}

/** COPY, a pipe, DuckDB, Parquet: the start of the process is not counted. */
async function exportBare({ url, organizationId, folder }: World): Promise<number> {
  const own = mkdtempSync(join(folder, 'bare-'));
  const { stdout } = await promisify(execFile)(process.execPath, [BARE, url, organizationId, own]);
  rmSync(own, { recursive: true });
  return Number(stdout);
}

async function benchExport(world: World, rows: number, rounds: number): Promise<boolean> {
  const times = await inTurns(
    'export',
    rounds,
    () => exportBare(world),
    () => exportAll(world, rows),
  );
  return reportPair(
    `An export of ${count(rows)} messages of ${EXPORTED_COLUMNS.length} columns, from the request to the link`,
    ['COPY, DuckDB, Parquet', 'Drydock'],
    times,
    MAX_EXPORT_RATIO,
  );
}

/** Queries that read a few rows: most of their time is the start of the process that runs them. */
async function benchSmall({ connection }: World): Promise<boolean> {
  const times: number[] = [];
  for (let call = -3; call < SMALL_CALLS; call++) {
    const started = performance.now();
    await ask(connection, 'POST', '/query', { query: 'SELECT count(*) FROM spans' });
    if (call >= 0) times.push(performance.now() - started);
  }
  const p50 = median(times);
  const isKept = p50 <= MAX_SMALL_MS;
  console.log(`\nA query over a table without rows, ${SMALL_CALLS} times\n`);
  printTable([
    ['p50 ms', 'p95 ms', 'bound', ''],
    [p50.toFixed(0), percentile(times, 0.95).toFixed(0), `<= ${MAX_SMALL_MS}`, verdict(isKept)],
  ]);
  return isKept;
}

/** Aggregates each column, so that DuckDB must read it. */
const overColumns = (names: readonly string[]) =>
  `SELECT ${names.map((name) => `count(${name}) AS ${name}_count`).join(', ')} FROM messages`;

async function benchColumns({ connection }: World, rows: number, rounds: number): Promise<boolean> {
  const timeOf = async (query: string) => {
    const started = performance.now();
    await ask(connection, 'POST', '/query', { query });
    return performance.now() - started;
  };
  const few = overColumns(['role', 'input_tokens', 'output_tokens']);
  const times = await inTurns(
    'columns',
    rounds,
    () => timeOf(overColumns(ALL_COLUMNS)),
    () => timeOf(few),
  );
  return reportPair(
    `A query over ${count(rows)} messages`,
    [`all ${ALL_COLUMNS.length} columns`, '3 of them'],
    times,
    MAX_COLUMNS_RATIO,
  );
}

interface Times {
  readonly first: readonly number[];
  readonly second: readonly number[];
}

/** Alternates, so that other load on the machine affects both equally. */
async function inTurns(
  title: string,
  rounds: number,
  first: () => Promise<number>,
  second: () => Promise<number>,
): Promise<Times> {
  const times = { first: [] as number[], second: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    console.log(round === 0 ? `${title}: warming up` : `${title}: round ${round} of ${rounds}`);
    const [firstMs, secondMs] = [await first(), await second()];
    if (round === 0) continue;
    times.first.push(firstMs);
    times.second.push(secondMs);
  }
  return times;
}

const figures = (times: readonly number[], digits = 0) =>
  [median(times), percentile(times, 0.95)].map((ms) => ms.toFixed(digits));

function reportPair(
  title: string,
  names: readonly [string, string],
  times: Times,
  maxRatio: number,
): boolean {
  const ratio = median(times.second.map((ms, round) => ms / (times.first[round] ?? Number.NaN)));
  const isKept = ratio <= maxRatio;
  console.log(`\n${title}\n`);
  printTable([
    ['', 'p50 ms', 'p95 ms', 'ratio', 'bound', ''],
    [names[0], ...figures(times.first), '', '', ''],
    [names[1], ...figures(times.second), ratio.toFixed(2), `<= ${maxRatio}`, verdict(isKept)],
  ]);
  console.log('');
  return isKept;
}

/** Reads a session and a page of its messages repeatedly until `isEnough`. */
async function readSessions({ reader }: World, isEnough: () => boolean): Promise<number[]> {
  const { sessions } = await ask<{ sessions: { id: string }[] }>(reader, 'GET', '/sessions?limit=50');
  const times: number[] = [];
  while (!isEnough()) {
    const { id } = sessions[times.length % sessions.length] ?? { id: '' };
    const started = performance.now();
    await reader.send('GET', `/sessions/${id}`);
    await reader.send(
      'GET',
      `/sessions/${id}/transcript?limit=50&after_seq=${(times.length * 37) % MESSAGES_PER_SESSION}`,
    );
    times.push(performance.now() - started);
    await sleep(READ_EVERY_MS);
  }
  return times;
}

async function benchReads(world: World, rows: number, seconds: number): Promise<boolean> {
  const { connection } = world;
  const until = (deadline: number) => () => performance.now() > deadline;
  console.log('reads: warming up');
  await readSessions(world, until(performance.now() + 3_000));
  console.log(`reads: ${seconds} s without anything else`);
  const idle = await readSessions(world, until(performance.now() + seconds * 1_000));
  const { id } = await ask<ExportResponse>(connection, 'POST', '/exports', { query: EXPORT_QUERY });
  const find = () => ask<ExportResponse>(connection, 'GET', `/exports/${id}`);
  while ((await find()).status === 'queued') await sleep(POLL_MS);
  console.log(`reads: ${seconds} s beside an export of ${count(rows)} rows, or until it ends`);
  const deadline = performance.now() + seconds * 1_000;
  let last = await find();
  const watch = setInterval(() => void find().then((response) => (last = response)), 500);
  const busy = await readSessions(world, () => last.status !== 'running' || performance.now() > deadline);
  clearInterval(watch);
  await sleep(1_000);
  last = await find();
  if (last.status === 'failed') throw new Error(`The export has failed: ${last.error_message}`);
  if (last.status === 'running') await ask(connection, 'POST', `/exports/${id}/cancel`, {});
  console.log(`${count(last.rows_read)} rows were read by then; the export was ${last.status}`);
  const ratio = percentile(busy, 0.95) / percentile(idle, 0.95);
  const isKept = ratio <= MAX_READ_RATIO;
  console.log('\nGET of a session and of 50 of its messages\n');
  printTable([
    ['', 'reads', 'p50 ms', 'p95 ms', 'ratio of p95', 'bound', ''],
    ['alone', String(idle.length), ...figures(idle, 1), '', '', ''],
    [
      'beside the export',
      String(busy.length),
      ...figures(busy, 1),
      ratio.toFixed(2),
      `<= ${MAX_READ_RATIO}`,
      verdict(isKept),
    ],
  ]);
  return isKept;
}
