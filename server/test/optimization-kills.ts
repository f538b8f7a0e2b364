/** Optimization jobs while their worker, their server and PostgreSQL are killed: one scenario for a short run and a long one. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { sampleRows } from '../../scripts/demo/sample-rows.ts';
import { bundle } from './bundles.ts';
import { KilledFleet, type Victim } from './killed-fleet.ts';
import { until } from './processes.ts';

const W = '/org/main/ws/main';
const WAIT_TIMEOUT_MS = 500_000;
/** Proposals per iteration, and so concurrent reflections. */
const CONCURRENCY = 2;

interface Job {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
  readonly summary: { readonly metadata: { readonly budget: { readonly metric_calls_used: number } } };
}

interface Page<Item> {
  readonly items: readonly Item[];
}

interface Candidate {
  readonly parents: readonly number[];
  readonly texts: Readonly<Record<string, string>>;
  readonly scores: readonly number[];
  readonly holdout_score: number | null;
  readonly metric_calls: number;
}

interface Proposal {
  readonly iteration: number;
  readonly status: string;
  readonly reason: string | null;
  readonly minibatch: readonly number[];
}

export class KilledOptimizations {
  readonly #fleet = new KilledFleet();

  async start(): Promise<void> {
    await this.#fleet.start();
    const capability = bundle({
      'capability.yaml': 'schema: 1\nname: assistant\nversion: 1.0.0\ndescription: Answers\n',
      'agents/helper.md': 'You are a helpful assistant.\n',
    });
    expect(await this.#fleet.putBundle('/org/main/capabilities/assistant/1.0.0', capability)).toBe(201);
    const lines = sampleRows(30)
      .map((row) => JSON.stringify(row))
      .join('\n');
    const dataset = bundle({ 'dataset.yaml': 'summary: questions\n', 'train.jsonl': `${lines}\n` });
    expect(await this.#fleet.putBundle('/org/main/datasets/questions/1.0.0', dataset)).toBe(201);
  }

  stop(): Promise<void> {
    return this.#fleet.stop();
  }

  /**
   * Runs a job and kills the given processes in between.
   * @returns its candidates and proposals, and its number of metric calls
   */
  async run(victims: readonly Victim[]) {
    const created = await this.#fleet.post<Job>(`${W}/optimization/jobs`, {
      target_kind: 'capability_agent',
      model: 'sim/instructed',
      capability_ref: { name: 'assistant', version: '1.0.0' },
      dataset_ref: { name: 'questions', version: '1.0.0' },
      reward_recipe: { name: 'exact_match_v1' },
      config: { reflection_lm: 'sim/reflector', max_metric_calls: 120, concurrency: CONCURRENCY },
    });
    expect(created.status).toBe(201);
    const { id } = created.body;
    for (const victim of victims) {
      const before = await this.#countSamples(id);
      await until('samples are scored', async () => (await this.#countSamples(id)) > before, WAIT_TIMEOUT_MS);
      await sleep(Math.random() * 200);
      await this.#fleet.kill(victim);
    }
    const job = await until('the job has ended', () => this.#findEnded(id), WAIT_TIMEOUT_MS);
    expect(job).toMatchObject({ status: 'completed', error: null });
    await this.#requireNoRepeats(id, victims.length);
    return this.#getTree(id, job);
  }

  #countSamples(id: string): Promise<number> {
    return this.#fleet
      .withDb(async (db) => {
        const { rows } = await sql<{ count: number }>`
          SELECT coalesce(sum(scored_count), 0) AS count FROM evaluations WHERE optimization_job_id = ${id}`.execute(
          db,
        );
        return rows[0]?.count ?? 0;
      })
      .catch(() => 0);
  }

  async #findEnded(id: string): Promise<Job | undefined> {
    const job = await this.#fleet.get<Job>(`${W}/optimization/jobs/${id}`);
    return job && ['completed', 'failed', 'cancelled'].includes(job.status) ? job : undefined;
  }

  async #getTree(id: string, { summary }: Job) {
    const list = async <Item>(what: string) => {
      const page = await this.#fleet.get<Page<Item>>(`${W}/optimization/jobs/${id}/${what}?page_size=100`);
      if (!page) throw new Error(`${what} cannot be read`);
      return page.items;
    };
    const candidates = await list<Candidate>('candidates');
    const proposals = await list<Proposal>('proposals');
    return {
      candidates: candidates.map(({ parents, texts, scores, holdout_score, metric_calls }) => ({
        parents,
        texts,
        scores,
        holdout_score,
        metric_calls,
      })),
      proposals: proposals.map(({ iteration, status, reason, minibatch }) => ({
        iteration,
        status,
        reason,
        minibatch,
      })),
      metricCalls: summary.metadata.budget.metric_calls_used,
    };
  }

  /** Each sample has one session with one answer, and only calls whose response could not be stored because of a kill were repeated. */
  #requireNoRepeats(id: string, killCount: number): Promise<void> {
    return this.#fleet.withDb(async (db) => {
      const { rows } = await sql<{ answers: number; calls: number }>`
        SELECT (SELECT count(*) FROM session_messages AS m WHERE m.session_id = i.session_id AND m.role = 'assistant') AS answers,
               (SELECT count(*) FROM inference_calls AS c WHERE c.session_id = i.session_id AND c.status = 'completed') AS calls
          FROM evaluations AS e JOIN evaluation_items AS i ON i.evaluation_id = e.id
         WHERE e.optimization_job_id = ${id}`.execute(db);
      expect(rows.length).toBeGreaterThan(0);
      for (const { answers, calls } of rows) {
        expect(answers).toBe(1);
        expect(calls).toBeLessThanOrEqual(1 + killCount);
      }
      console.info(
        `${rows.filter(({ calls }) => calls > 1).length} of ${rows.length} calls were lost with their process`,
      );
      // Jobs run one after the other here, so all calls of the reflection model since the job's creation belong to it.
      const { rows: reflected } = await sql<{ stored: number; calls: number }>`
        SELECT (SELECT count(*) FROM optimization_reflections AS r WHERE r.job_id = j.id) AS stored,
               (SELECT count(*) FROM inference_calls AS c
                 WHERE c.model = 'sim/reflector' AND c.status = 'completed' AND c.started_at >= j.created_at) AS calls
          FROM optimization_jobs AS j WHERE j.id = ${id}`.execute(db);
      const { stored, calls } = reflected[0] ?? { stored: 0, calls: 0 };
      expect(stored).toBeGreaterThan(0);
      expect(calls).toBeGreaterThanOrEqual(stored);
      expect(calls).toBeLessThanOrEqual(stored + killCount * CONCURRENCY);
    });
  }
}
