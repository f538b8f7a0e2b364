/** The shutdown of a server: running work is finished, and nothing is left behind. */
import { existsSync, readdirSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findPostmaster, isAlive } from '../src/platform/db/postmaster-file.ts';
import { FIRST_START } from './first-start.ts';
import {
  call,
  type Exit,
  isPostgresStopped,
  newDataDir,
  pgdataOf,
  postmasterOf,
  type ServerProcess,
  spawnServer,
  startServer,
  until,
} from './processes.ts';

/** Each test leaves the directory in order for the next. */
const dataDir = newDataDir();
const environment = { DRYDOCK_DATA_DIR: dataDir, DRYDOCK_INIT_PASSWORD: FIRST_START.password };

const CLEAN: Exit = { code: 0, signal: null };

interface OpenLogin {
  /** Resolves when the headers are sent and the server has asked for the body. */
  readonly accepted: Promise<void>;
  readonly response: Promise<{ status: number | undefined; body: string }>;
  sendBody(): void;
}

/** Its password check takes a tenth of a second, and its body is sent only when the test continues. */
function openLogin(url: string): OpenLogin {
  const body = JSON.stringify({ email_address: FIRST_START.email, password: FIRST_START.password });
  const outgoing: ClientRequest = request(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      expect: '100-continue',
    },
  });
  outgoing.flushHeaders();
  return {
    accepted: new Promise((resolve, reject) => {
      outgoing.once('continue', resolve).once('error', reject);
    }),
    response: new Promise((resolve, reject) => {
      outgoing.once('error', reject).once('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.once('end', () => resolve({ status: response.statusCode, body: text }));
      });
    }),
    sendBody: () => outgoing.end(body),
  };
}

async function isListening(url: string): Promise<boolean> {
  return call(url, undefined, 'GET', '/health').then(
    () => true,
    () => false,
  );
}

const isInitialising = (dataDir: string, { pid }: ServerProcess) =>
  existsSync(join(dataDir, `initialising-${pid}`, 'PG_VERSION'));

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s, even if npm forwards it a second time, completes running requests, refuses new ones and ends all processes',
  async (signal) => {
    const server = await startServer(environment, { detached: true });
    const postmaster = postmasterOf(dataDir);
    const logins = Array.from({ length: 4 }, () => openLogin(server.url));
    await Promise.all(logins.map(({ accepted }) => accepted));

    // Ctrl-C in a terminal goes to the whole group, but must not end the database.
    const target = signal === 'SIGINT' ? -server.pid : server.pid;
    process.kill(target, signal);
    process.kill(target, signal);
    await until('the server takes no new requests', async () => !(await isListening(server.url)));
    expect(server.output().stderr).toMatch(/^Stopping: waiting up to 10 s for \d requests\. /m);
    for (const { sendBody } of logins) sendBody();
    const responses = await Promise.all(logins.map(({ response }) => response));
    const responded = performance.now();
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const { body } of responses) expect(JSON.parse(body)).toMatchObject({ user: { username: 'owner' } });

    expect(await server.exited).toEqual(CLEAN);
    // Well below the ten seconds after which connections are cut.
    expect(performance.now() - responded).toBeLessThan(6_000);
    expect(isAlive(postmaster)).toBe(false);
    expect(isPostgresStopped(dataDir)).toBe(true);
  },
);

test('a request that never ends is cut off after ten seconds', async () => {
  const server = await startServer(environment);
  const login = openLogin(server.url);
  await login.accepted;
  const began = performance.now();
  const stopped = server.stop();
  await expect(login.response).rejects.toThrow('socket hang up');
  expect(await stopped).toEqual(CLEAN);
  expect(performance.now() - began).toBeGreaterThan(9_000);
  expect(performance.now() - began).toBeLessThan(20_000);
  expect(isPostgresStopped(dataDir)).toBe(true);
});

describe('a shutdown during the start', () => {
  const emptyDir = newDataDir();
  const begin = () => spawnServer({ DRYDOCK_DATA_DIR: emptyDir });

  test('a kill while the database is created leaves no partial one in its place', async () => {
    const killed = begin();
    await until('initdb runs', () => isInitialising(emptyDir, killed));
    expect(await killed.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
    expect(readdirSync(emptyDir)).toContain(`initialising-${killed.pid}`);
    expect(existsSync(pgdataOf(emptyDir))).toBe(false);
  });

  test('a signal while the database is created ends the process cleanly', async () => {
    const server = begin();
    await until('initdb runs', () => isInitialising(emptyDir, server));
    expect(await server.stop()).toEqual(CLEAN);
    expect(isPostgresStopped(emptyDir)).toBe(true);
  });

  test('a signal while PostgreSQL starts ends the process cleanly', async () => {
    const server = begin();
    const postmaster = await until('PostgreSQL starts', () => findPostmaster(pgdataOf(emptyDir))?.pid);
    expect(await server.stop('SIGINT')).toEqual(CLEAN);
    expect(isAlive(postmaster)).toBe(false);
    expect(isPostgresStopped(emptyDir)).toBe(true);
  });

  test('the next start succeeds', async () => {
    const server = await startServer({ DRYDOCK_DATA_DIR: emptyDir });
    expect((await call(server.url, undefined, 'GET', '/health')).status).toBe(200);
    await server.stop();
  });
});
