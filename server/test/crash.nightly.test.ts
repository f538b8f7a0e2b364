/** Kills processes: acknowledged writes are kept, and the remaining processes recover by themselves. */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPostmaster, isAlive } from '../src/platform/db/postmaster-file.ts';
import { FIRST_START } from './first-start.ts';
import {
  call,
  type ErrorBody,
  newDataDir,
  type ProcessResponse,
  pgdataOf,
  postmasterOf,
  type RunningServer,
  spawnServer,
  startServer,
  until,
} from './processes.ts';

const ROUNDS = Number(process.env.DRYDOCK_TEST_ROUNDS ?? 20);
const WRITERS = 8;
const RECOVERY_MS = 10_000;
const PROJECTS = '/org/main/ws/main/projects';
const KEY = FIRST_START.apiKey;

const newEnvironment = () => ({
  DRYDOCK_DATA_DIR: newDataDir(),
  DRYDOCK_INIT_API_KEY: KEY,
  DRYDOCK_LOG_LEVEL: 'warn',
});

type Outcome = ProcessResponse<unknown> | 'no answer';

const tryCall = (...args: Parameters<typeof call>): Promise<Outcome> =>
  call(...args).catch(() => 'no answer' as const);

const isKilledBySignal = { code: null, signal: 'SIGKILL' };

describe('kill -9 of the server and of PostgreSQL under writes', () => {
  const environment = newEnvironment();
  const attempted = new Set<string>();
  const acknowledged = new Set<string>();
  let server: RunningServer;

  beforeAll(async () => {
    server = await startServer(environment);
  });
  afterAll(() => server.stop());

  /** Creates one project after the other until the server stops responding. */
  async function write(prefix: string): Promise<void> {
    for (let count = 0; ; count++) {
      const key = `${prefix}-${count}`;
      attempted.add(key);
      const outcome = await tryCall(server.url, KEY, 'POST', PROJECTS, { name: key, key });
      if (outcome === 'no answer') return;
      if (outcome.status === 201) acknowledged.add(key);
      else expect(outcome).toMatchObject({ status: 500, body: { code: 500 } });
    }
  }

  test(`loses no acknowledged write in ${ROUNDS} rounds`, { timeout: ROUNDS * 30_000 }, async () => {
    for (let round = 1; round <= ROUNDS; round++) {
      const before = acknowledged.size;
      const postmaster = postmasterOf(environment.DRYDOCK_DATA_DIR);
      const writing = Promise.all(
        Array.from({ length: WRITERS }, (_, writer) => write(`r${round}-w${writer}`)),
      );
      await until('writes are acknowledged', () => acknowledged.size >= before + WRITERS);
      await sleep(Math.random() * 400);
      const victims = round % 2 === 0 ? [server.pid, postmaster] : [postmaster, server.pid];
      for (const pid of victims) process.kill(pid, 'SIGKILL');
      expect(await server.exited).toEqual(isKilledBySignal);
      await writing;

      const began = performance.now();
      server = await startServer(environment);
      const startMs = Math.round(performance.now() - began);
      const { status, body } = await call<{ key: string }[]>(server.url, KEY, 'GET', PROJECTS);
      expect(status).toBe(200);
      const found = new Set(body.map(({ key }) => key));
      expect([...acknowledged].filter((key) => !found.has(key))).toEqual([]);
      expect([...found].filter((key) => key !== 'default' && !attempted.has(key))).toEqual([]);
      const written = acknowledged.size - before;
      console.info(
        `round ${round}: ${written} new of ${acknowledged.size} acknowledged writes found, ` +
          `${found.size - 1 - acknowledged.size} unacknowledged; started again in ${startMs} ms`,
      );
    }
  });

  test('kill -9 of the server alone does not hinder the next start', async () => {
    const postmaster = postmasterOf(environment.DRYDOCK_DATA_DIR);
    expect(await server.stop('SIGKILL')).toEqual(isKilledBySignal);
    server = await startServer(environment);
    expect(postmasterOf(environment.DRYDOCK_DATA_DIR)).not.toBe(postmaster);
    // The process entry of a killed process stays for a while if nothing reaps it at once.
    await until('the old PostgreSQL has gone', () => !isAlive(postmaster));
    const { body } = await call<unknown[]>(server.url, KEY, 'GET', PROJECTS);
    expect(body.length).toBeGreaterThan(acknowledged.size);
  });
});

