/** Runs an engine's job in a worker process without HTTP, which is killed at every moment of its jobs' work. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type Db } from '../src/platform/db/connect.ts';
import { transaction } from '../src/platform/db/transaction.ts';
import { completed, defineJob } from '../src/platform/jobs/job-kind.ts';
import { JobQueue } from '../src/platform/jobs/queue.ts';
import { createLog } from '../src/platform/log.ts';
import { uuidv7 } from '../src/platform/uuid.ts';
import { createEngineTable, ENGINE, MOMENTS } from './engine-job.ts';
import { FIRST_START } from './first-start.ts';
import { answers, startModelProvider } from './model-provider.ts';
import { call, newDataDir, startServer, until, urlOfRunning } from './processes.ts';

/** A job that is killed while the model processes its call. */
const IN_FLIGHT = 'in flight';
/** A job whose user is removed while no worker runs it. */
const RIGHTS_LOST = 'rights lost';
const CASES = [...MOMENTS, IN_FLIGHT, RIGHTS_LOST] as const;

const dataDir = newDataDir();
const KEY = FIRST_START.apiKey;
const environment = {
  DRYDOCK_DATA_DIR: dataDir,
  DRYDOCK_INIT_API_KEY: KEY,
  DRYDOCK_SECRET_KEY: 'a key for this test alone, which is long',
  DRYDOCK_ALLOW_PRIVATE_PROVIDERS: '1',
};
const provider = await startModelProvider();
const server = await startServer({ ...environment, DRYDOCK_ROLE: 'server' });
const databaseUrl = urlOfRunning(dataDir);
const log = createLog('silent');
const db: Db = connect({ url: databaseUrl, poolSize: 4, namedStatements: true, log });
const queue = new JobQueue({ url: databaseUrl, db, log, isWorker: false });
const workers: ChildProcess[] = [];
afterAll(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await queue.stop();
  await db.destroy();
  await server.stop();
  await provider.close();
});

