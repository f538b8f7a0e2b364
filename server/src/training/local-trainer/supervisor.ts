/**
 * Starts the trainer beside this server when a job waits; it exits after 30 seconds without one. The trainer is an ordinary one: it speaks the worker
 * protocol, with a key that is made for it and limited to the workspace of the job.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { sql } from 'kysely';
import { issueWorkerKey, revokeKey, type WorkspacePlace } from '../../accounts/service.ts';
import type { Db } from '../../platform/db/connect.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { balanceOf } from '../../platform/metering/credits.ts';
import type { CreditRule } from '../credits.ts';
import { endJob } from '../job-state.ts';
import { lockStoredJob } from '../stored-job.ts';
import type { TrainerProgram } from './installation.ts';

/** Trainers of other machines claim a job within a second; the one beside the server takes the remaining ones. */
const WAIT_SECONDS = 2;
const CHECK_INTERVAL_MS = 2_000;
/** The trainer stays this long for the next job, which saves a new process and a new key. */
const IDLE_EXIT_SECONDS = 30;
const FIRST_BACKOFF_MS = 5_000;
const MAX_BACKOFF_MS = 300_000;
const KILL_AFTER_MS = 5_000;
const ERROR_CHARACTERS = 2_000;

export interface SupervisorOptions extends CreditRule {
  readonly db: Db;
  readonly log: Log;
  readonly program: TrainerProgram;
  /** Address at which the trainer reaches this server. */
  readonly url: string;
}

interface WaitingJob extends WorkspacePlace {
  readonly id: string;
  readonly organizationKey: string;
  readonly workspaceKey: string;
  readonly userId: string;
}

export class TrainerSupervisor {
  readonly #options: SupervisorOptions;
  readonly #timer: NodeJS.Timeout;
  #child: ChildProcess | undefined;
  #running: Promise<void> = Promise.resolve();
  #isBusy = false;
  #isStopping = false;
  #backoffMs = 0;
  #notBefore = 0;
  #lastProblem: string | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    mkdirSync(options.program.workFolder, { recursive: true });
    this.#timer = setInterval(() => this.#check(), CHECK_INTERVAL_MS).unref();
  }

  /** @returns why the trainer ended before it should, if it did */
  get problem(): string | undefined {
    return this.#lastProblem;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#timer);
    const child = this.#child;
    child?.kill('SIGTERM');
    const kill = setTimeout(() => child?.kill('SIGKILL'), KILL_AFTER_MS);
    await this.#running;
    clearTimeout(kill);
  }

  #check(): void {
    if (this.#isBusy || this.#isStopping || performance.now() < this.#notBefore) return;
    this.#isBusy = true;
    this.#running = this.#train()
      .catch((error: unknown) => this.#options.log.error({ err: error }, 'could not start the trainer'))
      .finally(() => {
        this.#isBusy = false;
      });
  }

  async #train(): Promise<void> {
    const { db, log, credits } = this.#options;
    const job = await findWaitingJob(db, credits);
    if (!job || this.#isStopping) return;
    const key = await this.#issueKey(job);
    if (!key) return;
    try {
      const problem = await this.#run(job, key.key);
      this.#lastProblem = this.#isStopping ? undefined : problem;
      if (this.#lastProblem === undefined) this.#backoffMs = 0;
      else {
        this.#backoffMs = Math.min(MAX_BACKOFF_MS, Math.max(FIRST_BACKOFF_MS, 2 * this.#backoffMs));
        this.#notBefore = performance.now() + this.#backoffMs;
        log.error({ problem: this.#lastProblem }, 'the trainer beside the server has failed');
      }
    } finally {
      await revokeKey(db, key.id);
    }
  }

  /** A job whose creator may not work in the workspace any more would keep all others waiting, so it fails. */
  async #issueKey(job: WaitingJob) {
    const { db } = this.#options;
    try {
      return await issueWorkerKey(db, job, job.userId, 'Trainer beside the server');
    } catch (error) {
      if (!(error instanceof ApiError && error.status < 500)) throw error;
      await transaction(db, async (trx) => {
        const stored = await lockStoredJob(trx, job);
        if (stored?.status === 'queued')
          await endJob(
            trx,
            stored,
            'failed',
            'The user who created the job cannot work in this workspace any more. Retry it as another user.',
          );
      });
      return undefined;
    }
  }

  /** @returns why it failed, or undefined */
  #run(job: WaitingJob, key: string): Promise<string | undefined> {
    const { program, url } = this.#options;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const args = ['-m', 'drydock_trainer', 'work', '--url', url, '--org', job.organizationKey];
    const child = spawn(
      program.python,
      [
        ...args,
        '--workspace',
        job.workspaceKey,
        '--name',
        `${hostname()} (beside the server)`,
        '--idle-exit',
        String(IDLE_EXIT_SECONDS),
        '--work-dir',
        program.workFolder,
      ],
      {
        cwd: program.workFolder,
        env: { ...program.environment, DRYDOCK_API_KEY: key },
        stdio: ['pipe', 'ignore', 'pipe'],
      },
    );
    this.#child = child;
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => {
      errors = (errors + chunk.toString()).slice(-ERROR_CHARACTERS);
    });
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => {
      this.#child = undefined;
      resolve(code === 0 ? undefined : `It ended with ${signal ?? `status ${code}`}: ${errors.trim()}`);
    });
    return promise;
  }
}

/** A job of an organization without credits is not given out, so it must not keep the others waiting. */
async function findWaitingJob(db: Db, credits: CreditRule['credits']): Promise<WaitingJob | undefined> {
  const { rows } = await sql<WaitingJob>`
    SELECT j.id, j.organization_id AS "organizationId", j.workspace_id AS "workspaceId", o.key AS "organizationKey",
           w.key AS "workspaceKey", j.created_by AS "userId"
      FROM training_jobs AS j /* of every organization */
      JOIN organizations AS o ON o.id = j.organization_id
      JOIN workspaces AS w ON w.organization_id = j.organization_id AND w.id = j.workspace_id
     WHERE j.status = 'queued' AND j.created_at < now() - make_interval(secs => ${WAIT_SECONDS})
       AND (${credits === 'unlimited'} OR ${balanceOf(sql`j.organization_id`)} > 0)
     ORDER BY j.created_at LIMIT 1`.execute(db);
  return rows[0];
}
