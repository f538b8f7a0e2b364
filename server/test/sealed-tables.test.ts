import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { SEALED_TABLES } from '../src/sealed-tables.ts';
import { startTestServer } from './harness.ts';

const server = await startTestServer();

test('a rotation of the secret key knows every table with sealed values and its primary key', async () => {
  const { rows } = await sql<{ table: string; primary_key: string[] }>`
    SELECT c.relname AS table,
           ARRAY(SELECT a.attname::text FROM unnest(i.indkey) WITH ORDINALITY k (attnum, n)
                   JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum ORDER BY k.n) AS primary_key
      FROM pg_class c
      JOIN pg_attribute wrapped ON wrapped.attrelid = c.oid AND wrapped.attname = 'wrapped_key'
      JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
     WHERE c.relnamespace = 'public'::regnamespace`.execute(server.db);
  const known = SEALED_TABLES.map(({ table, primaryKey }) => ({ table, primary_key: primaryKey }));
  expect(known).toEqual(expect.arrayContaining(rows));
  expect(rows).toHaveLength(known.length);
});
