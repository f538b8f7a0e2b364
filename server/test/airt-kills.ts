/** Assessments while their worker, their server and PostgreSQL are killed: one scenario, for a short run and a long one. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { KilledFleet, type Victim } from './killed-fleet.ts';
import { until } from './processes.ts';

const W = '/org/main/ws/main';
const AIRT = `${W}/airt/assessments`;
const WAIT_TIMEOUT_MS = 600_000;
const ATTACKS = [
  'baseline',
  'best_of_n',
  'prefix_injection',
  'refusal_suppression',
  'role_play',
  'many_shot',
  'skeleton_key',
  'policy_puppetry',
  'pair',
  'tap',
  'crescendo',
  'goat',
];
const CONCURRENCY = 4;

interface Assessment {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
  readonly overall_asr: number;
  readonly risk_score: number;
  readonly progress: { readonly model_calls: number };
}

interface Row {
  readonly attack_name: string;
  readonly goal: string;
  readonly trial_index: number;
  readonly candidate: string;
  readonly transformed_prompt: string;
  readonly response: string;
  readonly score: number;
}

export class KilledAssessments {
  readonly #fleet = new KilledFleet();
  #projectId = '';

  async start(): Promise<void> {
    await this.#fleet.start();
    const project = await until('the server responds', () =>
      this.#fleet.get<{ id: string }>(`${W}/projects/default`),
    );
    this.#projectId = project.id;
  }

  stop(): Promise<void> {
    return this.#fleet.stop();
  }

  /**
   * Runs 12 attacks on the goals of a category and kills the given processes in between.
   * @returns the measured results
   */
  async run(victims: readonly Victim[], trials: number) {
    const created = await this.#fleet.post<Assessment>(`${AIRT}?project_id=${this.#projectId}`, {
      name: 'killed',
      target_model: 'sim/guarded',
      attacker_config: { concurrency: CONCURRENCY, seed: 3 },
      attack_manifest: ATTACKS.map((attack) => ({
        attack,
        goal_category: 'credential_leak',
        trials,
        params: { exhaustive: true },
      })),
    });
    expect(created.status).toBe(201);
    const { id } = created.body;
    expect((await this.#fleet.post(`${AIRT}/${id}/start`, {})).status).toBe(200);
    for (const victim of victims) {
      const before = await this.#countTrials(id);
      await until(
        'trials are stored',
        async () => (await this.#countTrials(id)) > before + 5,
        WAIT_TIMEOUT_MS,
      );
      await sleep(Math.random() * 100);
      await this.#fleet.kill(victim);
    }
    const assessment = await until('the assessment has ended', () => this.#findEnded(id), WAIT_TIMEOUT_MS);
    expect(assessment).toMatchObject({ status: 'completed', error: null });
    await this.#requireNoRepeats(id, assessment, victims.length);
    const { overall_asr, risk_score } = assessment;
    return { overall_asr, risk_score, trials: await this.#listTrials(id) };
  }

  async #countTrials(id: string): Promise<number> {
    return (await this.#listTrials(id).catch(() => [])).length;
  }

  async #findEnded(id: string): Promise<Assessment | undefined> {
    const assessment = await this.#fleet.get<Assessment>(`${AIRT}/${id}`);
    return assessment && ['completed', 'failed'].includes(assessment.status) ? assessment : undefined;
  }

  #listTrials(id: string): Promise<Row[]> {
    return this.#fleet.withDb(async (db) => {
      const { rows } = await sql<Row>`
        SELECT f.attack_name, f.goal, t.trial_index, t.candidate, t.transformed_prompt, t.response, t.score
          FROM airt_trials AS t JOIN airt_findings AS f ON f.organization_id = t.organization_id AND f.id = t.finding_id
         WHERE t.assessment_id = ${id} ORDER BY f.position, t.trial_index`.execute(db);
      return rows;
    });
  }

  /** Every stored response was requested once. A kill costs at most the calls in progress. */
  #requireNoRepeats(id: string, { progress }: Assessment, killCount: number): Promise<void> {
    return this.#fleet.withDb(async (db) => {
      const { rows } = await sql<{ calls: number; journal: number }>`
        SELECT (SELECT count(*) FROM inference_calls AS c
                 WHERE c.status = 'completed' AND c.started_at >= a.started_at) AS calls,
               (SELECT count(*) FROM airt_calls AS c JOIN airt_findings AS f ON f.id = c.finding_id
                 WHERE f.assessment_id = a.id) AS journal
          FROM airt_assessments AS a WHERE a.id = ${id}`.execute(db);
      expect(rows[0]?.journal).toBe(0);
      const repeated = (rows[0]?.calls ?? 0) - progress.model_calls;
      expect(repeated).toBeGreaterThanOrEqual(0);
      expect(repeated).toBeLessThanOrEqual(killCount * CONCURRENCY);
    });
  }
}
