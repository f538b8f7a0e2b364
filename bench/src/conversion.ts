/** The overhead of the process around DuckDB: a file of JSON lines to Parquet, against the bare statement. */
import { execFile } from 'node:child_process';
import { createWriteStream, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { convertDataFile, inspectDataFile } from '@drydock/server/src/platform/analytics/analytics.ts';
import { WorkFolder } from '@drydock/server/src/platform/analytics/work-folder.ts';
import { median } from './statistics.ts';
import { printTable, verdict } from './table.ts';
import { makeTempDir } from './temp-dir.ts';

const MAX_RATIO = 2;
const BARE = fileURLToPath(new URL('bare-conversion.ts', import.meta.url));
const BATCH = 5_000;

interface Round {
  readonly bareMs: number;
  readonly oursMs: number;
}

export async function benchConversion(args: string[], undo: AsyncDisposableStack): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: { rounds: { type: 'string', default: '5' }, rows: { type: 'string', default: '1000000' } },
  });
  const folder = makeTempDir(undo);
  const work = await WorkFolder.open();
  undo.defer(() => work.close());
  const path = join(folder, 'rows.jsonl');
  console.log(`writing ${values.rows} rows of 10 columns`);
  await writeRows(path, Number(values.rows));
  const { signal } = new AbortController();
  const inspecting = performance.now();
  const shape = await inspectDataFile({ work, path, format: 'jsonl', signal });
  const inspectionMs = performance.now() - inspecting;
  const source = { path, format: 'jsonl' as const, ...shape };

  const rounds: Round[] = [];
  for (let round = 0; round <= Number(values.rounds); round++) {
    console.log(round === 0 ? 'warming up' : `round ${round} of ${values.rounds}`);
    const targets = { bare: join(folder, 'bare.parquet'), ours: join(folder, 'ours.parquet') };
    const bareMs = await convertBare(path, targets.bare);
    const started = performance.now();
    await convertDataFile({ work, source, target: { path: targets.ours, format: 'parquet' }, signal });
    const oursMs = performance.now() - started;
    for (const target of Object.values(targets)) rmSync(target);
    if (round > 0) rounds.push({ bareMs, oursMs });
  }
  return report(rounds, inspectionMs);
}

/** Runs the statement alone: the start of its process is not counted. */
async function convertBare(source: string, target: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [BARE, source, target]);
  return Number(stdout);
}

function writeRows(path: string, count: number): Promise<void> {
  function* texts() {
    for (let first = 0; first < count; first += BATCH) {
      const ids = Array.from({ length: Math.min(BATCH, count - first) }, (_, index) => first + index);
      yield ids.map((id) => `${JSON.stringify(toRow(id))}\n`).join('');
    }
  }
  return pipeline(Readable.from(texts()), createWriteStream(path));
}

/** Scattered values, so that they do not compress better than real data. */
const scatter = (id: number) => Math.imul(id + 1, 0x9e3779b1) >>> 0;

const toRow = (id: number) => ({
  id,
  key: `key-${scatter(id).toString(36)}`,
  text: `Row ${id} says ${scatter(id * 3).toString(36)} to ${scatter(id * 7).toString(36)} – ünïcode`,
  score: scatter(id) / 7,
  is_good: id % 3 === 0,
  count: id % 5 === 0 ? null : scatter(id) % 1000,
  tags: [`t${id % 10}`, `u${scatter(id) % 100}`],
  meta: { source: `s${id % 7}`, depth: { level: id % 4 } },
  at: new Date(1.7e12 + id * 1000).toISOString(),
  large: 2 ** 40 + id,
});

function report(rounds: readonly Round[], inspectionMs: number): boolean {
  const ratios = rounds.map(({ bareMs, oursMs }) => oursMs / bareMs);
  const ratio = median(ratios);
  const isKept = ratio <= MAX_RATIO;
  const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  const ms = (values: readonly number[]) => median(values).toFixed(0);
  console.log(`\nMedians of the rounds; the inspection before them took ${inspectionMs.toFixed(0)} ms\n`);
  printTable([
    ['jsonl to parquet', 'ms', 'ratio', 'of rounds', 'bound', ''],
    ['bare statement', ms(rounds.map(({ bareMs }) => bareMs)), '', '', '', ''],
    [
      'Drydock',
      ms(rounds.map(({ oursMs }) => oursMs)),
      ratio.toFixed(2),
      range,
      `<= ${MAX_RATIO}`,
      verdict(isKept),
    ],
  ]);
  return isKept;
}
