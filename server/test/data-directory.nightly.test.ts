/** Unusual data directories: closed to other users, deeply nested, or of another account or release. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findBundledBinaries } from '../src/platform/db/bundled-binaries.ts';
import { findPostmaster } from '../src/platform/db/postmaster-file.ts';
import {
  call,
  isPostgresStopped,
  makeFolder,
  newDataDir,
  pgdataOf,
  postmasterOf,
  spawnServer,
  startServer,
  until,
} from './processes.ts';

const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;

/** Fields of /proc/<pid>/status; the first of several values is the real one. */
function readStatus(pid: number): { uid: number; capabilities: bigint } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1] ?? '';
  return { uid: Number(field('Uid')), capabilities: BigInt(`0x${field('CapEff')}`) };
}

function childrenOf(pid: number): number[] {
  return globSync(`/proc/${pid}/task/*/children`).flatMap((file) =>
    readFileSync(file, 'utf8').trim().split(' ').map(Number),
  );
}

async function startAndUse(dataDir: string, uid?: number) {
  // Another user needs a temporary folder of their own.
  const [options, TMPDIR] = uid === undefined ? [{}, tmpdir()] : [{ uid }, dirname(dataDir)];
  const server = await startServer({ DRYDOCK_DATA_DIR: dataDir, TMPDIR }, options);
  // The key of the first owner is printed until it is used.
  if (server.owner) expect((await call(server.url, server.owner.key, 'GET', '/user')).status).toBe(200);
  return server;
}

const DAC_READ_SEARCH = 1n << 2n;

describe.skipIf(!isRoot)(
  'the server as root (otherwise PostgreSQL runs as the user who starts the server)',
  () => {
    const isOpen = isReadableByOthers(findBundledBinaries().postgres);

    test.skipIf(!isOpen)(
      'runs PostgreSQL as an ordinary account without any capability (in an open checkout)',
      async () => {
        const dataDir = newDataDir();
        const server = await startAndUse(dataDir);
        const postmaster = postmasterOf(dataDir);
        const processes = [postmaster, ...childrenOf(postmaster)];
        expect(processes.length).toBeGreaterThan(3);
        const { uid } = statSync(pgdataOf(dataDir));
        expect(uid).not.toBe(0);
        for (const pid of processes) expect(readStatus(pid)).toEqual({ uid, capabilities: 0n });
        await server.stop();
      },
    );

    test('lets PostgreSQL only search and read under a folder that is closed to others', async () => {
      const closed = join(makeFolder(), 'closed');
      mkdirSync(closed, { mode: 0o700 });
      const dataDir = join(closed, 'a', 'data');
      const first = await startAndUse(dataDir);
      const { uid, capabilities } = readStatus(postmasterOf(dataDir));
      expect(uid).not.toBe(0);
      expect(capabilities).toBe(DAC_READ_SEARCH);
      expect(statSync(closed).mode & 0o777).toBe(0o700);
      await first.stop();
      const second = await startServer({ DRYDOCK_DATA_DIR: dataDir });
      expect((await call(second.url, first.owner?.key, 'GET', '/user')).status).toBe(200);
      expect(await second.stop()).toEqual({ code: 0, signal: null });
    });

    test.skipIf(!isReadableByOthers(process.execPath, import.meta.filename, findBundledBinaries().postgres))(
      'an ordinary user runs all processes as themselves (needs a checkout that others can read)',
      async () => {
        const dataDir = join(makeFolder(NOBODY), 'data');
        const first = await startAndUse(dataDir, NOBODY);
        expect(readStatus(first.pid).uid).toBe(NOBODY);
        expect(readStatus(postmasterOf(dataDir))).toEqual({ uid: NOBODY, capabilities: 0n });
        expect(statSync(dataDir).mode & 0o777).toBe(0o700);
        expect(await first.stop()).toEqual({ code: 0, signal: null });
        // Root would leave files there that the user cannot use.
        const refused = spawnServer({ DRYDOCK_DATA_DIR: dataDir });
        expect(await refused.exited).toEqual({ code: 1, signal: null });
        expect(refused.output().stderr).toContain('Start Drydock as that user: sudo -u nobody npm run up');
        const second = await startAndUse(dataDir, NOBODY);
        expect(await second.stop()).toEqual({ code: 0, signal: null });
      },
    );
  },
);

