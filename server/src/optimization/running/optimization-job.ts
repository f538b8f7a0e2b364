/** The job of an optimization: runs the engine, provides the evaluations and reflections that it requests, and stores its decisions. */
import { sql } from 'kysely';
import { readCapabilityTexts } from '../../evaluations/service.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';
import {
  completed,
  defineJob,
  failed,
  type JobDefinition,
  type Outcome,
  unfinished,
} from '../../platform/jobs/job-kind.ts';
import { optimize } from '../../platform/optimizer/optimize.ts';
import {
  type CandidateAccepted,
  type EvaluationRequest,
  type EvaluationResult,
  type Event,
  ObjectivesMissing,
  type OptimizeOptions,
} from '../../platform/optimizer/ports.ts';
import {
  DEFAULT_TEMPLATE,
  withoutPlaceholders,
} from '../../platform/optimizer/reflection-prompt-template.ts';
import { OPTIMIZATION } from '../optimization-kind.ts';
import { getStoredJob, type StoredJob } from '../stored-job.ts';
import { loadExamples, scoreBatch } from './batches.ts';
import { type JobContext, type JobWork, OutOfCredits, type RunTools, Unscored } from './context.ts';
import { Journal } from './journal.ts';
import { toRecords } from './records.ts';
import { reflect } from './reflect.ts';
import { saveEvent } from './save-event.ts';

/** Jobs that a process runs at once. They wait for their evaluations nearly all the time. */
const CONCURRENCY = 32;
const MAX_PER_ORGANIZATION = 8;
/** The queue aborts a step after a day. After 12 hours the next step replays the job and goes on. */
const STEP_HOURS = 12;
/** A job lasts for hours, in which workers may be killed for other reasons than the job. */
const MAX_LOST_WORKERS = 100;

type JobOutcome = Outcome<Record<string, never>>;

export function optimizationJob(tools: RunTools): JobDefinition {
  return defineJob<Record<string, never>>(OPTIMIZATION, {
    concurrency: CONCURRENCY,
    maxPerOrganization: MAX_PER_ORGANIZATION,
    maxStepSeconds: 86_400,
    maxLostWorkers: MAX_LOST_WORKERS,
    step: (work) => new JobStep(tools, work).run(),
  });
}

/** One step of a job: a run of the engine, which first replays what is stored. */
class JobStep {
  readonly #tools: RunTools;
  readonly #work: JobWork;
  readonly #startedAt = performance.now();
  /** Events that the engine has yielded in this step. The first `event_count` of the job are stored already. */
  #eventCount = 0;
  readonly #accepted = new Map<number, CandidateAccepted>();
  #failure: string | undefined;

  constructor(tools: RunTools, work: JobWork) {
    this.#tools = tools;
    this.#work = work;
  }

