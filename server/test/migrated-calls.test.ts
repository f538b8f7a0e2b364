/** Migrations that move the usage of model calls between tables keep every event and every entry of the ledger. */
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { migrate } from '../src/platform/db/migrate.ts';
import { createLog } from '../src/platform/log.ts';
import { createDatabase } from './databases.ts';

const log = createLog('fatal');
const [ORG, OTHER, USER] = ['1', '2', '3'].map((digit) => `${digit.repeat(8)}-0000-7000-8000-000000000000`);
const [PAID, FREE, FAILED, LATER] = ['a', 'b', 'c', 'd'].map(
  (digit) => `${digit.repeat(8)}-0000-7000-8000-000000000000`,
);

test('migrate keeps usage and charges of model calls in usage_events and credit_transactions', async () => {
  const database = await createDatabase(inject('databaseUrl'), 'template0');
  onTestFinished(() => database.drop());
  const { url } = database;
  await migrate({ url, log, upTo: 14 });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  const call = `(organization_id, id, user_id, model, is_streamed, status, is_estimated, started_at, duration_ms)`;
  for (const organization of [ORG, OTHER])
    for (const id of [PAID, FREE, FAILED])
      await client.query(
        `INSERT INTO inference_calls ${call} VALUES ($1, $2, $3, 'm', false, $4, false, now(), 1)`,
        [organization, id, USER, id === FAILED ? 'failed' : 'completed'],
      );
  const usage = `(organization_id, source, external_id, kind, item, occurred_at, input_tokens, output_tokens, cost_usd, credits)`;
  const addUsage = (values: unknown[]) =>
    client.query(
      `INSERT INTO usage_events ${usage} VALUES ($1, $2, $3, $4, 'm', now(), $5, 7, 0.25, $6)`,
      values,
    );
  await addUsage([ORG, 'gateway', PAID, 'inference', 5, 250]);
  await addUsage([ORG, 'gateway', FREE, 'inference', 6, 0]);
  await addUsage([OTHER, 'gateway', PAID, 'inference', 9, 11]);
  await addUsage([ORG, 'sandbox', PAID, 'sandbox', 1, 2]);
  const ledger =
    'INSERT INTO credit_transactions (organization_id, id, kind, reference, amount) VALUES ($1, $2, $3, $4, $5)';
  await client.query(ledger, [ORG, PAID, 'charge', PAID, -250]);
  await client.query(ledger, [ORG, FREE, 'adjustment', FREE, 1_000]);
  await client.query(ledger, [ORG, FAILED, 'charge', 'sandbox/1', -2]);
  await client.query(ledger, [OTHER, PAID, 'charge', PAID, -11]);

  await migrate({ url, log });
  const read = async (text: string) => (await client.query({ text, rowMode: 'array' })).rows;
  expect(
    await read(
      `SELECT organization_id, source, external_id, item, input_tokens, output_tokens, cost_usd, credits
         FROM usage_events ORDER BY 1, 2, 3`,
    ),
  ).toEqual([
    [ORG, 'gateway', PAID, 'm', '5', '7', '0.25', '250'],
    [ORG, 'gateway', FREE, 'm', '6', '7', '0.25', '0'],
    [ORG, 'sandbox', PAID, 'm', '1', '7', '0.25', '2'],
    [OTHER, 'gateway', PAID, 'm', '9', '7', '0.25', '11'],
  ]);
  expect(
    await read('SELECT organization_id, kind, reference, amount FROM credit_transactions ORDER BY 1, id'),
  ).toEqual([
    [ORG, 'charge', PAID, '-250'],
    [ORG, 'adjustment', FREE, '1000'],
    [ORG, 'charge', 'sandbox/1', '-2'],
    [OTHER, 'charge', PAID, '-11'],
  ]);
  // A server of the previous version writes a call like this.
  await client.query(
    `INSERT INTO inference_calls (organization_id, id, user_id, model, is_streamed, status, is_estimated, started_at, duration_ms,
                                  input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens, cost_usd, credits)
     VALUES ($1, $2, $3, 'm', false, 'completed', false, now(), 1, 1, 2, 0, 0, 0.017, 17)`,
    [OTHER, LATER, USER],
  );
  expect(await read(`SELECT credits FROM usage_events WHERE external_id = '${LATER}'`)).toEqual([['17']]);
  expect(await read(`SELECT amount FROM credit_transactions WHERE reference = '${LATER}'`)).toEqual([
    ['-17'],
  ]);
  for (const table of ['inference_calls', 'usage_events', 'credit_transactions'])
    await expect(client.query(`DELETE FROM ${table}`)).rejects.toThrow('append-only');
});
