/** Runs the real application on a database of its own and calls it through its API. */

import { mkdtempSync, rmSync } from 'node:fs';
import type { OutgoingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { inject } from 'vitest';
import { insertKey } from '../src/accounts/keys/store.ts';
import { createUser } from '../src/accounts/login/store.ts';
import { joinOrganization } from '../src/accounts/members/store.ts';
import { buildApp } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import { type OpenStorage, openStorage } from '../src/open-storage.ts';
import type { OrgRole, WorkspaceRole } from '../src/platform/auth/principal.ts';
import type { Scope } from '../src/platform/auth/scopes.ts';
import { connect, type Db, withPlugin } from '../src/platform/db/connect.ts';
import { transaction } from '../src/platform/db/transaction.ts';
import type { RouteGroup } from '../src/platform/http/operations.ts';
import { createLog } from '../src/platform/log.ts';
import { Metrics } from '../src/platform/metrics/metrics.ts';
import type { ObjectStorage } from '../src/platform/object-storage/object-storage.ts';
import type { TerminalTimings } from '../src/runtimes/terminals/terminal-socket.ts';
import type { TerminalLimits } from '../src/runtimes/terminals/terminals.ts';
import { createDatabase } from './databases.ts';
import { atEndOfFile } from './end-of-file.ts';
import { FIRST_START } from './first-start.ts';
import { lazyStorage } from './lazy-storage.ts';
import { NO_LIMITS } from './no-limits.ts';
import { openTestSandboxes, type TestSandboxes } from './sandboxes.ts';
import { TenantFilterCheck } from './tenant-filter-check.ts';
import { lazyQueue } from './workers.ts';

const IDLE_CHECK_MS = 20;
const DRAIN_MS = 1_000;

export const SECRET_KEY = 'test-secret-key-test-secret-key-test';

export interface Person {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly key: string;
}

export interface TestResponse {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests assert on whole bodies of every shape
  readonly body: any;
  readonly headers: OutgoingHttpHeaders;
}

/** Sends bytes as an upload, a string unchanged, and everything else as JSON. */
type Send = (path: string, body?: unknown, headers?: Record<string, string>) => Promise<TestResponse>;

export interface Client {
  readonly get: Send;
  readonly post: Send;
  readonly put: Send;
  readonly patch: Send;
  readonly delete: Send;
}

export interface NewPerson {
  /** Role in organization `main`; when omitted, the person is an outsider. */
  readonly role?: OrgRole;
  /** Role in workspace `main`, if the person is listed there. */
  readonly workspaceRole?: WorkspaceRole;
  readonly scopes?: Scope[];
}

export interface TestServer {
  readonly app: FastifyInstance;
  readonly db: Db;
  /** The embedded store behind its gateway, opened by its first use. */
  readonly storage: ObjectStorage;
  readonly url: string;
  readonly sandboxes: TestSandboxes | undefined;
  /** Owner of organization `main` and platform admin. */
  readonly owner: Person;
  /** Returns a client for this person or credential, or without one. */
  as(who: Person | string | undefined): Client;
  addPerson(username: string, options?: NewPerson): Promise<Person>;
}

export interface TestServerOptions {
  /** Whether it runs sandboxes, with the real provider in a folder of its own. Otherwise no runtime can be started. */
  readonly hasSandboxes?: boolean;
  /** Returns the application's database URL, if it differs from the test's. */
  readonly reachDatabase?: (url: string) => Promise<string>;
  readonly terminals?: {
    readonly limits?: Partial<TerminalLimits>;
    readonly timings?: Partial<TerminalTimings>;
  };
}

/** Stops when the test file ends. */
export async function startTestServer(
  environment: NodeJS.ProcessEnv = {},
  moreRoutes: readonly RouteGroup[] = [],
  { hasSandboxes = false, reachDatabase, terminals = {} }: TestServerOptions = {},
): Promise<TestServer> {
  const database = await createDatabase(inject('databaseUrl'));
  const log = createLog('fatal');
  const plain = connect({ url: database.url, poolSize: 8, namedStatements: true, log });
  const db = withPlugin(plain, new TenantFilterCheck(plain));
  const config = loadConfig({ ...NO_LIMITS, ...environment });
  const { storage, close } = lazyStorage(() => openTestStorage(db));
  const queue = lazyQueue({ db, storage, url: database.url });
  const options = { config, secretKey: SECRET_KEY, db, storage, queue, directUrl: database.url, log };
  const place = { db, storage, config, secretKey: SECRET_KEY, terminalLimits: terminals.limits };
  const sandboxes = hasSandboxes ? await openTestSandboxes(place) : undefined;
  const reached = reachDatabase && (await reachDatabase(database.url));
  const own = reached && connect({ url: reached, poolSize: 8, namedStatements: true, log });
  const app = await buildApp({
    ...options,
    ...(own && { db: own }),
    moreRoutes,
    sandboxes,
    ...(terminals.timings && { terminalTimings: terminals.timings }),
  });
  atEndOfFile(async () => {
    await closeApp(app);
    await sandboxes?.close();
    await close();
    if (own) await own.destroy();
    await db.destroy();
    await database.drop();
    // The modules of test files stay loaded, and what they refer to stays in memory: 10 MB for an application.
    for (const part of Object.keys(server)) Reflect.deleteProperty(server, part);
  });
  const { id } = await db
    .selectFrom('users')
    .select('id')
    .where('username', '=', 'owner')
    .executeTakeFirstOrThrow();
  const server: TestServer = {
    app,
    db,
    storage,
    url: database.url,
    sandboxes,
    owner: { id, username: 'owner', email: FIRST_START.email, key: FIRST_START.apiKey },
    as: (who) => createClient(() => server.app, typeof who === 'string' ? who : who?.key),
    addPerson: (username, options) => addPerson(server.db, username, options),
  };
  return server;
}

/** Stops like the server itself: an unused connection would otherwise be kept for more than a minute. */
async function closeApp(app: FastifyInstance): Promise<void> {
  const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS);
  const cut = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
  await app.close();
  clearInterval(idle);
  clearTimeout(cut);
}

