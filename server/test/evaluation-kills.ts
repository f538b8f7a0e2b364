/** Evaluations while their server, their worker and PostgreSQL are killed: one scenario, for a short run and a long one. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { connect, type Db } from '../src/platform/db/connect.ts';
import { createLog } from '../src/platform/log.ts';
import { bundle } from './bundles.ts';
import { FIRST_START } from './first-start.ts';
import {
  call,
  newDataDir,
  postmasterOf,
  type RunningServer,
  type ServerProcess,
  spawnServer,
  startServer,
  until,
  urlOfRunning,
} from './processes.ts';

const KEY = FIRST_START.apiKey;
const W = '/org/main/ws/main';
const ITEMS = 50;
const CONCURRENCY = 8;
const PATIENCE_MS = 180_000;

export type Victim = 'worker' | 'server' | 'PostgreSQL';

interface Evaluation {
  readonly id: string;
  readonly status: string;
  readonly passed_count: number;
  readonly item_counts: Readonly<Record<string, number>>;
}

export class KilledEvaluations {
  readonly #dataDir = newDataDir();
  readonly #environment = {
    DRYDOCK_DATA_DIR: this.#dataDir,
    DRYDOCK_INIT_API_KEY: KEY,
    DRYDOCK_SECRET_KEY: 'one key for the server and the worker here',
    DRYDOCK_LOG_LEVEL: 'fatal',
  };
  #server: RunningServer | undefined;
  #worker: ServerProcess | undefined;

  async start(): Promise<void> {
    this.#server = await startServer({ ...this.#environment, DRYDOCK_ROLE: 'server' });
    this.#worker = this.#startWorker();
    const task = {
      name: 'task',
      version: '1.0.0',
      instruction: 'Run this:\n\n```sh\necho "$RANDOM" > made.txt; sleep 0.2; echo done\n```\n',
      verification: { method: 'script', script: 'verify.sh' },
    };
    const files = { 'task.yaml': JSON.stringify(task), 'verify.sh': 'test "$(wc -l < made.txt)" = 1\n' };
    const response = await fetch(`${this.#url}/api/v1/org/main/tasks/task/1.0.0`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/gzip' },
      body: new Uint8Array(bundle(files)),
    });
    expect(response.status).toBe(201);
  }

  async stop(): Promise<void> {
    await this.#worker?.stop();
    await this.#server?.stop();
  }

  get #url(): string {
    if (!this.#server) throw new Error('no server runs');
    return this.#server.url;
  }

  #startWorker(): ServerProcess {
    return spawnServer({
      ...this.#environment,
      DRYDOCK_ROLE: 'worker',
      DATABASE_URL: urlOfRunning(this.#dataDir),
    });
  }

  /** Runs 50 samples, kills these while samples run, and requires each sample to end once, with what was stored. */
  async round(victims: readonly Victim[]): Promise<void> {
    const request = {
      name: 'killed',
      model: 'sim/tool-user',
      task_names: Array.from({ length: 5 }, () => 'task'),
      repetitions: ITEMS / 5,
      concurrency: CONCURRENCY,
      max_retries: 5,
    };
    const created = await call<Evaluation>(this.#url, KEY, 'POST', `${W}/evaluation`, request);
    expect(created.status).toBe(201);
    const { id } = created.body;
    for (const victim of victims) {
      const before = await this.#endedCount(id);
      await until('samples end', async () => (await this.#endedCount(id)) > before, PATIENCE_MS);
      await sleep(Math.random() * 300);
      await this.#kill(victim);
    }
    const evaluation = await until('the evaluation has ended', () => this.#findEnded(id), PATIENCE_MS);
    expect(evaluation).toMatchObject({ status: 'completed', passed_count: ITEMS });
    await this.#audit(id, victims.length);
  }

  async #endedCount(id: string): Promise<number> {
    return (await this.#get(id))?.item_counts.passed ?? 0;
  }

  /** undefined while nobody answers. */
  async #get(id: string): Promise<Evaluation | undefined> {
    const answer = await call<Evaluation>(this.#url, KEY, 'GET', `${W}/evaluation/${id}`).catch(
      () => undefined,
    );
    return answer?.status === 200 ? answer.body : undefined;
  }

  async #findEnded(id: string): Promise<Evaluation | undefined> {
    const found = await this.#get(id);
    return found && ['completed', 'failed', 'cancelled'].includes(found.status) ? found : undefined;
  }

  async #kill(victim: Victim): Promise<void> {
    if (victim === 'worker') {
      await this.#worker?.stop('SIGKILL');
      this.#worker = this.#startWorker();
    } else if (victim === 'PostgreSQL') {
      const postmaster = postmasterOf(this.#dataDir);
      process.kill(postmaster, 'SIGKILL');
      await until('PostgreSQL runs again', () => {
        try {
          return postmasterOf(this.#dataDir) !== postmaster;
        } catch {
          return false;
        }
      });
    } else {
      await this.#server?.stop('SIGKILL');
      this.#server = await startServer({ ...this.#environment, DRYDOCK_ROLE: 'server' });
    }
  }

  /** What the database holds: one end for each sample, and no call beyond those whose response a kill kept from being stored. */
  async #audit(id: string, killCount: number): Promise<void> {
    const db = connect({
      url: urlOfRunning(this.#dataDir),
      poolSize: 1,
      namedStatements: false,
      log: createLog('fatal'),
    });
    try {
      const { rows } = await sql<{ session_id: string; calls: number; answers: number; ends: number }>`
        SELECT s.id AS session_id,
               (SELECT count(*) FROM inference_calls AS c WHERE c.session_id = s.id AND c.status = 'completed') AS calls,
               (SELECT count(*) FROM session_messages AS m WHERE m.session_id = s.id AND m.role = 'assistant') AS answers,
               (SELECT count(*) FROM events AS e
                 WHERE e.stream_id = i.evaluation_id AND e.type = 'item' AND e.data ->> 'id' = i.id::text
                   AND e.data ->> 'item_status' = 'passed') AS ends
          FROM evaluation_items AS i JOIN sessions AS s ON s.id = i.session_id
         WHERE i.evaluation_id = ${id}`.execute(db);
      expect(rows).toHaveLength(ITEMS);
      for (const { calls, answers, ends } of rows) {
        expect([answers, ends]).toEqual([2, 1]);
        expect(calls).toBeGreaterThanOrEqual(2);
        expect(calls).toBeLessThanOrEqual(2 + killCount);
      }
      const repeated = rows.filter(({ calls }) => calls > 2).length;
      // A kill leaves sandboxes to be taken up again: no attempt is given up once its agent has run.
      const { rows: given } = await sql<{ error: string; has_run: boolean }>`
        SELECT a.outcome ->> 'error' AS error, EXISTS (
                 SELECT FROM session_messages AS m WHERE m.session_id = a.session_id AND m.role = 'assistant') AS has_run
          FROM evaluation_item_attempts AS a JOIN evaluation_items AS i ON i.id = a.item_id
         WHERE i.evaluation_id = ${id}`.execute(db);
      console.info(`${given.length} attempts were given up before their first model call`);
      expect(given.filter(({ has_run }) => has_run)).toEqual([]);
      console.info(
        `${repeated} of ${ITEMS} samples repeated a call whose response was lost with its process`,
      );
      const { rows: frozen } = await sql`
        SELECT s.id FROM sessions AS s JOIN session_groups AS g ON g.id = s.group_id
         WHERE g.evaluation_id = ${id} AND (s.frozen_at IS NULL OR g.status = 'running')`.execute(db);
      expect(frozen).toEqual([]);
    } finally {
      await db.destroy();
    }
  }

  /** Waits until nothing is left of killed attempts: sandboxes go when their leases lapse. */
  async requireNothingLeft(): Promise<void> {
    const db: Db = connect({
      url: urlOfRunning(this.#dataDir),
      poolSize: 1,
      namedStatements: false,
      log: createLog('fatal'),
    });
    try {
      const count = async (text: string) => (await sql.raw<{ n: number }>(text).execute(db)).rows[0]?.n;
      await until(
        'no sandbox, session or hold is left',
        async () =>
          (await count(`SELECT count(*) AS n FROM runtimes WHERE origin <> 'user'`)) === 0 &&
          (await count(`SELECT count(*) AS n FROM credit_reservations`)) === 0,
        300_000,
      );
    } finally {
      await db.destroy();
    }
  }
}
