/** The start of a server: its output, what it keeps, and what it refuses. */
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createDatabase, execute } from './databases.ts';
import { FIRST_START } from './first-start.ts';
import {
  call,
  type Exit,
  isPostgresStopped,
  newDataDir,
  type Owner,
  pgdataOf,
  postmasterOf,
  type RunningServer,
  spawnServer,
  startServer,
  until,
} from './processes.ts';

const SECRET_KEY = 'a secret key of more than 32 characters';

const dataDir = newDataDir();

describe('a start on an empty data directory', () => {
  let first: RunningServer;
  let owner: Owner;
  const secrets: string[] = [];

  beforeAll(async () => {
    first = await startServer({ DRYDOCK_DATA_DIR: dataDir, DRYDOCK_LOG_LEVEL: 'trace' });
    if (!first.owner) throw new Error(`no owner in the banner: ${first.output().stdout}`);
    owner = first.owner;
    secrets.push(owner.password, owner.key, readFileSync(join(dataDir, 'secret-key'), 'utf8').trim());
    secrets.push(readFileSync(join(pgdataOf(dataDir), 'drydock-password'), 'utf8'));
  });

  afterAll(() => first.stop());

  test('prints the address, the documentation and the credentials, and all of them work', async () => {
    const { stdout } = first.output();
    expect(stdout).toContain(`Drydock runs on   ${first.url}\n`);
    expect(owner.email).toBe('owner@localhost');
    expect(owner.key).toMatch(/^dd_[\w-]{40}$/);
    const docsUrl = /API reference +(\S+)/.exec(stdout)?.[1] ?? '';
    const docs = await fetch(docsUrl);
    expect(docs.status).toBe(200);
    expect(docs.headers.get('content-type')).toMatch(/^text\/html/);

    const user = await call<{ username: string }>(first.url, owner.key, 'GET', '/user');
    expect(user).toMatchObject({ status: 200, body: { username: 'owner', email_address: owner.email } });
    const body = { email_address: owner.email, password: owner.password };
    const login = await call<{ access_token: string }>(first.url, undefined, 'POST', '/auth/login', body);
    expect(login.status).toBe(200);
    secrets.push(login.body.access_token);
    const projects = await call(first.url, login.body.access_token, 'GET', '/org/main/ws/main/projects');
    expect(projects).toMatchObject({ status: 200, body: [{ key: 'default', is_default: true }] });
  });

  test('keeps files that only their owner can read', () => {
    const modeOf = (...path: string[]) => statSync(join(dataDir, ...path)).mode & 0o777;
    expect(modeOf('secret-key')).toBe(0o600);
    expect(modeOf('postgres.log')).toBe(0o600);
    expect(modeOf('postgres', 'drydock-password')).toBe(0o600);
    expect(modeOf('postgres')).toBe(0o700);
    expect(modeOf('postgres', '.s.PGSQL.5432')).toBe(0o700);
    // Others may at most traverse the folder: the database runs as another account than root.
    expect(modeOf() & 0o066).toBe(0);
  });

  test('refuses a second process, and the first one keeps running', async () => {
    const second = spawnServer({ DRYDOCK_DATA_DIR: dataDir });
    expect(await second.exited).toEqual({ code: 1, signal: null });
    const { stdout, stderr } = second.output();
    expect(stdout).toBe('');
    expect(stderr).toContain('The data directory is in use');
    expect(stderr).toContain(`process ${postmasterOf(dataDir)}`);
    expect(stderr).toContain('DRYDOCK_DATA_DIR');
    expect(stderr).not.toMatch(/^ +at /m);
    expect((await call(first.url, owner.key, 'GET', '/user')).status).toBe(200);
  });

  test('is followed by one that prints no credentials and has the data', async () => {
    const projects = '/org/main/ws/main/projects';
    const created = await call(first.url, owner.key, 'POST', projects, { name: 'Kept', key: 'kept' });
    expect(created.status).toBe(201);
    const login = { email_address: owner.email, password: owner.password };
    const before = await call<{ access_token: string }>(first.url, undefined, 'POST', '/auth/login', login);
    await first.stop();
    const { stderr: firstLog } = first.output();

    first = await startServer({ DRYDOCK_DATA_DIR: dataDir, DRYDOCK_LOG_LEVEL: 'trace' });
    expect(first.owner).toBeUndefined();
    expect(first.output().stdout).not.toMatch(/password|API key|dd_/);
    expect(await call(first.url, owner.key, 'GET', `${projects}/kept`)).toEqual({
      status: 200,
      body: created.body,
    });
    // Signed before the restart: the generated secret key was kept.
    expect((await call(first.url, before.body.access_token, 'GET', '/user')).status).toBe(200);

    secrets.push(before.body.access_token);
    const logs = firstLog + first.output().stderr + readFileSync(join(dataDir, 'postgres.log'), 'utf8');
    expect(secrets).toHaveLength(6);
    for (const secret of secrets) expect(logs).not.toContain(secret);
  });

  test('is ended by a signal, which reports what it waits for, and a second signal ends the process at once', async () => {
    const { hostname, port } = new URL(first.url);
    const connection = connect(Number(port), hostname);
    connection.on('error', () => undefined); // cut off
    connection.write(
      'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n',
    );
    await once(connection, 'data');
    process.kill(first.pid, 'SIGINT');
    await until('it says so', () =>
      first.output().stderr.includes('Stopping: waiting up to 10 s for 1 request.'),
    );
    let exit: Exit | undefined;
    void first.exited.then((value) => (exit = value));
    await until('it ends', () => {
      if (!exit) process.kill(first.pid, 'SIGINT');
      return exit;
    });
    expect(exit).toEqual({ code: 130, signal: null });
    expect(first.output().stderr).toContain('Stopped at once: what was still running is cut off.');
    await until('PostgreSQL has stopped', () => isPostgresStopped(dataDir));
  });
});

