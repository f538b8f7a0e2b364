/** Lists the jobs of the whole platform for platform admins: waiting, running and failed ones, never their content. */
import { sql } from 'kysely';
import { z } from 'zod';
import type { Signer } from '../auth/signing.ts';
import type { Db } from '../db/connect.ts';
import { Id, Timestamp } from '../fields.ts';
import { userRoutes } from '../http/operations.ts';
import { Cursors, cursorPageOf, cursorQuery } from '../http/responses/pages.ts';
import { STATE } from './queue.ts';

const State = z.enum(['queued', 'running', 'completed', 'failed']);

const QueuedJob = z
  .object({
    id: Id.describe('Of this wake-up; one job may need several'),
    kind: z.string().describe('<domain>.<verb>'),
    state: State,
    organization_id: Id.nullable().describe("null for the platform's own work"),
    resource_id: Id.nullable().describe('What is worked on'),
    failures: z.int().describe('How often it failed since it last got on'),
    lost_workers: z.int().describe('How often its worker died'),
    created_at: Timestamp,
    starts_after: Timestamp,
    started_at: Timestamp.nullable(),
    completed_at: Timestamp.nullable(),
  })
  .meta({ id: 'QueuedJob' });

const QueuedJobPage = cursorPageOf(QueuedJob).meta({ id: 'QueuedJobPage' });

const filters = { kind: z.string().optional(), state: State.optional() };

export function jobRoutes({ db, signer }: { db: Db; signer: Signer }) {
  const cursors = new Cursors<Position>(signer, 'jobs');
  return userRoutes('Platform', (on) => {
    on.get(
      '/jobs',
      {
        id: 'listJobs',
        summary: 'List the jobs of the whole platform, newest first',
        scope: 'user:read',
        platformAdmin: true,
        query: z.object({ ...filters, ...cursorQuery({ defaultLimit: 50, maxLimit: 200 }) }),
        response: QueuedJobPage,
      },
      async ({ query: { limit, cursor, ...given } }) => {
        const rows = await listJobs(db, given, cursors.read(cursor, given), limit + 1);
        return cursors.toPage(rows, limit, given, ({ created_on, id }) => ({ created_on, id }));
      },
    );
  });
}

interface Position {
  /** Exact to the microsecond, as text: no job must be shown twice or left out. */
  readonly created_on: string;
  readonly id: string;
}

type Row = z.output<typeof QueuedJob> & Position;

interface Filters {
  readonly kind?: string | undefined;
  readonly state?: z.output<typeof State> | undefined;
}

async function listJobs(db: Db, { kind, state }: Filters, after: Position | undefined, limit: number) {
  const conditions = [
    sql`name NOT LIKE '\\_\\_pgboss%'`,
    ...(kind === undefined ? [] : [sql`name = ${kind}`]),
    ...(state === undefined ? [] : [sql`(${sql.raw(STATE)}) = ${state}`]),
    ...(after ? [sql`(created_on, id) < (${after.created_on}::timestamptz, ${after.id}::uuid)`] : []),
  ];
  const { rows } = await sql<Row>`
    SELECT id, name AS kind, group_id AS organization_id, (data ->> 'id')::uuid AS resource_id,
           ${sql.raw(STATE)} AS state,
           coalesce((data ->> 'failures')::int, 0) AS failures, retry_count AS lost_workers,
           created_on AS created_at, start_after AS starts_after, started_on AS started_at,
           completed_on AS completed_at, created_on::text AS created_on
      FROM pgboss.job
     WHERE ${sql.join(conditions, sql` AND `)}
     ORDER BY pgboss.job.created_on DESC, id DESC
     LIMIT ${limit}
  `.execute(db);
  return rows;
}