async function startWorker(holds: boolean): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [join(import.meta.dirname, 'engine-worker.ts')], {
    env: {
      PATH: process.env.PATH,
      ...environment,
      DRYDOCK_ROLE: 'worker',
      DATABASE_URL: databaseUrl,
      HOLDS: holds ? '1' : '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  workers.push(worker);
  await once(worker.stdout, 'data');
  return worker;
}

interface Sent {
  readonly organizationId: string;
  readonly id: string;
  readonly userId: string;
  readonly sessionId: string;
}

const sent = new Map<string, Sent>();
const api = <Body>(method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: unknown) =>
  call<Body>(server.url, KEY, method, path, body);
const heldCount = async () =>
  (await rows<{ n: number }>(`SELECT count(*) AS n FROM engine_runs WHERE held`))[0]?.n ?? 0;
const rows = async <Row>(text: string) => (await sql.raw<Row>(text).execute(db)).rows;
const askedFor = ({ id }: Sent) => provider.requests.filter(({ text }) => text.includes(id)).length;

beforeAll(async () => {
  await api('PUT', '/org/main/inference/providers', {
    providers: [
      {
        name: 'acme',
        kind: 'openai_compatible',
        base_url: provider.baseUrl,
        models: [{ name: 'large', input_price: 1_000, output_price: 1_000 }],
      },
    ],
  });
  // The first call of the job in flight never gets a response.
  provider.always((request, response) => {
    const times = provider.requests.filter(({ text }) => text === request.text).length;
    const isHanging = request.text.includes(sent.get(IN_FLIGHT)?.id ?? '-') && times === 1;
    if (!isHanging) answers({ text: 'echo $((6 * 7))' })(request, response);
  });
  await createEngineTable(db);
  await queue.start([defineJob(ENGINE, { step: async () => completed() })]);
  const { body: workspace } = await api<{ id: string; org_id: string }>('GET', '/org/main/ws/main');
  for (const name of CASES) {
    const { rows: users } = await sql<{ id: string }>`SELECT id FROM users WHERE username = 'owner'`.execute(
      db,
    );
    const userId = name === RIGHTS_LOST ? await addMember() : (users[0]?.id ?? '');
    const job = { organizationId: workspace.org_id, id: uuidv7(), userId, sessionId: uuidv7() };
    sent.set(name, job);
    const holdAt = name === RIGHTS_LOST ? 'answer stored' : name;
    await transaction(db, async (trx) => {
      await sql`INSERT INTO engine_runs (organization_id, id, workspace_id, user_id, session_id, hold_at)
                VALUES (${job.organizationId}, ${job.id}, ${workspace.id}, ${userId}, ${job.sessionId}, ${holdAt})`.execute(
        trx,
      );
      await queue.enqueue(trx, ENGINE, job);
    });
  }
  const worker = await startWorker(true);
  await until('every job is where it is to be killed', async () => {
    const isInFlight = askedFor(sent.get(IN_FLIGHT) as Sent) === 1;
    return isInFlight && (await heldCount()) === CASES.length - 1;
  });
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  await api('DELETE', `/org/main/members/${sent.get(RIGHTS_LOST)?.userId}`);
  await startWorker(false);
  await until('every job has ended', async () => {
    const open = await rows(`SELECT FROM engine_runs WHERE status IN ('queued', 'running')`);
    return open.length === 0;
  });
});

async function addMember(): Promise<string> {
  const { body } = await api<{ token?: string; url: string }>('POST', '/org/main/invitations', {
    email_address: 'mia@example.com',
    role: 'member',
  });
  const token = new URL(body.url).searchParams.get('token') ?? body.url.split('/').at(-1);
  const signup = await call<{ user: { id: string } }>(server.url, undefined, 'POST', '/auth/signup', {
    email_address: 'mia@example.com',
    username: 'mia',
    password: 'a long enough password',
    invitation_token: token,
  });
  return signup.body.user.id;
}

const endOf = async (name: string) => {
  const { id } = sent.get(name) as Sent;
  const [run] = await rows<{ status: string; attempt: number; error: string | null }>(
    `SELECT status, attempt, error FROM engine_runs WHERE id = '${id}'`,
  );
  return run;
};

test.each([...MOMENTS, IN_FLIGHT])(
  'a job that was killed in the state "%s" is completed by another worker',
  async (name) => {
    const { sessionId, id } = sent.get(name) as Sent;
    expect(await endOf(name)).toEqual({ status: 'completed', attempt: 2, error: null });
    const { body } = await api<{ messages: unknown[]; session: object }>(
      'GET',
      `/org/main/ws/main/sessions/${sessionId}/transcript`,
    );
    expect(body.messages).toMatchObject([
      { seq: 1, id: 'answer', content: 'echo $((6 * 7))' },
      { seq: 2, id: 'output', content: '42' },
    ]);
    expect(body.session).toMatchObject({ origin: 'eval', frozen_by: 'evaluation' });
    const { body: versions } = await api<unknown[]>('GET', `/org/main/tasks/made-${id}/versions`);
    expect(JSON.stringify(versions)).toContain('1.0.0');
  },
);

test.each([
  ['begun', 1, 1],
  // The response was lost with the worker before it was stored in the session: the call is repeated, and both are charged.
  ['called', 2, 2],
  ['answer stored', 1, 1],
  ['executed', 1, 1],
  ['output stored', 1, 1],
  ['published', 1, 1],
  // The first call had not ended, so the second one is counted.
  [IN_FLIGHT, 2, 1],
])(
  'a job that was killed in the state "%s" called the model %d times, of which %d are counted',
  async (name, calls, counted) => {
    const job = sent.get(name) as Sent;
    expect(askedFor(job)).toBe(calls);
    const usage = await rows(
      `SELECT FROM inference_calls AS c JOIN usage_events AS u ON u.organization_id = c.organization_id AND u.external_id = c.id::text
      WHERE c.session_id = '${job.sessionId}' AND c.status = 'completed'`,
    );
    expect(usage).toHaveLength(counted);
  },
);

test('a job stops when its user has lost the required rights, and does nothing more on their behalf', async () => {
  const { sessionId, id } = sent.get(RIGHTS_LOST) as Sent;
  expect(await endOf(RIGHTS_LOST)).toEqual({
    status: 'failed',
    attempt: 2,
    error: expect.stringContaining('cannot change anything in the workspace any more'),
  });
  expect(askedFor(sent.get(RIGHTS_LOST) as Sent)).toBe(1);
  const { body } = await api<{ messages: unknown[] }>(
    'GET',
    `/org/main/ws/main/sessions/${sessionId}/transcript`,
  );
  expect(body.messages).toHaveLength(1);
  expect((await api('GET', `/org/main/tasks/made-${id}`)).status).toBe(404);
});