test('uses given credentials without printing them', async () => {
  const database = await createDatabase(inject('databaseUrl'), 'template0');
  const server = await startServer({
    DATABASE_URL: database.url,
    DRYDOCK_SECRET_KEY: SECRET_KEY,
    DRYDOCK_INIT_PASSWORD: FIRST_START.password,
    DRYDOCK_INIT_API_KEY: FIRST_START.apiKey,
    DRYDOCK_INIT_EMAIL: 'ada@example.com',
    DRYDOCK_INIT_USERNAME: 'ada',
    DRYDOCK_INIT_ORG: 'acme',
    DRYDOCK_INIT_WORKSPACE: 'lab',
    DRYDOCK_INIT_PROJECT: 'apollo',
  });
  const { stdout, stderr } = server.output();
  expect(server.owner).toEqual({
    email: 'ada@example.com',
    password: '(the given one)',
    key: '(the given one)',
  });
  for (const secret of [FIRST_START.password, FIRST_START.apiKey, SECRET_KEY])
    expect(stdout + stderr).not.toContain(secret);
  const login = { email_address: 'ada@example.com', password: FIRST_START.password };
  expect((await call(server.url, undefined, 'POST', '/auth/login', login)).status).toBe(200);
  const path = '/org/acme/ws/lab/projects/apollo';
  expect((await call(server.url, FIRST_START.apiKey, 'GET', path)).status).toBe(200);
  await server.stop();
  await database.drop();
});

