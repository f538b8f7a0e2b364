/** The queue: jobs enter it in the transaction that creates their row, and organizations take turns in it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { fromKysely, type Job, PgBoss } from 'pg-boss';
import { type Db, IDLE_CONNECTION_MS } from '../db/connect.ts';
import { type Trx, transaction } from '../db/transaction.ts';
import type { Log } from '../log.ts';
import {
  type JobDefinition,
  type JobKind,
  type JobRef,
  MAX_STEP_SECONDS,
  maxStepSecondsOf,
} from './job-kind.ts';
import { wakeUpKey } from './job-row.ts';

/** Payload of a queued job: its row, and the number of failures since its last progress. */
export interface WakeUp {
  readonly organization_id: string;
  readonly id: string;
  readonly failures: number;
}

export interface QueueOptions {
  /** The direct PostgreSQL address: behind a transaction pooler LISTEN does not work, and jobs are then found by polling every 2 s. */
  readonly url: string;
  readonly db: Db;
  readonly log: Log;
  /** Whether this process runs jobs, or only enqueues them. */
  readonly isWorker: boolean;
}

const QUEUE = {
  policy: 'exclusive', // one wake-up per row at a time, waiting or running
  notify: true,
  heartbeatSeconds: 10,
  retentionSeconds: 14 * 24 * 3_600,
  deleteAfterSeconds: 24 * 3_600,
  // Limits only workers that died: a step that throws is enqueued again by our own code, and the worker that finds too many deaths ends the
  // job.
  retryLimit: 1_000,
  retryDelay: 0,
};

const SUPERVISE_SECONDS = 5;
const IDLE_SUPERVISE_SECONDS = 60;
const CONNECTIONS = 4;
/** Reaches the `pg.Pool` of pg-boss, whose types omit it: the default is 10 s, and its cron runs every 30 s. */
const POOL = { idleTimeoutMillis: IDLE_CONNECTION_MS };
const STOP_MS = 8_000;
const START_ATTEMPTS = 5;

export class JobQueue {
  readonly boss: PgBoss;
  private readonly options: QueueOptions;
  private supervision: NodeJS.Timeout | undefined;

  constructor(options: QueueOptions) {
    this.options = options;
    this.boss = new PgBoss({
      connectionString: options.url,
      application_name: 'drydock jobs',
      max: options.isWorker ? CONNECTIONS : 1,
      ...POOL,
      useListenNotify: options.isWorker,
      supervise: false, // see below
      schedule: options.isWorker,
      monitorIntervalSeconds: SUPERVISE_SECONDS - 1,
      queueCacheIntervalSeconds: 60,
      // Features that we do not use, or not with a precision of seconds, must not keep an idle machine awake.
      cronWorkerIntervalSeconds: 30,
      flowIntervalSeconds: 3_600,
      monitorVacuum: false,
    });
    // The emitted value resembles an Error, but is not always one.
    this.boss.on('error', ({ message }) =>
      options.log.warn({ trouble: message }, 'the job queue had trouble'),
    );
    this.boss.on('warning', ({ message }) => options.log.warn({ trouble: message }, 'the job queue warns'));
  }

  /** Ensures that every kind has its queue with the declared options. */
  async start(kinds: readonly JobDefinition[]): Promise<void> {
    // A row does not record which kind it waits for.
    const tables = new Set(kinds.map(({ table }) => table));
    if (tables.size < kinds.length) throw new Error('Each kind of job needs a table of its own.');
    await this.startBoss();
    await transaction(this.options.db, async (trx) => {
      await sql`SELECT pg_advisory_xact_lock(${LOCK})`.execute(trx);
      for (const index of INDEXES) await sql.raw(`CREATE INDEX IF NOT EXISTS ${index}`).execute(trx);
    });
    const { policy, ...settings } = QUEUE;
    for (const job of kinds) {
      await this.boss.createQueue(job.kind, { policy });
      await this.boss.updateQueue(job.kind, { ...settings, expireInSeconds: expirationOf(job) });
    }
    if (this.options.isWorker) this.supervise();
  }

