/** The job of an evaluation: its samples, several at once, until none is left, or it is paused or cancelled. */
import { sql } from 'kysely';
import { ShortMemory } from '../../platform/auth/short-memory.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';
import {
  type ClaimedRow,
  completed,
  defineJob,
  failed,
  type JobDefinition,
  type Outcome,
  paused,
  unfinished,
  type Work,
} from '../../platform/jobs/job-kind.ts';
import { setPaused } from '../control/update.ts';
import { EVALUATION } from '../evaluation-kind.ts';
import { OPEN_STATES } from '../item-states.ts';
import {
  getRunEvaluation,
  getRunItem,
  type RunEvaluation,
  type RunTools,
  SampleCancelled,
  type SampleTools,
} from './context.ts';
import { NoCredits, runItem } from './run-item.ts';

/** Evaluations that a process runs at once. Each has samples of its own under way, and waits for models most of the time. */
const CONCURRENCY = 64;
/** An organization with many evaluations has to leave slots to others. */
const MAX_PER_ORGANIZATION = 8;
/** The queue aborts a step after a day. After 12 hours no more samples begin, and the next step goes on with the rest. */
const STEP_HOURS = 12;
/** A step lasts for hours, in which workers may be killed for other reasons than the evaluation. */
const MAX_LOST_WORKERS = 100;
const CANCEL_CHECK_MS = 1_000;

type Step = Work<Record<string, never>>;

export function evaluationJob(given: RunTools): JobDefinition {
  const tools: SampleTools = { ...given, scopes: new ShortMemory() };
  return defineJob<Record<string, never>>(EVALUATION, {
    concurrency: CONCURRENCY,
    maxPerOrganization: MAX_PER_ORGANIZATION,
    maxStepSeconds: 86_400,
    maxLostWorkers: MAX_LOST_WORKERS,
    step: (work) => run(tools, work),
  });
}

async function run(tools: SampleTools, work: Step): Promise<Outcome<Record<string, never>>> {
  const evaluation = await getRunEvaluation(tools.db, work);
  const problem = await findProblem(tools, work, evaluation);
  if (problem !== undefined) return failed(problem);
  const until = performance.now() + STEP_HOURS * 3_600_000;
  const samples = new Samples(tools, work, evaluation);
  try {
    await work.claimRows({
      table: 'evaluation_items',
      parent: 'evaluation_id',
      open: OPEN_STATES,
      concurrency: (trx) => (performance.now() > until ? Promise.resolve(0) : getConcurrency(trx, work)),
      run: (row) => samples.run(row),
    });
  } finally {
    samples.close();
  }
  const { openCount, isPaused } = await getProgress(tools.db, work);
  if (isPaused && openCount > 0) return paused((trx) => isStillPaused(trx, work));
  if (openCount > 0) return unfinished({}, { afterSeconds: 1 });
  return completed(async (trx) => {
    // A retry in between has opened samples again: the step fails, and the next one runs them.
    if ((await getProgress(trx, work)).openCount > 0)
      throw new Error('samples were opened while the evaluation ended');
  });
}

/** @returns why no sample of the evaluation can run */
async function findProblem(
  { inference }: RunTools,
  { organizationId }: Step,
  { model, budget_usd }: RunEvaluation,
): Promise<string | undefined> {
  if (budget_usd === 0) return 'The budget is 0, so that no sample could run. Raise budget_usd and retry.';
  try {
    await inference.getModel(organizationId, model);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.type === 'not_found_error') return error.message;
    throw error;
  }
}

/**
 * @returns how many samples may run at once now: 0 if the evaluation is paused or its budget is used up. `claimRows` has locked its row.
 */
async function getConcurrency(trx: Trx, { organizationId, id }: Step): Promise<number> {
  const { rows } = await sql<{
    concurrency: number;
    is_paused: boolean;
    is_spent: boolean;
    budget_usd: number | null;
  }>`
    SELECT concurrency, is_paused, budget_usd, coalesce(cost_usd >= budget_usd, false) AS is_spent FROM evaluations
     WHERE organization_id = ${organizationId} AND id = ${id}`.execute(trx);
  const [row] = rows;
  if (!row || row.is_paused) return 0;
  if (!row.is_spent) return row.concurrency;
  await setPaused(
    trx,
    organizationId,
    id,
    `The budget of ${row.budget_usd} US dollars is used up. Raise budget_usd and resume.`,
  );
  return 0;
}

async function getProgress(db: RunTools['db'], { organizationId, id }: Step) {
  const { rows } = await sql<{ openCount: number; isPaused: boolean }>`
    SELECT e.is_paused AS "isPaused", (
             SELECT count(*) FROM evaluation_items AS i
              WHERE i.organization_id = ${organizationId} AND i.evaluation_id = ${id} AND i.status = ANY (${[...OPEN_STATES]}::text[])
           ) AS "openCount"
      FROM evaluations AS e WHERE e.organization_id = ${organizationId} AND e.id = ${id}`.execute(db);
  return rows[0] ?? { openCount: 0, isPaused: false };
}

async function isStillPaused(trx: Trx, { organizationId, id }: Step): Promise<boolean> {
  const { rows } = await sql<{ is_paused: boolean }>`
    SELECT is_paused FROM evaluations WHERE organization_id = ${organizationId} AND id = ${id}`.execute(trx);
  return rows[0]?.is_paused ?? false;
}

/** The samples of one step, and the watch for those that users cancel. */
class Samples {
  readonly #tools: SampleTools;
  readonly #work: Step;
  readonly #evaluation: RunEvaluation;
  readonly #running = new Map<string, AbortController>();
  readonly #timer: NodeJS.Timeout;

  constructor(tools: SampleTools, work: Step, evaluation: RunEvaluation) {
    this.#tools = tools;
    this.#work = work;
    this.#evaluation = evaluation;
    this.#timer = setInterval(() => {
      this.#passOnCancels().catch((err: unknown) =>
        work.log.warn({ err }, 'could not look for cancelled samples'),
      );
    }, CANCEL_CHECK_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async run(row: ClaimedRow): Promise<void> {
    const { organizationId, id: evaluationId, log } = this.#work;
    const cancel = new AbortController();
    this.#running.set(row.id, cancel);
    try {
      const item = await getRunItem(this.#tools.db, { organizationId, evaluationId, id: row.id });
      await runItem({
        tools: this.#tools,
        organizationId,
        evaluationId,
        evaluation: this.#evaluation,
        row,
        item,
        signal: AbortSignal.any([row.signal, cancel.signal]),
        log,
      });
    } catch (error) {
      if (!(error instanceof NoCredits)) throw error;
      await this.#work.save(async (trx) => {
        await row.release(trx);
        await setPaused(trx, organizationId, evaluationId, `${error.message} Add credits and resume.`);
      });
    } finally {
      this.#running.delete(row.id);
    }
  }

  async #passOnCancels(): Promise<void> {
    if (this.#running.size === 0) return;
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM evaluation_items
       WHERE organization_id = ${this.#work.organizationId} AND id = ANY (${[...this.#running.keys()]}::uuid[])
         AND cancel_requested_at IS NOT NULL`.execute(this.#tools.db);
    for (const { id } of rows) this.#running.get(id)?.abort(new SampleCancelled('the sample was cancelled'));
  }
}
