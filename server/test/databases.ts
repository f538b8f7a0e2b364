/** Clones the template: creates a database in a tenth of a second. To copy its files takes half as long as to log its blocks. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';

export const TEMPLATE = 'drydock_template';
/** Has all tables and no rows, unlike the template, which has the owner of the first start. */
export const MIGRATED = 'drydock_migrated';

export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

export async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** @param template an empty database with `template0` */
export async function createDatabase(serverUrl: string, template = TEMPLATE): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await execute(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  return {
    url: withDatabase(serverUrl, name),
    drop: () => execute(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}
