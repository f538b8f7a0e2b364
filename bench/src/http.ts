/** The cost of authentication, tenancy, validation and serialisation: our routes against bare Fastify ones. */
import { deepStrictEqual } from 'node:assert';
import { parseArgs } from 'node:util';
import {
  COMPARISON_HEADER,
  type Comparison,
  compareLoads,
  isKept,
  type Rounds,
  toRows,
} from './comparison.ts';
import { startDatabase } from './database.ts';
import { type LoadTarget, load } from './load.ts';
import { NO_STORE_PATH, ONE_ROW_PATH, type Origins } from './requests.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { printTable } from './table.ts';

const MIN_RATIO = 0.6;

const BARE = new URL('./bare-server.ts', import.meta.url);
const DRYDOCK = new URL('./drydock-server.ts', import.meta.url);

const CASES = [
  { title: 'no store read', kind: 'noStore', path: NO_STORE_PATH },
  { title: 'one-row read', kind: 'oneRow', path: ONE_ROW_PATH },
] as const satisfies { title: string; kind: keyof Origins; path: string }[];

interface Options extends Rounds {
  readonly profileDir: string | undefined;
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
      url: server.addresses[kind] + path,
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

async function compare(
  title: string,
  bare: LoadTarget,
  ours: LoadTarget,
  options: Options,
): Promise<Comparison> {
  deepStrictEqual(await readOnce(ours), await readOnce(bare), `${title}: the two do not answer the same`);
  const loadOn = (target: LoadTarget) => (seconds: number) => load(target, seconds);
  return compareLoads(title, loadOn(bare), loadOn(ours), options);
}

async function readOnce({ url, headers }: LoadTarget): Promise<unknown> {
  const response = await fetch(url, { headers });
  if (response.status !== 200)
    throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

function report(comparisons: readonly Comparison[]): boolean {
  console.log('\nMedians of the rounds, 32 connections; CPU is the server process alone, per request\n');
  const rows = comparisons.flatMap((comparison) => toRows(comparison, 'bare Fastify', MIN_RATIO));
  printTable([COMPARISON_HEADER, ...rows]);
  return comparisons.every((comparison) => isKept(comparison, MIN_RATIO));
}
