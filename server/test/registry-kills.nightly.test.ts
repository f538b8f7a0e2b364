/** kill -9 during publications and conversions: no version is half published, a repetition succeeds, and nothing is left behind. */
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runningUrl } from '../src/platform/db/bundled-postgres.ts';
import { connect, type Db } from '../src/platform/db/connect.ts';
import { findPostmaster } from '../src/platform/db/postmaster-file.ts';
import { JobQueue } from '../src/platform/jobs/queue.ts';
import { createLog } from '../src/platform/log.ts';
import { readBundle } from '../src/registry/publish/bundle.ts';
import { FIRST_START } from './first-start.ts';
import { newDataDir, pgdataOf, postmasterOf, type RunningServer, startServer, until } from './processes.ts';
import {
  filesOf,
  type PendingChange,
  type Published,
  pathOf,
  Refusal,
  type Registry,
  RegistryWriter,
  sha256Of,
} from './registry-writers.ts';

const ROUNDS = Number(process.env.DRYDOCK_TEST_ROUNDS ?? 20);
const WRITERS = 4;
const KEY = FIRST_START.apiKey;
const log = createLog('fatal');
const environment = { DRYDOCK_DATA_DIR: newDataDir(), DRYDOCK_INIT_API_KEY: KEY, DRYDOCK_LOG_LEVEL: 'fatal' };

let server: RunningServer;
beforeAll(async () => {
  server = await startServer(environment);
});
afterAll(() => server.stop());

async function ask(method: string, path: string, body?: unknown): Promise<Response> {
  const isBytes = body instanceof Uint8Array;
  return fetch(`${server.url}/api/v1/org/main${path}`, {
    method,
    headers: {
      authorization: `Bearer ${KEY}`,
      ...(body !== undefined && { 'content-type': isBytes ? 'application/gzip' : 'application/json' }),
    },
    ...(body !== undefined && { body: isBytes ? Buffer.from(body) : JSON.stringify(body) }),
    signal: AbortSignal.timeout(60_000),
  });
}

/** Since when a server may fail because it is being killed. */
let isBeingKilled = false;

function refusalOf(status: number, text: string): Error {
  return status >= 500 && isBeingKilled ? new Error(text) : new Refusal(status, text);
}