describe('the server survives when only PostgreSQL ends', () => {
  const environment = newEnvironment();
  let server: RunningServer;
  let count = 0;

  beforeAll(async () => {
    server = await startServer(environment);
  });
  afterAll(() => server.stop());

  const createOne = () => {
    const key = `p-${count++}`;
    return call<ErrorBody>(server.url, KEY, 'POST', PROJECTS, { name: key, key });
  };

  /** Reads and writes continuously while the database is away, until both work again. */
  async function hammerThrough(end: () => Promise<void>): Promise<ProcessResponse<ErrorBody>[]> {
    const responses: ProcessResponse<ErrorBody>[] = [];
    const done = new AbortController();
    const hammer = async (send: () => Promise<ProcessResponse<ErrorBody>>) => {
      while (!done.signal.aborted) {
        responses.push(await send());
        await sleep(5);
      }
    };
    const read = () => call<ErrorBody>(server.url, KEY, 'GET', PROJECTS);
    const hammering = Promise.all([read, read, createOne, createOne, createOne].map(hammer));
    await sleep(200);
    await end();
    const works = async () => (await read()).status === 200 && (await createOne()).status === 201;
    await until('the server works again', works, RECOVERY_MS).finally(() => done.abort());
    await hammering;
    return responses;
  }

  test.each(['SIGKILL', 'SIGINT'] as const)(
    `%s of PostgreSQL: failures use the error envelope, and everything works again within ${RECOVERY_MS / 1000} s`,
    async (signal) => {
      const postmaster = postmasterOf(environment.DRYDOCK_DATA_DIR);
      const responses = await hammerThrough(async () => {
        process.kill(postmaster, signal);
        await until('another PostgreSQL runs', () => {
          const found = findPostmaster(pgdataOf(environment.DRYDOCK_DATA_DIR));
          return found !== undefined && found.pid !== postmaster;
        });
      });
      expect(isAlive(server.pid)).toBe(true);
      expect(server.output().stderr).toContain('PostgreSQL ended unexpectedly; starting it again');
      expectDatabaseErrors(`${signal} of PostgreSQL`, responses);
    },
  );

  test('SIGKILL of one connection, as when memory runs out, is followed by a recovery of all connections', async () => {
    const postmaster = postmasterOf(environment.DRYDOCK_DATA_DIR);
    const responses = await hammerThrough(async () => {
      const backend = await findBackend(postmaster);
      process.kill(backend, 'SIGKILL');
      await until('that connection has ended', () => !isAlive(backend));
    });
    expectDatabaseErrors('SIGKILL of a connection', responses);
    // The connection that holds the directory lock was among the lost ones.
    const second = spawnServer(environment);
    expect(await second.exited).toEqual({ code: 1, signal: null });
    expect(second.output().stderr).toContain('The data directory is in use');
    expect(postmasterOf(environment.DRYDOCK_DATA_DIR)).toBe(postmaster);
  });
});

/** Returns the backend process of one of the server's connections. */
async function findBackend(postmaster: number): Promise<number> {
  const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
  for (const pid of children.trim().split(' ').map(Number)) {
    const title = await readFile(`/proc/${pid}/cmdline`, 'utf8');
    if (/drydock drydock \[local\]/.test(title)) return pid;
  }
  throw new Error('nobody is connected');
}

function expectDatabaseErrors(cause: string, responses: ProcessResponse<ErrorBody>[]): void {
  const failures = responses.filter(({ status }) => status >= 300);
  for (const { status, body } of failures) expect([status, body.code]).toEqual([500, 500]);
  const reported = failures.filter(({ body }) => body.type === 'database_error');
  expect(reported.length).toBeGreaterThan(0);
  expect(reported.length).toBe(failures.length);
  console.info(
    `${cause}: ${responses.length} answers, ${failures.length} failed, ${reported.length} as database_error`,
  );
}