  /** When several processes start on an empty database, one creates the queue's tables, and the others retry. */
  private async startBoss(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.boss.start();
        return;
      } catch (error) {
        if (!isTaken(error) || attempt === START_ATTEMPTS) throw error;
        await sleep(200 * attempt);
      }
    }
  }

  /**
   * Recovers jobs whose worker has died. Checks every few seconds while any job runs, and otherwise once a minute, since a check costs a
   * dozen statements and an idle machine should sleep.
   */
  private supervise(): void {
    let lastPass = performance.now();
    const supervise = async () => {
      try {
        const isDue = performance.now() - lastPass >= IDLE_SUPERVISE_SECONDS * 1_000;
        if (!isDue && !(await this.isAnyRunning())) return;
        lastPass = performance.now();
        await this.boss.supervise();
      } catch (error) {
        this.options.log.warn({ err: error }, 'could not look after the jobs');
      }
    };
    this.supervision = setInterval(() => void supervise(), SUPERVISE_SECONDS * 1_000);
  }

  private async isAnyRunning(): Promise<boolean> {
    const { rows } = await sql`
      SELECT FROM pgboss.job WHERE state = 'active' AND group_id IS NOT NULL LIMIT 1
    `.execute(this.options.db);
    return rows.length > 0;
  }

  /** Returns which of these kinds have jobs that may start now: one query for all kinds, where fetching a job takes one per kind. */
  async findWaiting(kinds: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await sql<{ kind: string }>`
      SELECT kind FROM unnest(${kinds}::text[]) AS kinds (kind)
       WHERE EXISTS (SELECT FROM pgboss.job AS j WHERE j.name = kind AND j.state < 'active' AND j.start_after <= now())
    `.execute(this.options.db);
    return new Set(rows.map(({ kind }) => kind));
  }

  async stop(): Promise<void> {
    clearInterval(this.supervision);
    await this.boss.stop({ graceful: true, timeout: STOP_MS, close: true });
  }

  /** Wakes a worker for this row when `trx` commits. The row is `queued`. */
  async enqueue(trx: Trx, { kind }: Pick<JobKind, 'kind'>, job: JobRef): Promise<void> {
    await this.wake(trx, kind, { organization_id: job.organizationId, id: job.id, failures: 0 }, 0);
  }

  /** Ends the current wake-up and, in the same transaction, enqueues another: for a later step or a retry. */
  async wakeAgain(trx: Trx, job: Job<WakeUp>, failures: number, afterSeconds: number): Promise<void> {
    await this.release(trx, job);
    await this.wake(trx, job.name, { ...job.data, failures }, afterSeconds);
  }

  /** Completes this wake-up together with `trx`. */
  async release(trx: Trx, job: Job<WakeUp>): Promise<void> {
    await this.boss.complete(job.name, { id: job.id, retryCount: job.retryCount }, null, {
      db: fromKysely(trx),
    });
  }

  private async wake(trx: Trx, kind: string, data: WakeUp, afterSeconds: number): Promise<void> {
    await this.boss.send(kind, data, {
      db: fromKysely(trx),
      singletonKey: wakeUpKey({ organizationId: data.organization_id, id: data.id }),
      group: { id: data.organization_id },
      priority: await nextTurn(trx, kind, data.organization_id),
      ...(afterSeconds > 0 && { startAfter: afterSeconds }),
    });
  }
}

/** Later than the worker's own limit, which takes precedence: the queue only detects a worker that does not respond. */
const expirationOf = (job: JobDefinition) =>
  Math.min(MAX_STEP_SECONDS, Math.ceil(maxStepSecondsOf(job)) + 60);

/** Error codes of PostgreSQL when two processes create the same thing at the same moment. */
const TAKEN = new Set(['23505', '42710', '42P06', '42P07', '42723']);

const isTaken = (error: unknown) => TAKEN.has(String((error as { code?: unknown }).code));

const LOCK = 0x6a6f_6273; // "jobs"

/** A job's state in API terms, as an SQL expression over the queue's table. */
export const STATE = `CASE WHEN state < 'active' THEN 'queued' WHEN state = 'active' THEN 'running'
       WHEN state = 'completed' THEN 'completed' ELSE 'failed' END`;

/** Our indexes on the queue's own table: for an organization's last turn, and for the list for platform admins, one per filter. */
const INDEXES = [
  "drydock_turns ON pgboss.job (name, group_id, priority) WHERE state < 'active'",
  'drydock_list ON pgboss.job (created_on, id)',
  'drydock_list_by_kind ON pgboss.job (name, created_on, id)',
  `drydock_list_by_state ON pgboss.job ((${STATE}), created_on, id)`,
];

/**
 * Organizations take turns: each one's jobs are numbered consecutively, a newcomer's from the current round. So after each job of an
 * organization with a thousand of them, every other waiting organization gets one done. Priorities are negative turns.
 */
async function nextTurn(trx: Trx, kind: string, organizationId: string): Promise<number> {
  const { rows } = await sql<{ priority: number }>`
    SELECT least(0,
             (SELECT priority FROM pgboss.job
               WHERE name = ${kind} AND state < 'active' AND NOT blocked AND start_after <= now()
               ORDER BY priority DESC LIMIT 1),
             (SELECT priority - 1 FROM pgboss.job
               WHERE name = ${kind} AND state < 'active' AND group_id = ${organizationId} ORDER BY priority LIMIT 1)
           ) AS priority
  `.execute(trx);
  return rows[0]?.priority ?? 0;
}
