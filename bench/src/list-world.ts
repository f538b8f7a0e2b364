/** The application and its database in this process, with the pool that both sides of a comparison of lists use. */
import { Agent, request } from 'node:http';
import { buildApp } from '@drydock/server/src/app.ts';
import { loadConfig } from '@drydock/server/src/config.ts';
import { openStorage } from '@drydock/server/src/open-storage.ts';
import type { OrgScope } from '@drydock/server/src/platform/auth/principal.ts';
import { connect, type Db, poolOf } from '@drydock/server/src/platform/db/connect.ts';
import { queryReader } from '@drydock/server/src/platform/http/requests/query-parameters.ts';
import { createLog } from '@drydock/server/src/platform/log.ts';
import { Metrics } from '@drydock/server/src/platform/metrics/metrics.ts';
import { readSecretKey } from '@drydock/server/src/platform/secrets/secret-key.ts';
import type pg from 'pg';
import type { z } from 'zod';
import { startDatabase } from './database.ts';

const OTHER_ORGANIZATIONS = 49;

/** Sends a request under /org/main and returns the text of the response. */
export type Send = (method: string, path: string, body?: string) => Promise<string>;

export interface ListWorld {
  readonly db: Db;
  readonly pool: pg.Pool;
  readonly send: Send;
  /** Scope of the owner of `main`, beside which there are 49 other organizations, `other-1` to `other-49`. */
  readonly scope: OrgScope;
}

export async function startListWorld(undo: AsyncDisposableStack): Promise<ListWorld> {
  const { env, apiKey } = await startDatabase(undo);
  const config = loadConfig(env);
  const secretKey = readSecretKey(config);
  const log = createLog('warn');
  const db = connect({ ...config.database, url: config.database.url ?? '', log });
  undo.defer(() => db.destroy());
  const metrics = new Metrics(log);
  const secretKeys = { current: secretKey, other: undefined };
  const { storage, close } = await openStorage({ config, secretKeys, db, log, metrics });
  undo.defer(close);
  const app = await buildApp({ config, secretKey, db, storage, log, metrics });
  undo.defer(() => app.close());
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const pool = poolOf(db);
  if (!pool) throw new Error('There is no pool');
  return { db, pool, send: sender(origin, apiKey, undo), scope: await addOrganizations(pool) };
}

function sender(origin: string, apiKey: string, undo: AsyncDisposableStack): Send {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  undo.defer(() => agent.destroy());
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const sent = request(`${origin}/api/v1/org/main${path}`, { method, agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          if ((response.statusCode ?? 500) < 300) resolve(text);
          else reject(new Error(`${method} ${path} answered ${response.statusCode}: ${text}`));
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
}

async function addOrganizations(pool: pg.Pool): Promise<OrgScope> {
  await pool.query(
    `INSERT INTO organizations (id, key, name)
     SELECT gen_random_uuid(), 'other-' || n, 'Other ' || n FROM generate_series(1, $1::int) AS n`,
    [OTHER_ORGANIZATIONS],
  );
  const { rows } = await pool.query<{ organization_id: string; user_id: string }>(
    `SELECT o.id AS organization_id, u.id AS user_id FROM organizations AS o, users AS u WHERE o.key = 'main'`,
  );
  const [first] = rows;
  if (!first) throw new Error('There is no first organization');
  const principal = { userId: first.user_id, isPlatformAdmin: false, apiKey: undefined, loginId: undefined };
  return {
    principal,
    requestId: 'bench',
    organizationId: first.organization_id,
    organizationKey: 'main',
    role: 'owner',
  };
}

/** Parses a query as the server does for a handler. */
export function readQuery<Query extends z.ZodObject>(schema: Query, text: string): z.output<Query> {
  const given: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const before = given[name];
    given[name] = before === undefined ? value : [before, value].flat();
  }
  return schema.parse(queryReader(schema)(given));
}
