/** The cost of objects through the gateway: reads against bare servers, durable writes beside those of the disk. */
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
import { load } from './load.ts';
import type { SampleAddresses, StorageAddresses } from './requests.ts';
import { LARGE_BYTES, makeSample, SMALL_BYTES } from './samples.ts';
import { startServer } from './server-process.ts';
import { median } from './statistics.ts';
import { writeWithDd } from './synchronous-writes.ts';
import { printTable } from './table.ts';
import { readLarge, writeOneByOne } from './transfers.ts';

const MIN_RATIO = 0.5;
const WRITES = 300;
const BARE = new URL('./bare-storage-server.ts', import.meta.url);
const DRYDOCK = new URL('./storage-server.ts', import.meta.url);

interface Writes {
  readonly ours: readonly number[];
  readonly disk: readonly number[];
}

export async function benchStorage(args: string[], undo: AsyncDisposableStack): Promise<boolean> {
  const { profileDir, ...options } = readOptions(args);
  const { env } = await startDatabase(undo);
  const putEnv = { ...env, BENCH_PUTS: String(WRITES * (options.rounds + 1)) };
  const bare = await startServer<SampleAddresses>({ entry: BARE, env, profileDir }, undo);
  const ours = await startServer<StorageAddresses>({ entry: DRYDOCK, env: putEnv, profileDir }, undo);
  for (const pick of [({ large }: SampleAddresses) => large, ({ small }: SampleAddresses) => small[0] ?? ''])
    deepStrictEqual(await readOnce(pick(ours.addresses)), await readOnce(pick(bare.addresses)));

  const large = ({ addresses, pid }: typeof bare) => {
    const target = { url: addresses.large, pid, bytes: LARGE_BYTES };
    return (seconds: number) => readLarge(target, seconds);
  };
  const small = ({ addresses, pid }: typeof bare) => {
    const paths = addresses.small.map((url) => url.slice(new URL(url).origin.length));
    const target = { url: addresses.small[0] ?? '', pid, headers: {}, paths };
    return (seconds: number) => load(target, seconds);
  };
  const files = await compareLoads('GET 20 MB', large(bare), large(ours), options);
  const reads = await compareLoads('GET 4 KB', small(bare), small(ours), options);
  const writes = await compareWrites(ours.addresses.puts, env.DRYDOCK_DATA_DIR ?? '', options);
  return report(files, reads, writes);
}

function readOptions(args: string[]): Rounds & { readonly profileDir: string | undefined } {
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

async function readOnce(url: string): Promise<Buffer> {
  const response = await fetch(url);
  if (response.status !== 200)
    throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return Buffer.from(await response.arrayBuffer());
}

/** One after another, on the disk where the objects lie; the first batch warms up. */
async function compareWrites(puts: readonly string[], folder: string, { rounds }: Rounds): Promise<Writes> {
  const sample = makeSample(SMALL_BYTES);
  await writeOneByOne(puts.slice(0, WRITES), sample);
  const found: { ours: number[]; disk: number[] } = { ours: [], disk: [] };
  for (let round = 1; round <= rounds; round++) {
    console.log(`PUT 4 KB: round ${round} of ${rounds}`);
    found.disk.push(await writeWithDd(folder, SMALL_BYTES, WRITES));
    found.ours.push(await writeOneByOne(puts.slice(WRITES * round, WRITES * (round + 1)), sample));
  }
  return found;
}

function report(files: Comparison, reads: Comparison, { ours, disk }: Writes): boolean {
  console.log(
    '\nMedians of the rounds; 20 MB over 4 connections, 4 KB over 32; CPU is the server process alone, per request\n',
  );
  printTable([
    COMPARISON_HEADER,
    ...toRows(files, 'bare file server', MIN_RATIO),
    ...toRows(reads, 'bare Fastify', MIN_RATIO),
  ]);
  const ratios = ours.map((milliseconds, round) => milliseconds / (disk[round] ?? Number.NaN));
  const times = (value: number) => `${value.toFixed(1)} x`;
  console.log('\nPUT 4 KB, durable, one after another\n');
  printTable([
    ['', 'ms each', 'ratio', 'of rounds'],
    ['dd oflag=dsync', median(disk).toFixed(2), '', ''],
    [
      'Drydock',
      median(ours).toFixed(2),
      times(median(ratios)),
      `${times(Math.min(...ratios))} to ${times(Math.max(...ratios))}`,
    ],
  ]);
  return [files, reads].every((comparison) => isKept(comparison, MIN_RATIO));
}
