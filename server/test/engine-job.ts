/**
 * A job as an engine implements it: a model call, a command in a sandbox, messages in a session, a published task version. Every result is
 * stored before the next step begins, so that a retry continues where the killed attempt stopped. A call whose result was not stored is
 * made and charged again.
 */
import { sql } from 'kysely';
import { scopeOf } from '../src/accounts/service.ts';
import type { JobTools } from '../src/background.ts';
import type { Db } from '../src/platform/db/connect.ts';
import { ApiError } from '../src/platform/errors.ts';
import {
  completed,
  defineJob,
  failed,
  type JobDefinition,
  type JobKind,
  type Work,
} from '../src/platform/jobs/job-kind.ts';
import { publishVersion } from '../src/registry/service.ts';
import { appendMessages, createSession, freezeSession, readTurns } from '../src/sessions/service.ts';

export const ENGINE: JobKind = { kind: 'engines.run', table: 'engine_runs' };

/** Moments at which a worker may be killed. */
export const MOMENTS = [
  'begun',
  'called',
  'answer stored',
  'executed',
  'output stored',
  'published',
] as const;
export type Moment = (typeof MOMENTS)[number];

export async function createEngineTable(db: Db): Promise<void> {
  await sql`
    CREATE TABLE engine_runs (
      organization_id     uuid NOT NULL,
      id                  uuid NOT NULL,
      workspace_id        uuid NOT NULL,
      user_id             uuid NOT NULL,
      session_id          uuid NOT NULL,
      hold_at             text, -- a worker that holds jobs stops there
      held                boolean NOT NULL DEFAULT false,
      status              text NOT NULL DEFAULT 'queued',
      attempt             integer NOT NULL DEFAULT 0,
      checkpoint          jsonb,
      error               text,
      cancel_requested_at timestamptz(3),
      started_at          timestamptz(3),
      completed_at        timestamptz(3),
      PRIMARY KEY (organization_id, id))`.execute(db);
  await sql`CREATE INDEX engine_runs_open ON engine_runs (organization_id, id) WHERE status IN ('queued', 'running')`.execute(
    db,
  );
}

interface Run {
  readonly workspaceId: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly holdAt: string | null;
}

export function engineJob(tools: JobTools, { holds }: { readonly holds: boolean }): JobDefinition {
  return defineJob(ENGINE, {
    concurrency: 16,
    step: async (work) => {
      try {
        return await step(tools, work, holds);
      } catch (error) {
        // This job expects lost rights only. An engine returns `failed` for every error that a retry cannot solve.
        if (error instanceof ApiError && error.type === 'forbidden_error') return failed(error.message);
        throw error;
      }
    },
  });
}

async function step(
  { db, storage, local, inference, sandboxes }: JobTools,
  work: Work<never>,
  holds: boolean,
) {
  const { organizationId, id, signal } = work;
  const run = await getRun(db, work);
  const { workspaceId, userId, sessionId } = run;
  const owner = { organizationId, workspaceId, userId };
  const scope = () => scopeOf(db, owner, userId, id);
  const at = (moment: Moment) => (holds && run.holdAt === moment ? hold(db, work) : undefined);

  await at('begun');
  const own = await scope();
  await work.save((trx) =>
    createSession(trx, own, { id: sessionId, model: 'acme/large', origin: 'eval', visibility: 'workspace' }),
  );
  const say = async (message: Parameters<typeof appendMessages>[3]['messages'][number]) => {
    const current = await scope();
    await work.save((trx) => appendMessages(trx, current, sessionId, { messages: [message] }));
  };
  const stored = new Map<string, string>();
  for await (const turn of readTurns(db, own, sessionId))
    if (turn.kind === 'message') stored.set(turn.message.id, turn.message.content);

  let command = stored.get('answer');
  if (command === undefined) {
    // `callModel` checks no rights, so they are checked before credits are spent.
    await scope();
    const request = { model: 'acme/large', messages: [{ role: 'user', content: `Run ${id}` }] };
    const links = { sessionId, traceId: null, spanId: null };
    const { completion } = await inference.callModel({ organizationId, userId, request, links, signal });
    await at('called');
    command = (completion.choices as [{ message: { content: string } }])[0].message.content;
    await say({ id: 'answer', role: 'assistant', content: command });
  }
  await at('answer stored');

  let output = stored.get('output');
  if (output === undefined) {
    output = await sandboxes.withSandbox({ owner, origin: 'eval', signal }, async (sandbox) => {
      const { stdout } = await sandbox.exec(command);
      await at('executed');
      return stdout.trim();
    });
    await say({ id: 'output', role: 'user', content: output });
  }
  await at('output stored');

  const name = `made-${id}`;
  const manifest = `name: ${name}\nversion: 1.0.0\ninstruction: ${JSON.stringify(output)}\nverification: { method: exact, expected: "42" }\n`;
  await publishVersion(
    { db, storage, local },
    scope,
    { kind: 'task', name, version: '1.0.0', files: [{ path: 'task.yaml', content: manifest }] },
    signal,
  );
  await at('published');
  const last = await scope();
  return completed(async (trx) => void (await freezeSession(trx, last, sessionId, 'evaluation')));
}

async function getRun(db: Db, { organizationId, id }: Work<never>): Promise<Run> {
  const { rows } = await sql<Run>`
    SELECT workspace_id AS "workspaceId", user_id AS "userId", session_id AS "sessionId", hold_at AS "holdAt"
      FROM engine_runs WHERE organization_id = ${organizationId} AND id = ${id}`.execute(db);
  const [run] = rows;
  if (!run) throw new Error('the run is there');
  return run;
}

/** Holds the job at this moment until the process is killed or the job is over. */
async function hold(db: Db, { organizationId, id, signal }: Work<never>): Promise<never> {
  await sql`UPDATE engine_runs SET held = true WHERE organization_id = ${organizationId} AND id = ${id}`.execute(
    db,
  );
  return new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  );
}