function isReadableByOthers(...paths: string[]): boolean {
  const isOpen = (path: string, bit: number) => (statSync(path).mode & bit) !== 0;
  return paths.every((path) => {
    if (!isOpen(path, 0o004)) return false;
    for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder))
      if (!isOpen(folder, 0o001)) return false;
    return true;
  });
}

test('a data directory whose path is too long for a socket works, and its socket is removed afterwards', async () => {
  const dataDir = join(makeFolder(), 'x'.repeat(60), 'y'.repeat(60), 'data');
  expect(join(pgdataOf(dataDir), '.s.PGSQL.5432').length).toBeGreaterThan(107);
  const server = await startAndUse(dataDir);
  const socketDir = findPostmaster(pgdataOf(dataDir))?.socketDir ?? '';
  expect(dirname(socketDir)).toBe(tmpdir());
  expect(statSync(socketDir).mode & 0o777).toBe(0o700);
  const second = spawnServer({ DRYDOCK_DATA_DIR: dataDir });
  expect(await second.exited).toEqual({ code: 1, signal: null });
  expect(second.output().stderr).toContain('The data directory is in use');
  expect((await call(server.url, server.owner?.key, 'GET', '/user')).status).toBe(200);
  expect(await server.stop()).toEqual({ code: 0, signal: null });
  expect(existsSync(socketDir)).toBe(false);
});

describe('a data directory whose path has spaces, quotes, percent signs and other alphabets', () => {
  const dataDir = join(makeFolder(), `it's "my", 100% дата & ünïcode`, 'data');
  let key: string | undefined;

  test('works', async () => {
    const server = await startAndUse(dataDir);
    key = server.owner?.key;
    expect(await server.stop()).toEqual({ code: 0, signal: null });
  });

  test('a data directory of another PostgreSQL release is refused with a solution and left unchanged', async () => {
    const version = join(pgdataOf(dataDir), 'PG_VERSION');
    const bundled = readFileSync(version, 'utf8');
    writeFileSync(version, '17\n');
    const before = describeFiles(dataDir);

    const refused = spawnServer({ DRYDOCK_DATA_DIR: dataDir });
    expect(await refused.exited).toEqual({ code: 1, signal: null });
    const { stdout, stderr } = refused.output();
    expect(stdout).toBe('');
    expect(stderr).toContain(`was made by PostgreSQL 17; this Drydock bundles PostgreSQL ${bundled.trim()}`);
    expect(stderr).toContain('Nothing was changed');
    expect(stderr).toContain('DATABASE_URL');
    expect(stderr).toContain('pg_dump');
    expect(isPostgresStopped(dataDir)).toBe(true);
    expect(describeFiles(dataDir)).toEqual(before);

    writeFileSync(version, bundled);
    const again = await startServer({ DRYDOCK_DATA_DIR: dataDir });
    expect((await call(again.url, key, 'GET', '/user')).status).toBe(200);
    await again.stop();
  });
});

/** Describes every file by its owner, mode, time of change and content. */
function describeFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const path = join(folder, name);
      const { mode, uid, mtimeMs } = lstatSync(path);
      const content = lstatSync(path).isFile()
        ? createHash('sha1').update(readFileSync(path)).digest('hex')
        : '';
      return [name, mode, uid, mtimeMs, content].join(' ');
    });
}

describe('two processes that start together', () => {
  const environment = { DRYDOCK_DATA_DIR: newDataDir() };

  test.each(['an empty', 'an initialised'])(
    'on %s directory: one runs, and the other is refused',
    async () => {
      const processes = [spawnServer(environment), spawnServer(environment)];
      const refused = await Promise.race(
        processes.map(async (process) => ({ process, exit: await process.exited })),
      );
      expect(refused.exit).toEqual({ code: 1, signal: null });
      const winner = processes.find((process) => process !== refused.process);
      await until('the other runs', () => winner?.output().stdout.includes('Drydock runs on'));
      expect(await winner?.stop()).toEqual({ code: 0, signal: null });
      expect(isPostgresStopped(environment.DRYDOCK_DATA_DIR)).toBe(true);
    },
  );
});