const registry: Registry = {
  send: async (method, path, body) => {
    const response = await ask(method, path, body);
    const text = await response.text();
    if (!response.ok) throw refusalOf(response.status, `${method} ${path}: ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  },
  put: async (url, content) => {
    const response = await fetch(url, { method: 'PUT', body: Buffer.from(content) });
    if (!response.ok) throw refusalOf(response.status, `PUT: ${await response.text()}`);
  },
};

async function getJson<T>(path: string): Promise<T> {
  const response = await ask('GET', path);
  expect(response.status, path).toBe(200);
  return (await response.json()) as T;
}

/** Lists all versions, including those that the writers do not know of. */
async function listVersions(kind: Published['kind']): Promise<Published[]> {
  const all: Published[] = [];
  const page = await getJson<Record<string, { name: string }[]>>(`/${kind}?limit=100`);
  for (const { name } of page[kind] ?? []) {
    const local = name.replace('main/', '');
    for (let number = 1, more = true; more; number++) {
      const { versions, has_next } = await getJson<{ versions: string[]; has_next: boolean }>(
        `/${kind}/${local}/versions?limit=200&page=${number}`,
      );
      all.push(...versions.map((version) => ({ kind, name: local, version })));
      more = has_next;
    }
  }
  return all;
}

interface ListedFile {
  readonly path: string;
  readonly size_bytes: number;
  readonly sha256: string;
}

/** @returns the problems of the version */
async function examine(version: Published): Promise<string[]> {
  const expected = Object.entries(filesOf(version));
  const { files } = await getJson<{ files: ListedFile[] }>(`${pathOf(version)}/files?limit=1000`);
  const manifests = files.filter(({ path }) => path.endsWith('.yaml'));
  const wrong =
    files.length - manifests.length === expected.length ? [] : [`${pathOf(version)} has other files`];
  for (const [path, content] of expected) {
    const response = await ask('GET', `${pathOf(version)}/files/${encodeURI(path)}`);
    const bytes = Buffer.from(await response.arrayBuffer());
    if (!response.ok || !bytes.equals(content)) wrong.push(`${pathOf(version)}/${path}: ${response.status}`);
    if (files.find((file) => file.path === path)?.sha256 !== sha256Of(content)) wrong.push(`${path}: digest`);
  }
  return wrong;
}

async function besideServer<T>(work: (db: Db, url: string) => Promise<T>): Promise<T> {
  const pgdata = pgdataOf(environment.DRYDOCK_DATA_DIR);
  const postmaster = findPostmaster(pgdata);
  if (!postmaster) throw new Error('no PostgreSQL runs');
  const url = runningUrl(pgdata, postmaster);
  const db = connect({ url, poolSize: 4, namedStatements: true, log });
  try {
    return await work(db, url);
  } finally {
    await db.destroy();
  }
}

/** Moves the clean-ups' clock by an hour at a time while writers publish and delete, until the signal. */
function sweepMeanwhile(signal: AbortSignal): Promise<void> {
  return besideServer(async (db, url) => {
    const queue = new JobQueue({ url, db, log, isWorker: false });
    await queue.start([]);
    try {
      while (!signal.aborted) {
        await ageUnusedBlobs(db);
        await queue.boss.send('platform.sweep');
        await sleep(100);
      }
    } finally {
      await queue.stop();
    }
  });
}

/** Locks rows in the usual order and skips locked ones. */
const ageUnusedBlobs = (db: Db) =>
  sql`
  WITH unused AS (
    SELECT organization_id, sha256 FROM artifact_blobs WHERE unused_since IS NOT NULL
     ORDER BY organization_id, sha256 FOR NO KEY UPDATE SKIP LOCKED)
  UPDATE artifact_blobs b SET unused_since = now() - interval '2 hours' FROM unused u
   WHERE b.organization_id = u.organization_id AND b.sha256 = u.sha256`.execute(db);

/**
 * Runs at once what the clean-ups do in the course of a day.
 * @returns how many objects they removed
 */
function sweepAll(): Promise<number> {
  return besideServer(async (db, url) => {
    const queue = new JobQueue({ url, db, log, isWorker: false });
    await queue.start([]);
    const before = await findObjects(db);
    // A sweep that was killed is replaced only after its heartbeat is a minute old.
    await sql`DELETE FROM pgboss.job WHERE name = 'platform.sweep' AND state = 'active'`.execute(db);
    try {
      await until(
        'the server has swept',
        async () => {
          await sql`UPDATE registry_uploads SET sweep_at = now() WHERE sweep_at > now()`.execute(db);
          await ageUnusedBlobs(db);
          await queue.boss.send('platform.sweep');
          await sleep(300);
          return (await countOpenRows(db)) === 0;
        },
        60_000,
      );
      const after = await findObjects(db);
      const { rows: blobs } = await sql<{ key: string }>`
        SELECT object_key AS key FROM artifact_blobs b
         WHERE EXISTS (SELECT FROM artifact_files f WHERE f.organization_id = b.organization_id AND f.sha256 = b.sha256)
            OR EXISTS (SELECT FROM artifact_conversions c
                        WHERE c.organization_id = b.organization_id AND c.result_sha256 = b.sha256)`.execute(
        db,
      );
      expect(after).toEqual(blobs.map(({ key }) => key).toSorted());
      return before.length - after.length;
    } finally {
      await queue.stop();
    }
  });
}

async function findObjects(db: Db): Promise<string[]> {
  const { rows } = await sql<{
    key: string;
  }>`SELECT key FROM stored_objects WHERE key LIKE 'registry/%'`.execute(db);
  return rows.map(({ key }) => key).toSorted();
}

/** Counts rows that wait for a clean-up or for a worker. */
async function countOpenRows(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT (SELECT count(*) FROM registry_uploads) + (SELECT count(*) FROM artifact_blobs WHERE unused_since IS NOT NULL)
         + (SELECT count(*) FROM artifact_downloads WHERE NOT is_counted)
         + (SELECT count(*) FROM artifact_conversions WHERE status <> 'completed') AS count`.execute(db);
  return rows[0]?.count ?? 0;
}

async function isMadeOf(
  version: Published,
  format: PendingChange['body']['format'],
  bytes: Buffer,
): Promise<boolean> {
  const files = filesOf(version);
  if (format === 'parquet')
    return [bytes.subarray(0, 4), bytes.subarray(-4)].every((end) => end.equals(PARQUET));
  if (format === 'csv') return bytes.equals(toCsv(files['train.jsonl'] ?? Buffer.alloc(0)));
  const left = new Map(Object.entries(files));
  for await (const { path, body } of readBundle(Readable.from([bytes]))) {
    const content = await buffer(body);
    if (left.get(path)?.equals(content)) left.delete(path);
  }
  return left.size === 0;
}

const PARQUET = Buffer.from('PAR1');

function toCsv(jsonl: Buffer): Buffer {
  const rows = jsonl
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { n: number; text: string });
  return Buffer.from(`n,text\n${rows.map(({ n, text }) => `${n},${text}\n`).join('')}`);
}

/** Fulfils every open request for a conversion. */
async function fulfil({ pendingChanges }: RegistryWriter): Promise<void> {
  for (const { of, body } of pendingChanges.values()) {
    const path = `${pathOf(of)}/download`;
    const url = await until(
      `${path} is ready`,
      async () => {
        const response = (await registry.send('POST', path, body)) as { status: string; url: string };
        expect(response.status).not.toBe('failed');
        return response.status === 'ready' && response.url;
      },
      60_000,
    );
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(await isMadeOf(of, body.format, Buffer.from(await response.arrayBuffer()))).toBe(true);
  }
  pendingChanges.clear();
}

const total = (writers: readonly RegistryWriter[]) =>
  writers.flatMap(({ counts }) => Object.values(counts)).reduce((sum, count) => sum + count, 0);

const workFoldersOf = (pid: number) =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`drydock-work-${pid}-`));