/** The embedded store of a database, in a folder of its own, with its gateway on a free port. */
export async function openTestStorage(db: Db): Promise<Pick<OpenStorage, 'storage' | 'close'>> {
  const log = createLog('fatal');
  const dataDir = mkdtempSync(join(tmpdir(), 'drydock-test-'));
  const config = loadConfig({ DRYDOCK_DATA_DIR: dataDir, DRYDOCK_S3_PORT: '0' });
  const secretKeys = { current: SECRET_KEY, other: undefined };
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  const opening = openStorage({ config, secretKeys, db, log, metrics: new Metrics(log) });
  const opened = await opening.catch((error: unknown) => {
    remove();
    throw error;
  });
  return { storage: opened.storage, close: () => opened.close().then(remove) };
}

/** @param find returns the application when a request is sent */
export function createClient(find: () => FastifyInstance, credential: string | undefined): Client {
  const send =
    (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'): Send =>
    async (path, body, headers) => {
      const response = await find().inject({
        method,
        url: `/api/v1${path}`,
        headers: {
          ...(credential && { authorization: `Bearer ${credential}` }),
          ...(body !== undefined && { 'content-type': typeOf(body) }),
          ...headers,
        },
        ...(body !== undefined && { payload: toPayload(body) }),
      });
      const isJson = String(response.headers['content-type']).startsWith('application/json');
      return {
        status: response.statusCode,
        body: isJson ? response.json() : response.body,
        headers: response.headers,
      };
    };
  return {
    get: send('GET'),
    post: send('POST'),
    put: send('PUT'),
    patch: send('PATCH'),
    delete: send('DELETE'),
  };
}

const typeOf = (body: unknown) => (body instanceof Uint8Array ? 'application/gzip' : 'application/json');

function toPayload(body: unknown): string | Buffer {
  if (body instanceof Uint8Array) return Buffer.from(body);
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** Inserts directly into the database: a sign-up would spend a tenth of a second on its password. */
export async function addPerson(
  db: Db,
  username: string,
  { role, workspaceRole, scopes }: NewPerson = {},
): Promise<Person> {
  const email = `${username}@example.com`;
  const created = await transaction(db, async (trx) => {
    const id = await createUser(trx, { email_address: email, username });
    const principal = { userId: id, isPlatformAdmin: false, apiKey: undefined, loginId: undefined };
    const request = { name: 'test', allow_self_revoke: false, allowed_scopes: scopes };
    const { key } = await insertKey(trx, { principal, requestId: 'test' }, request);
    const main = await trx
      .selectFrom('workspaces as w')
      .innerJoin('organizations as o', 'o.id', 'w.organization_id')
      .select(['w.organization_id', 'w.id'])
      .where('o.key', '=', 'main')
      .where('w.key', '=', 'main')
      .executeTakeFirstOrThrow();
    if (role) await joinOrganization(trx, main.organization_id, id, role);
    if (workspaceRole) {
      const values = {
        organization_id: main.organization_id,
        workspace_id: main.id,
        user_id: id,
        role: workspaceRole,
      };
      await trx.insertInto('workspace_members').values(values).execute();
    }
    return { id, key };
  });
  return { ...created, username, email };
}
