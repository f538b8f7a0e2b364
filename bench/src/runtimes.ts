/** Runtimes of a real server, one after the other and many at once, beside a bare bwrap in the same run. */
import { parseArgs } from 'node:util';
import { bareBwrap } from './bare-bwrap.ts';
import { startDatabase } from './database.ts';
import { megabytes } from './figures.ts';
import { startMain } from './main-process.ts';
import { type RuntimeClient, runtimeClient } from './runtime-client.ts';
import { benchManyRuntimes } from './runtime-memory.ts';
import { percentile } from './statistics.ts';
import { printTable, verdict } from './table.ts';
import { makeTempDir } from './temp-dir.ts';
import { timeWorkspaceMoves } from './workspace-moves.ts';

/** Number of first rounds until the code is compiled and plans are cached. */
const WARM_UP = 5;
const EXECS_PER_ROUND = 5;
const MAX_PSS_BYTES = 1e9;
const NAMES = [
  'bare bwrap … true',
  'create, start, first command',
  'command',
  'pause',
  'resume',
  'move /workspace of 1 GB',
] as const;
type Name = (typeof NAMES)[number];
type Times = Record<Name, number[]>;

/** Maximum milliseconds for this share of the calls. */
const BOUNDS: Partial<Record<Name, readonly [share: number, maxMs: number][]>> = {
  'create, start, first command': [
    [0.5, 60],
    [0.99, 250],
  ],
  command: [[0.5, 15]],
  pause: [[0.5, 30]],
  resume: [[0.5, 30]],
  'move /workspace of 1 GB': [[0.95, 50]],
};

export async function benchRuntimes(args: string[], undo: AsyncDisposableStack): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '100' },
      runtimes: { type: 'string', default: '100' },
      moves: { type: 'string', default: '30' },
    },
  });
  const database = await startDatabase(undo);
  const settings = { ...database.env, DRYDOCK_LOG_LEVEL: 'warn' };
  const server = await startMain(makeTempDir(undo), undo, settings);
  const client = runtimeClient(server.origin, database.apiKey);
  // Runs before the server ends, since runtimes outlive the server.
  undo.defer(() => client.deleteAll());
  await client.requireProvider();

  console.log(`${values.rounds} runtimes, one after the other`);
  const times = await timeRounds(client, Number(values.rounds));
  console.log(`${values.moves} moves of a workspace`);
  times['move /workspace of 1 GB'] = await timeWorkspaceMoves(database, Number(values.moves));
  console.log(`${values.runtimes} runtimes at once`);
  const many = await benchManyRuntimes(server.pid, client, Number(values.runtimes));

  const isFast = printTimes(times);
  const isSmall = many.pssBytes <= MAX_PSS_BYTES;
  console.log('');
  printTable([
    [`memory (PSS) of ${many.count} runtimes at once`, 'figure', 'bound', ''],
    ['growth of the server', megabytes(many.serverBytes), '', ''],
    ['the spawner', megabytes(many.spawnerBytes), '', ''],
    [`their ${many.processes} processes`, megabytes(many.sandboxBytes), '', ''],
    ['together', megabytes(many.pssBytes), `<= ${megabytes(MAX_PSS_BYTES)}`, verdict(isSmall)],
  ]);
  return isFast && isSmall;
}

async function timeRounds(client: RuntimeClient, rounds: number): Promise<Times> {
  const times = Object.fromEntries(NAMES.map((name) => [name, [] as number[]])) as Times;
  for (let round = -WARM_UP; round < rounds; round++) {
    const timed = async (name: Name, work: () => Promise<unknown>) => {
      const started = performance.now();
      await work();
      if (round >= 0) times[name].push(performance.now() - started);
    };
    const key = `round-${round + WARM_UP}`;
    await timed('bare bwrap … true', bareBwrap);
    await timed('create, start, first command', async () => {
      await client.create(key);
      await client.start(key);
      await client.exec(key);
    });
    for (let call = 0; call < EXECS_PER_ROUND; call++) await timed('command', () => client.exec(key));
    await timed('pause', () => client.pause(key));
    await timed('resume', () => client.resume(key));
    await client.delete(key);
  }
  return times;
}

function printTimes(times: Times): boolean {
  const rows = NAMES.map((name) => toRow(name, times[name]));
  console.log('');
  printTable([['milliseconds', 'p50', 'p95', 'p99', 'bound', ''], ...rows]);
  return NAMES.every((name) => isKept(name, times[name]));
}

const boundsOf = (name: Name) => BOUNDS[name] ?? [];

const isKept = (name: Name, times: readonly number[]) =>
  boundsOf(name).every(([share, maxMs]) => percentile(times, share) <= maxMs);

function toRow(name: Name, times: readonly number[]): string[] {
  const figures = [0.5, 0.95, 0.99].map((share) => percentile(times, share).toFixed(1));
  const bounds = boundsOf(name).map(([share, maxMs]) => `p${share * 100} <= ${maxMs}`);
  return [name, ...figures, bounds.join(', '), bounds.length > 0 ? verdict(isKept(name, times)) : ''];
}