test(`${ROUNDS} rounds leave no version half published, and nothing behind`, {
  timeout: ROUNDS * 120_000,
}, async () => {
  const writers = Array.from({ length: WRITERS }, (_, number) => new RegistryWriter(`writer-${number}`));
  for (let round = 1; round <= ROUNDS; round++) {
    const before = total(writers);
    isBeingKilled = false;
    const sweeping = new AbortController();
    const swept = sweepMeanwhile(sweeping.signal);
    const writing = Promise.all(writers.map((writer) => writer.write(registry)));
    // A refused write, which should not occur, fails here immediately.
    await Promise.race([
      until('work is done', () => total(writers) >= before + 2 * WRITERS, 60_000),
      writing,
    ]);
    await sleep(Math.random() * 1_500);
    sweeping.abort();
    await Promise.race([swept, writing]);
    isBeingKilled = true;
    const { pid } = server;
    const postmaster = postmasterOf(environment.DRYDOCK_DATA_DIR);
    for (const victim of { 0: [postmaster, pid], 1: [pid], 2: [pid, postmaster] }[round % 3] ?? [])
      process.kill(victim, 'SIGKILL');
    await server.exited;
    await writing;

    server = await startServer(environment);
    isBeingKilled = false;
    expect(workFoldersOf(pid)).toEqual([]);
    const listed = [...(await listVersions('datasets')), ...(await listVersions('models'))];
    for (const version of listed) expect(await examine(version)).toEqual([]);
    const known = new Set(listed.map(pathOf));
    expect(
      writers.flatMap(({ published }) => published.map(pathOf)).filter((path) => !known.has(path)),
    ).toEqual([]);
    for (const writer of writers) await writer.finish(registry);
    for (const writer of writers) await fulfil(writer);
    const removed = await sweepAll();
    const done = (way: keyof RegistryWriter['counts']) =>
      writers.reduce((sum, { counts }) => sum + counts[way], 0);
    console.info(
      `round ${round}: so far ${done('bundle')} bundles, ${done('uploads')} uploads, ${done('download')} downloads and ` +
        `${done('deletion')} deletions answered; ${removed} objects swept`,
    );
  }
});