  async run(): Promise<JobOutcome> {
    const { db, storage } = this.#tools;
    const job = await getStoredJob(db, this.#work);
    const journal = await Journal.read(db, this.#work);
    const texts = await readCapabilityTexts({ db, storage }, job.request.capability);
    try {
      return await this.#work.follow(
        (trx) => this.#saveTime(trx, job),
        (signal) =>
          this.#runEngine({ tools: this.#tools, work: { ...this.#work, signal }, job, texts }, journal),
      );
    } catch (error) {
      this.#work.signal.throwIfAborted();
      return this.#toOutcome(error);
    }
  }

  async #runEngine(context: JobContext, journal: Journal): Promise<JobOutcome> {
    for await (const event of optimize(this.#toOptions(context, journal))) {
      this.#eventCount++;
      if (event.type === 'candidate_accepted') this.#accepted.set(event.index, event);
      if (event.type === 'optimization_error') this.#failure = event.message;
      if (this.#eventCount > context.job.event_count) await this.#save(context, event);
      if (event.type === 'valset_evaluated' && event.is_best)
        await this.#measureHoldout(context, journal, event.index);
      if (this.#elapsedMs() > STEP_HOURS * 3_600_000) return unfinished({});
    }
    return this.#failure === undefined ? completed() : failed(this.#failure);
  }

  /** Saves the running time, every two seconds, so that a killed worker loses no more than that. */
  async #saveTime(trx: Trx, { running_ms }: StoredJob): Promise<void> {
    await sql`
      UPDATE optimization_jobs SET running_ms = ${Math.round(running_ms + this.#elapsedMs())}
       WHERE organization_id = ${this.#work.organizationId} AND id = ${this.#work.id}`.execute(trx);
  }

  #elapsedMs = () => performance.now() - this.#startedAt;

  #save({ job }: JobContext, event: Event): Promise<void> {
    const progress = { eventCount: this.#eventCount, runningMs: job.running_ms + this.#elapsedMs() };
    const accepted = event.type === 'valset_evaluated' ? this.#accepted.get(event.index) : undefined;
    return this.#work.save((trx) => saveEvent(trx, this.#work, event, accepted, progress));
  }

  #toOptions(context: JobContext, journal: Journal): OptimizeOptions {
    const { job } = context;
    const { config, objective } = job.request;
    const template = config.reflection_prompt_template ?? DEFAULT_TEMPLATE;
    const { max_metric_calls, max_trials, max_trials_without_improvement, ...rest } = config;
    return {
      ...rest,
      max_metric_calls: max_metric_calls ?? undefined,
      max_trials: max_trials ?? undefined,
      max_trials_without_improvement: max_trials_without_improvement ?? undefined,
      reflection_prompt_template:
        objective === null ? template : `The objective: ${withoutPlaceholders(objective)}\n\n${template}`,
      seed_candidate: job.seed_candidate,
      train_size: job.train_size,
      val_size: job.val_size === 0 ? undefined : job.val_size,
      evaluate: (request) => evaluate(context, journal, request),
      reflect: (request) => reflect(context, journal, request),
      stop: () => this.#findStop(context),
    };
  }

  /** A stored decision must not change, so nothing stops the job during a replay. */
  #findStop({ job }: JobContext): string | undefined {
    const { max_runtime_sec } = job.request.config;
    if (this.#eventCount < job.event_count || !max_runtime_sec) return undefined;
    return job.running_ms + this.#elapsedMs() >= max_runtime_sec * 1_000 ? 'max_runtime_sec' : undefined;
  }

  /** Scores a candidate that is the best so far on examples that the engine never sees. */
  async #measureHoldout(context: JobContext, journal: Journal, index: number): Promise<void> {
    const accepted = this.#accepted.get(index);
    if (context.job.holdout_size === 0 || !accepted) return;
    const { iteration, proposal, candidate } = accepted;
    const ids = Array.from({ length: context.job.holdout_size }, (_, position) => position);
    const request = {
      iteration,
      proposal,
      purpose: 'holdout' as const,
      candidate,
      split: 'holdout' as const,
      ids,
    };
    const { scores } = await scoreBatch(context, journal, request);
    const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
    await this.#work.save((trx) =>
      sql`
        UPDATE optimization_candidates SET holdout_score = ${mean}
         WHERE organization_id = ${this.#work.organizationId} AND job_id = ${this.#work.id} AND index = ${index}
           AND holdout_score IS NULL`.execute(trx),
    );
  }

  /** Errors that a user can act on end the job. Any other error is a defect, and the step is tried again. */
  #toOutcome(error: unknown): JobOutcome {
    const { organizationId, id } = this.#work;
    if (error instanceof OutOfCredits) {
      if (!this.#accepted.has(0))
        return failed(`${error.message} The capability as it is could not be scored; add credits and retry.`);
      return completed(async (trx) => {
        await sql`
          UPDATE optimization_jobs SET stop_reason = 'credits'
           WHERE organization_id = ${organizationId} AND id = ${id}`.execute(trx);
      });
    }
    if (error instanceof Unscored || error instanceof ObjectivesMissing) return failed(error.message);
    if (error instanceof ApiError && error.status < 500) return failed(error.message);
    throw error;
  }
}

async function evaluate(
  context: JobContext,
  journal: Journal,
  request: EvaluationRequest,
): Promise<EvaluationResult> {
  const batch = await scoreBatch(context, journal, request);
  const groups = await listGroups(context, request);
  const objectives = batch.samples.map(({ metrics }, index) => {
    const group = groups[index];
    return { ...toObjectives(metrics), ...(group !== undefined && { [group]: batch.scores[index] ?? 0 }) };
  });
  const hasObjectives = objectives.some((one) => Object.keys(one).length > 0);
  return {
    scores: batch.scores,
    ...(hasObjectives && { objectives }),
    ...(request.purpose === 'parent' && { records: await toRecords(context, request, batch) }),
  };
}

/** The group of each task of a set, whose score is an objective: safety and skill are improved together. Empty without a set. */
async function listGroups(context: JobContext, request: EvaluationRequest): Promise<string[]> {
  if (!context.job.request.task_set) return [];
  const examples = await loadExamples(context, request);
  return examples.map(({ task }) =>
    task?.details.verification.method === 'resists_attack' ? 'safety' : 'skill',
  );
}

/** Metrics of a verification that count as objectives. A reward file may contain thousands. */
const MAX_OBJECTIVES = 50;

const toObjectives = (metrics: Readonly<Record<string, unknown>> | null): Record<string, number> =>
  Object.fromEntries(
    Object.entries(metrics ?? {})
      .filter((entry): entry is [string, number] => Number.isFinite(entry[1]))
      .slice(0, MAX_OBJECTIVES),
  );
