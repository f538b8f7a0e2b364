/** Calls with idempotency keys to a server that is killed in between, and a repetition of every call: each takes effect once. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createDatabase, type TestDatabase } from './databases.ts';
import { FIRST_START } from './first-start.ts';
import { type RunningServer, startServer, until } from './processes.ts';

const CALLS = 400;
const WRITERS = 16;

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createDatabase(inject('databaseUrl'), 'template0');
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const start = () =>
  startServer({
    DATABASE_URL: database.url,
    DRYDOCK_SECRET_KEY: 'one key for the whole fleet of servers',
    DRYDOCK_INIT_API_KEY: FIRST_START.apiKey,
    DRYDOCK_LOG_LEVEL: 'warn',
  });

type Outcome = {
  readonly status: number;
  readonly id: string | undefined;
  readonly detail: string | undefined;
};

/** Sends the same body each time: only the key distinguishes two calls, and a duplicate would show. */
async function invite(server: RunningServer, call: number): Promise<Outcome | 'no answer'> {
  try {
    const response = await fetch(`${server.url}/api/v1/org/main/invitations`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${FIRST_START.apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': `call ${call}`,
      },
      body: JSON.stringify({ email_address: 'ada@example.com', role: 'member' }),
    });
    const { id, detail } = (await response.json()) as { id?: string; detail?: string };
    return { status: response.status, id, detail };
  } catch {
    return 'no answer';
  }
}

async function inviteAll(server: RunningServer, outcomes: Map<number, Outcome>): Promise<void> {
  let next = 0;
  const write = async () => {
    while (next < CALLS) {
      const call = next++;
      const outcome = await invite(server, call);
      if (outcome === 'no answer') continue;
      outcomes.set(call, outcome);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
}

const count = async (what: string) =>
  Number((await client.query(`SELECT count(*) AS n FROM ${what}`)).rows[0].n);

test(`each of ${CALLS} calls to a server that is killed has taken effect once after all are repeated`, async () => {
  let server = await start();
  const before = new Map<number, Outcome>();
  const calling = inviteAll(server, before);
  await until('calls are answered', () => before.size >= CALLS / 4);
  await sleep(Math.random() * 50);
  await server.stop('SIGKILL');
  await calling;
  const made = await count('invitations');
  expect(made).toBeGreaterThanOrEqual(before.size);
  expect(made).toBeLessThan(CALLS);
  const pending = await count('idempotency_keys WHERE status IS NULL');

  server = await start();
  // Moves the claims of the killed process two minutes into the past.
  await client.query(
    `UPDATE idempotency_keys SET running_until = now() - interval '1 s' WHERE status IS NULL`,
  );
  const after = new Map<number, Outcome>();
  await inviteAll(server, after);
  await server.stop();

  expect(after.size).toBe(CALLS);
  expect(await count('invitations')).toBe(CALLS);
  for (const [call, { id }] of before) expect(after.get(call)?.id).toBe(id);
  const lost = [...after.values()].filter(({ status }) => status !== 201);
  for (const { status, detail } of lost)
    expect([status, detail]).toEqual([409, expect.stringContaining('took effect')]);
  expect(new Set([...after.values()].map(({ id }) => id).filter(Boolean)).size).toBe(CALLS - lost.length);
  console.info(
    `${before.size} heard and ${pending} cut off before the kill; ${lost.length} of these had taken effect`,
  );
});
