/** A server that is stopped or killed while models stream: the received tokens are recorded, and no reservation stays. */

import { request as sendRequest } from 'node:http';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { connect } from '../src/platform/db/connect.ts';
import { createLog } from '../src/platform/log.ts';
import { FIRST_START } from './first-start.ts';
import { answers, stallsMidStream, startModelProvider } from './model-provider.ts';
import { call, newDataDir, type RunningServer, startServer, until, urlOfRunning } from './processes.ts';

const provider = await startModelProvider();
afterAll(() => provider.close());

const dataDir = newDataDir();
const environment = {
  DRYDOCK_DATA_DIR: dataDir,
  DRYDOCK_INIT_API_KEY: FIRST_START.apiKey,
  DRYDOCK_SECRET_KEY: 'a key for this test alone, which is long',
  DRYDOCK_ALLOW_PRIVATE_PROVIDERS: '1',
  DRYDOCK_CREDITS: 'enforced',
  DRYDOCK_LOG_LEVEL: 'warn',
};
const key = FIRST_START.apiKey;
const large = { model: 'acme/large', messages: [{ role: 'user', content: 'Hello' }], stream: true };

async function start(): Promise<RunningServer> {
  const server = await startServer(environment);
  const models = [{ name: 'large', input_price: 1_000, output_price: 1_000 }];
  const acme = { name: 'acme', kind: 'openai_compatible', base_url: provider.baseUrl, models };
  const put = await call(server.url, key, 'PUT', '/org/main/inference/providers', { providers: [acme] });
  expect(put.status).toBe(200);
  const adjusted = await call(server.url, key, 'POST', '/org/main/credits/adjust', { amount: 1_000_000 });
  expect(adjusted.status).toBe(201);
  return server;
}

function stream(url: string) {
  const reader = { text: '', isOver: false };
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const over = () => {
    reader.isOver = true;
  };
  const outgoing = sendRequest(`${url}/api/v1/org/main/inference/v1/chat/completions`, {
    method: 'POST',
    headers,
  });
  outgoing.on('error', over).on('response', (response) =>
    response
      .on('error', over)
      .on('end', over)
      .on('data', (bytes: Buffer) => {
        reader.text += bytes.toString();
      }),
  );
  outgoing.end(JSON.stringify(large));
  return reader;
}

/** Reads the database of a running server. */
async function books() {
  const log = createLog('fatal');
  const db = connect({ url: urlOfRunning(dataDir), poolSize: 1, namedStatements: false, log });
  const calls = await db
    .selectFrom('inference_calls as c')
    .leftJoin('usage_events as u', (join) =>
      join
        .onRef('u.organization_id', '=', 'c.organization_id')
        .on('u.external_id', '=', sql<string>`c.id::text`),
    )
    .select(['c.status', 'u.output_tokens', 'u.credits'])
    .orderBy('c.id')
    .execute();
  const held = await db.selectFrom('credit_reservations').select(['amount', 'expires_at']).execute();
  await db.destroy();
  return { calls, held };
}

test('SIGTERM completes a stream that ends soon, cuts off one that does not, and counts both', async () => {
  const server = await start();
  provider.next(stallsMidStream(3), (request, response) => setTimeout(answers(), 1_000, request, response));
  const endless = stream(server.url);
  await until('it speaks', () => endless.text.includes('from'));
  const brief = stream(server.url);
  await until('both are asked', () => provider.requests.length === 2);
  const stopped = server.stop();
  await until('the short one is over', () => brief.isOver);
  expect(brief.text).toMatch(/\[DONE\]\n\n$/);
  expect(await stopped).toEqual({ code: 0, signal: null });
  expect(endless.isOver).toBe(true);
  expect(endless.text).not.toContain('[DONE]');
  expect(server.output().stderr).not.toContain('lost to the books');

  const next = await startServer(environment);
  const { calls, held } = await books();
  expect(calls.map(({ status }) => status).toSorted()).toEqual(['cancelled', 'completed']);
  for (const { output_tokens } of calls) expect(Number(output_tokens)).toBeGreaterThan(0);
  expect(held).toEqual([]);
  await next.stop();
});

test('reservations of a killed server expire within minutes, and the next server continues', async () => {
  const server = await startServer(environment);
  provider.next(stallsMidStream(3));
  const reader = stream(server.url);
  await until('it speaks', () => reader.text.includes('from'));
  await server.stop('SIGKILL');
  const next = await startServer(environment);
  const { held } = await books();
  expect(held).toHaveLength(1);
  for (const { expires_at } of held) expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(300_000);
  provider.next(answers());
  const responded = stream(next.url);
  await until('it is answered', () => responded.text.includes('[DONE]'));
  await next.stop();
});