describe('a start is refused', () => {
  async function refusal(environment: Record<string, string>) {
    const server = spawnServer(environment);
    const exit = await server.exited;
    expect(exit).toEqual({ code: 1, signal: null });
    expect(server.output().stdout).toBe('');
    return server.output().stderr;
  }

  test('for an external database without a secret key', async () => {
    const stderr = await refusal({ DATABASE_URL: inject('databaseUrl') });
    expect(stderr).toMatch(/^DRYDOCK_SECRET_KEY is required whenever DATABASE_URL is set/);
    expect(stderr).toContain('openssl rand');
    expect(stderr).not.toMatch(/^ +at /m);
  });

  test('for invalid settings, all of which are listed', async () => {
    const stderr = await refusal({
      PORT: '70000',
      DRYDOCK_PUBLIC_URL: 'ftp://example.com',
      DRYDOCK_SECRET_KEY: 'short',
      DATABASE_URL: 'mysql://localhost/x',
      DATABASE_POOL_SIZE: 'many',
      DRYDOCK_SIGNUP: 'perhaps',
      DRYDOCK_INIT_ORG: 'Not A Slug',
      DRYDOCK_INIT_PASSWORD: 'short',
      DRYDOCK_INIT_API_KEY: 'dd_short',
    });
    const lines = stderr.trimEnd().split('\n');
    expect(lines[0]).toBe('The environment holds invalid settings:');
    expect(lines.slice(1).map((line) => /^ {2}(\w+): \S/.exec(line)?.[1])).toEqual([
      'PORT',
      'DRYDOCK_PUBLIC_URL',
      'DRYDOCK_SECRET_KEY',
      'DATABASE_URL',
      'DATABASE_POOL_SIZE',
      'DRYDOCK_INIT_ORG',
      'DRYDOCK_INIT_PASSWORD',
      'DRYDOCK_INIT_API_KEY',
      'DRYDOCK_SIGNUP',
    ]);
    expect(stderr).not.toContain('dd_short');
  });

  test('on an unreachable database, with one sentence that omits its password', async () => {
    const stderr = await refusal({
      DATABASE_URL: 'postgres://drydock:hunter2hunter2@127.0.0.1:1/drydock',
      DRYDOCK_SECRET_KEY: SECRET_KEY,
    });
    expect(stderr).toBe(
      'PostgreSQL at 127.0.0.1:1 does not accept connections (ECONNREFUSED). Start it, or correct DATABASE_URL.\n',
    );
  });

  test('on a data directory that cannot be created, with one sentence and at once', async () => {
    expect(await refusal({ DRYDOCK_DATA_DIR: '/proc/nope' })).toBe(
      '/proc/nope cannot be made: no folder can be made there (ENOENT). Set DRYDOCK_DATA_DIR to another folder, or change this one.\n',
    );
  });

  test('on a database that needs a newer program, with one sentence', async () => {
    const database = await createDatabase(inject('databaseUrl'));
    await execute(
      database.url,
      "INSERT INTO schema_migrations (version, name, checksum, oldest_program) VALUES (9000, 'x', 'x', 9000)",
    );
    const stderr = await refusal({ DATABASE_URL: database.url, DRYDOCK_SECRET_KEY: SECRET_KEY });
    expect(stderr).toMatch(
      /^The database has version 9000 and needs a Drydock of version 9000 or later; this one has version \d{4}\. Start the newer Drydock; nothing was changed\.\n$/,
    );
    await database.drop();
  });

  test('on a port that is taken, and nothing is created', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    const port = await until('the port is taken', () => {
      const address = other.address();
      return address !== null && typeof address === 'object' && address.port;
    });
    try {
      const emptyDir = newDataDir();
      const stderr = await refusal({ DRYDOCK_DATA_DIR: emptyDir, PORT: String(port) });
      expect(stderr).toBe(
        `127.0.0.1:${port} is taken by another program, and the API needs it. Stop that program, or set PORT to a free port.\n`,
      );
      expect(readdirSync(emptyDir)).toEqual([]);
    } finally {
      other.close();
    }
  });
});

test('a start prints the same credentials as a previous one that was killed before they were used', async () => {
  const database = await createDatabase(inject('databaseUrl'), 'template0');
  const environment = { DATABASE_URL: database.url, DRYDOCK_SECRET_KEY: SECRET_KEY };
  const first = await startServer(environment);
  expect(first.owner?.key).toMatch(/^dd_/);
  await first.stop('SIGKILL');
  const third = await startServer(environment);
  expect(third.owner).toEqual(first.owner);
  expect((await call(third.url, third.owner?.key, 'GET', '/user')).status).toBe(200);
  await third.stop();
  await database.drop();
});
