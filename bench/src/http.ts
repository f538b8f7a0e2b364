/** What authentication, tenancy, validation and serialisation cost: our routes against bare Fastify ones. */
import { deepStrictEqual } from 'node:assert';
import { parseArgs } from 'node:util';
import { startDatabase } from './database.ts';
import { type Load, type LoadTarget, load } from './load.ts';
import { NO_STORE_PATH, ONE_ROW_PATH, type Origins } from './requests.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { median } from './statistics.ts';
import { printTable, verdict } from './table.ts';

const MIN_RATIO = 0.6;
const WARM_UP_SECONDS = 3;

const BARE = new URL('./bare-server.ts', import.meta.url);
const DRYDOCK = new URL('./drydock-server.ts', import.meta.url);

const CASES = [
  { title: 'no store read', kind: 'noStore', path: NO_STORE_PATH },
  { title: 'one-row read', kind: 'oneRow', path: ONE_ROW_PATH },
] as const satisfies { title: string; kind: keyof Origins; path: string }[];

interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly profileDir: string | undefined;
}

interface Comparison {
  readonly title: string;
  readonly bare: readonly Load[];
  readonly ours: readonly Load[];
}

export async function benchHttp(args: string[], undo: AsyncDisposableStack): Promise<boolean> {
  const options = readOptions(args);
  const database = await startDatabase(undo);
  const { profileDir } = options;
  const bare = await startServer({ entry: BARE, env: database.env, profileDir }, undo);
  const ours = await startServer({ entry: DRYDOCK, env: database.env, profileDir }, undo);
  const headers = { authorization: `Bearer ${database.apiKey}` };
  const comparisons: Comparison[] = [];
  for (const { title, kind, path } of CASES) {
    const target = (server: ServerProcess) => ({
      url: server.origins[kind] + path,
      pid: server.pid,
      headers,
    });
    comparisons.push(await compare(title, target(bare), target(ours), options));
  }
  return report(comparisons);
}

function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '5' },
      'cpu-prof': { type: 'string' },
    },
  });
  return { rounds: Number(values.rounds), seconds: Number(values.seconds), profileDir: values['cpu-prof'] };
}

/** In turns, so that whatever else the machine does meets both alike. */
async function compare(
  title: string,
  bare: LoadTarget,
  ours: LoadTarget,
  options: Options,
): Promise<Comparison> {
  deepStrictEqual(await readOnce(ours), await readOnce(bare), `${title}: the two do not answer the same`);
  for (const target of [bare, ours]) await load(target, WARM_UP_SECONDS);
  const loads: { bare: Load[]; ours: Load[] } = { bare: [], ours: [] };
  for (let round = 1; round <= options.rounds; round++) {
    console.log(`${title}: round ${round} of ${options.rounds}`);
    loads.bare.push(await load(bare, options.seconds));
    loads.ours.push(await load(ours, options.seconds));
  }
  return { title, ...loads };
}

async function readOnce({ url, headers }: LoadTarget): Promise<unknown> {
  const response = await fetch(url, { headers });
  if (response.status !== 200)
    throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

/** Of each round's pair: what slowed a whole round down slowed both. */
function ratios({ bare, ours }: Comparison): number[] {
  return ours.map((load, round) => load.perSecond / (bare[round]?.perSecond ?? Number.NaN));
}

function report(comparisons: readonly Comparison[]): boolean {
  console.log('\nMedians of the rounds, 32 connections; CPU is the server process alone, per request\n');
  const header = ['', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs', 'ratio', 'of rounds', 'bound', ''];
  const rows = comparisons.flatMap((comparison) => {
    const found = ratios(comparison);
    const range = `${percent(Math.min(...found))} to ${percent(Math.max(...found))}`;
    const ratio = median(found);
    return [
      row(`${comparison.title}, bare Fastify`, comparison.bare, ['', '', '', '']),
      row(`${comparison.title}, Drydock`, comparison.ours, [
        percent(ratio),
        range,
        `>= ${percent(MIN_RATIO)}`,
        verdict(ratio >= MIN_RATIO),
      ]),
    ];
  });
  printTable([header, ...rows]);
  return comparisons.every((comparison) => median(ratios(comparison)) >= MIN_RATIO);
}

function row(title: string, loads: readonly Load[], rest: string[]): string[] {
  const middle = (read: (load: Load) => number, digits = 0) => median(loads.map(read)).toFixed(digits);
  return [
    title,
    middle((load) => load.perSecond),
    middle((load) => load.p50Ms, 1),
    middle((load) => load.p99Ms, 1),
    middle((load) => load.cpuMicroseconds),
    ...rest,
  ];
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
