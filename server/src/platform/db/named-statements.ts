/** The name of a prepared statement exists only on its connection; a pooler in transaction mode assigns any connection. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { ApiError } from '../errors.ts';
import { openClient } from './open-client.ts';

const UNDEFINED_STATEMENT = '26000';
const DUPLICATE_STATEMENT = '42P05';
const ROUNDS = 3;

/** Provokes a failure that would otherwise occur now and then during work: two clients that use the same statement name. */
export async function requireNamedStatements(url: string): Promise<void> {
  const clients = await Promise.all([openClient(url, 'start'), openClient(url, 'start')]);
  const statement = { name: `probe-${randomUUID()}`, text: 'SELECT 1' };
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const client of clients) await client.query(statement);
    }
  } catch (cause) {
    if (!isForgotten(cause)) throw cause;
    throw new ApiError(
      'configuration_error',
      'DATABASE_URL leads to a pooler that does not follow prepared statements: set DATABASE_NAMED_STATEMENTS=0, or let it follow them (max_prepared_statements of PgBouncer 1.21 and newer).',
      { cause },
    );
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

function isForgotten(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError &&
    (error.code === UNDEFINED_STATEMENT || error.code === DUPLICATE_STATEMENT)
  );
}
