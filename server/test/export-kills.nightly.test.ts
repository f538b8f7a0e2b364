/** kill -9 during exports: each ends completed, with the whole file behind its link, and killed attempts leave nothing behind. */
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../src/platform/db/connect.ts';
import { createLog } from '../src/platform/log.ts';
import { findQueryProcesses } from './descendants.ts';
import { download, EXPORTS, type ExportResponse, queryParquet } from './exported-files.ts';
import { FIRST_START } from './first-start.ts';
import {
  call,
  newDataDir,
  postmasterOf,
  type RunningServer,
  startServer,
  until,
  urlOfRunning,
} from './processes.ts';

const ROUNDS = Number(process.env.DRYDOCK_TEST_ROUNDS ?? 20);
const KEY = FIRST_START.apiKey;
const SESSIONS = 20;
const environment = { DRYDOCK_DATA_DIR: newDataDir(), DRYDOCK_INIT_API_KEY: KEY, DRYDOCK_LOG_LEVEL: 'fatal' };

let server: RunningServer;
beforeAll(async () => {
  server = await startServer(environment);
  for (let n = 0; n < SESSIONS; n++) {
    const body = { id: randomUUID(), model: 'sim/echo', title: `Session ${n}` };
    expect((await call(server.url, KEY, 'POST', '/org/main/ws/main/sessions', body)).status).toBe(201);
  }
});
afterAll(() => server.stop());

/** Takes about a second and writes megabytes, so that a kill may hit any phase. */
const QUERY = `SELECT s.title, t.n, md5(s.title || '/' || t.n) AS digest FROM sessions AS s, range(20000) AS t(n) ORDER BY digest`;
const ROWS = SESSIONS * 20_000;

async function begin(): Promise<string> {
  const { status, body } = await call<ExportResponse>(server.url, KEY, 'POST', EXPORTS, { query: QUERY });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.id;
}

const untilCompleted = (id: string) =>
  until(
    'the export has ended',
    async () => {
      const { body } = await call<ExportResponse>(server.url, KEY, 'GET', `${EXPORTS}/${id}`);
      expect(['queued', 'running', 'completed'], JSON.stringify(body)).toContain(body.status);
      return body.status === 'completed' && body;
    },
    120_000,
  );

/** Checks that the file behind the link is complete and contains the requested rows. */
async function examine(done: ExportResponse): Promise<void> {
  expect(done.row_count).toBe(ROWS);
  const bytes = await download(done.presigned_url);
  expect(bytes).toHaveLength(done.file_size_bytes);
  const figures = `SELECT count(*), count(DISTINCT digest), bool_and(digest = md5(title || '/' || n)) FROM file`;
  expect(await queryParquet(bytes, figures)).toEqual([[String(ROWS), String(ROWS), true]]);
}

type Victim = 'server' | 'child' | 'server and database';

async function kill(victim: Victim): Promise<void> {
  const { pid } = server;
  if (victim === 'child') {
    await until('a child is killed', () => killChild(pid), 60_000);
    return;
  }
  const children = findQueryProcesses(pid);
  if (victim === 'server and database') process.kill(postmasterOf(environment.DRYDOCK_DATA_DIR), 'SIGKILL');
  process.kill(pid, 'SIGKILL');
  await server.exited;
  const isGone = (one: { readonly pid: number }) => !isAlive(one.pid);
  await until('the processes that it had started have ended', () => children.every(isGone), 10_000);
  server = await startServer(environment);
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`drydock-work-${pid}-`))).toEqual([]);
}

/** Kills any DuckDB child process, if there is one. */
function killChild(pid: number): boolean {
  const found = findQueryProcesses(pid);
  const victim = found[Math.floor(Math.random() * found.length)];
  try {
    return victim !== undefined && process.kill(victim.pid, 'SIGKILL');
  } catch {
    return false; // it has ended by itself in between
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Lists the stored objects, and those that a row names. */
async function listObjects(): Promise<{ stored: string[]; named: string[] }> {
  const url = urlOfRunning(environment.DRYDOCK_DATA_DIR);
  const db = connect({ url, poolSize: 1, namedStatements: false, log: createLog('fatal') });
  try {
    const stored = await sql<{
      key: string;
    }>`SELECT key FROM stored_objects WHERE key LIKE 'exports/%'`.execute(db);
    const named = await sql<{ key: string }>`
      SELECT object_key AS key FROM exports /* of every organization */ WHERE object_key IS NOT NULL`.execute(
      db,
    );
    const sorted = ({ rows }: typeof stored) => rows.map(({ key }) => key).toSorted();
    return { stored: sorted(stored), named: sorted(named) };
  } finally {
    await db.destroy();
  }
}

const VICTIMS: readonly Victim[] = ['server', 'child', 'server and database'];

test(`${ROUNDS} rounds leave no export incomplete, no file truncated, and nothing behind`, {
  timeout: ROUNDS * 180_000,
}, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const ids = [await begin(), await begin(), await begin()];
    const victim = VICTIMS[round % VICTIMS.length] ?? 'server';
    await sleep(Math.random() * (victim === 'child' ? 1_500 : 4_000));
    await kill(victim);
    for (const id of ids) await examine(await untilCompleted(id));
    const { stored, named } = await listObjects();
    expect(stored).toEqual(named);
    expect(named).toHaveLength(3 * (round + 1));
    await until('nothing works any more', () => findQueryProcesses(server.pid).length === 0);
    console.info(`round ${round + 1}: ${victim} killed; ${named.length} files are whole`);
  }
});
