/** Limits of the process around DuckDB: memory, time, files. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { makeFolder, until } from '../../../test/processes.ts';
import { openTestWork } from '../../../test/work-folders.ts';
import { convertDataFile, inspectDataFile } from './analytics.ts';
import { openLocked } from './child/locked-duckdb.ts';
import { findConfinement } from './confinement.ts';
import { BoundError, type DataFile, type DataFormat } from './data-file.ts';

const MEBIBYTE = 1024 ** 2;
const { signal } = new AbortController();
const work = await openTestWork();
const folder = makeFolder();
let files = 0;
const newPath = (format: DataFormat) => join(folder, `${files++}.${format}`);

async function write(path: string, text: string): Promise<DataFile> {
  writeFileSync(path, text);
  return { path, format: 'jsonl', ...(await inspectDataFile({ work, path, format: 'jsonl', signal })) };
}

/** Created by an unrestricted DuckDB. */
async function makeParquet(select: string): Promise<string> {
  const path = newPath('parquet');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet, COMPRESSION zstd)`);
  return path;
}

/** Lists the child processes of this one, running or zombies. */
function children(): number[] {
  const started = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === process.pid);
  return started.map(Number);
}

function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

const jobsIn = () => readdirSync(work.path).filter((name) => name.startsWith('job-'));

test('an input that needs too much memory fails with a message', async () => {
  const path = await makeParquet(`SELECT repeat('x', 20000000) AS a FROM range(3)`);
  const inspection = { work, path, format: 'parquet' as const, signal };
  await expect(inspectDataFile({ ...inspection, bounds: { memoryBytes: 32 * MEBIBYTE } })).rejects.toThrow(
    new BoundError('memory', 'needs more than 32 MiB of memory to read; split it into smaller files or rows'),
  );
  expect(await inspectDataFile(inspection)).toMatchObject({ row_count: 3 });
  expect(children()).toEqual([]);
  expect(jobsIn()).toEqual([]);
});

/** Nobody writes to this pipe, so its reader waits, however fast the machine is. */
const endless = newPath('jsonl');
execFileSync('mkfifo', [endless]);

test('a process over its time limit is killed, and leaves nothing', async () => {
  const bounds = { timeoutMs: 1500 };
  const inspection = inspectDataFile({ work, path: endless, format: 'jsonl', signal, bounds });
  const failed = expect(inspection).rejects.toThrow(
    new BoundError('time', 'takes longer than 1.5 s to read; split it into smaller files or rows'),
  );
  const [child] = await until('the process runs', () => (children().length > 0 ? children() : undefined));
  // A child has none of our variables: neither secrets nor addresses.
  expect(readFileSync(`/proc/${child}/environ`, 'utf8')).not.toContain('PATH=');
  // The kernel's limit, for allocations that DuckDB does not count: 768 MiB for the program, 1 GiB for the data.
  const limits = () => readFileSync(`/proc/${child}/limits`, 'utf8');
  await until('it is bounded', () => /Max data size +1879048192 /.test(limits()) || undefined);
  await failed;
  expect(children()).toEqual([]);
  expect(jobsIn()).toEqual([]);
});

test('the process ends when its caller disconnects', async () => {
  const leaving = new AbortController();
  const request = { work, path: endless, format: 'jsonl' as const, signal: leaving.signal };
  const all = [1, 2].map(() => inspectDataFile(request));
  const settled = Promise.allSettled(all);
  await until('two run', () => children().length === 2 || undefined);
  leaving.abort(new Error('gone'));
  expect(await settled).toEqual(all.map(() => ({ status: 'rejected', reason: new Error('gone') })));
  expect(children()).toEqual([]);
  const path = newPath('jsonl');
  expect(await write(path, '{"a":1}\n')).toMatchObject({ row_count: 1 });
});

test('a target that becomes too large is not written completely', async () => {
  const source: DataFile = {
    path: await makeParquet('SELECT 1 AS a FROM range(8000000)'),
    format: 'parquet',
    row_count: 8e6,
    columns: [{ name: 'a', type: 'INTEGER' }],
  };
  const target = { path: newPath('jsonl'), format: 'jsonl' as const };
  const conversion = convertDataFile({ work, source, target, signal, maxTargetBytes: 16 * MEBIBYTE });
  await expect(conversion).rejects.toThrow(new BoundError('target_size', 'becomes larger than 16 MiB'));
});

test('DuckDB can access the named files and nothing else', async () => {
  const named = newPath('jsonl');
  const target = newPath('csv');
  const other = newPath('jsonl');
  for (const path of [named, other]) writeFileSync(path, '{"a":1}\n');
  const scratch = join(folder, 'scratch');
  mkdirSync(scratch);
  const lockdown = { paths: [named, target], scratch, memoryBytes: 256 * MEBIBYTE, threads: 1 };
  const connection = await openLocked(lockdown);
  await connection.run(`SELECT * FROM read_json('${named}')`);
  await connection.run(`COPY (SELECT 1) TO '${target}'`);
  const outside = newPath('csv');
  const refused = [
    `SELECT * FROM read_json('${other}')`,
    `SELECT * FROM read_text('/etc/passwd')`,
    `SELECT * FROM glob('/etc/*')`,
    `COPY (SELECT 1) TO '${outside}'`,
    `COPY (SELECT 1) TO '${named}x'`,
    `ATTACH '${outside}'`,
    `EXPORT DATABASE '${folder}/export'`,
    'INSTALL httpfs',
    'LOAD httpfs',
    `LOAD '${other}'`,
    `SELECT * FROM read_csv('http://127.0.0.1:9/x.csv')`,
    'SET enable_external_access = true',
    'SET lock_configuration = false',
    `SET allowed_paths = ['${other}']`,
    `SET memory_limit = '100GB'`,
    `SET temp_directory = '/tmp'`,
  ];
  for (const statement of refused) {
    await expect(connection.run(statement), statement).rejects.toThrow(
      /Permission Error|configuration has been locked|Cannot change|disabled/,
    );
  }
  expect([existsSync(outside), existsSync(`${folder}/export`)]).toEqual([false, false]);
});

const makesNamespaces =
  spawnSync('bwrap', ['--unshare-user', '--unshare-pid', '--unshare-net', '--ro-bind', '/', '/', 'true'])
    .status === 0;

test.skipIf(!makesNamespaces)('findConfinement returns namespaces where bwrap can make them', async () => {
  expect(await findConfinement()).toEqual({ kind: 'namespaces', reason: undefined });
});

test.skipIf(!makesNamespaces)(
  'a confined process looks for compiled modules where the trial query put them',
  () => {
    const cache = join(folder, 'compiled');
    const script = `
    import { execFileSync } from 'node:child_process';
    import { compileCache, findConfinement } from ${JSON.stringify(join(import.meta.dirname, 'confinement.ts'))};
    import { HEAP_MIB } from ${JSON.stringify(join(import.meta.dirname, 'analytics-process.ts'))};
    await findConfinement();
    const ask = ['--max-old-space-size=' + HEAP_MIB, '-p', 'require("node:module").getCompileCacheDir()'];
    const env = { NODE_COMPILE_CACHE: compileCache() + '/confined' };
    process.stdout.write(execFileSync(process.execPath, ask, { env }));`;
    // Options of V8 are part of the name under which Node keeps compiled modules. The server has others than its query processes.
    const args = ['--max-semi-space-size=8', '--input-type=module', '-e', script];
    const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: cache };
    const sought = execFileSync(process.execPath, args, { env, encoding: 'utf8' }).trim();
    // The last part of the name is the user, who is nobody inside.
    const inside = sought.replace(/\d+$/, '65534');
    expect(readdirSync(inside).length).toBeGreaterThan(50);
  },
);
