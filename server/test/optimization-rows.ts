/** Inserts optimization jobs with candidates, proposals and an evaluation directly into the tables. */
import { OptimizationJobConfig } from '../src/optimization/config-schema.ts';
import type { Db } from '../src/platform/db/connect.ts';
import { uuidv7 } from '../src/platform/uuid.ts';
import { type EvaluationPlace, insertEvaluation } from './evaluation-rows.ts';

interface JobPlace extends EvaluationPlace {
  readonly createdBy: string;
}

const REQUEST = {
  capability: {
    name: 'assistant',
    version: '1.0.0',
    ownerId: uuidv7(),
    artifactId: uuidv7(),
    versionId: uuidv7(),
    digest: 'sha256:0',
  },
  agent_name: 'helper',
  components: ['instructions'],
  config: OptimizationJobConfig.parse({ reflection_lm: 'sim/reflector', max_metric_calls: 60 }),
  dataset_ref: { name: 'questions', version: '1.0.0', split: 'train' },
  val_dataset_ref: null,
  task_refs: null,
  val_task_refs: null,
  reward_recipe: { name: 'exact_match_v1', params: {} },
  objective: null,
  holdout_fraction: 0.2,
  run_ref: null,
  metric_calls_floor: 54,
};

interface JobText {
  /** Written into every column that holds free text. */
  readonly text: string;
  readonly projectId: string | null;
}

/** Inserts a job that has accepted one proposal and rejected another. */
export async function insertOptimizationJob(db: Db, place: JobPlace, given: JobText): Promise<void> {
  const job = { organization_id: place.organizationId, job_id: uuidv7() };
  await insertJobRow(db, place, given, job.job_id);
  await insertCandidates(db, job, given);
  await insertProposals(db, job, given);
  await insertScoring(db, place, given, job.job_id);
}

async function insertJobRow(
  db: Db,
  { organizationId, workspaceId, createdBy }: JobPlace,
  { text, projectId }: JobText,
  id: string,
): Promise<void> {
  await db
    .insertInto('optimization_jobs')
    .values({
      organization_id: organizationId,
      id,
      workspace_id: workspaceId,
      project_id: projectId,
      created_by: createdBy,
      name: text,
      model: 'sim/instructed',
      target_kind: 'capability_agent',
      tags: [text],
      request: JSON.stringify(REQUEST),
      seed_candidate: JSON.stringify({ instructions: text }),
      train_size: 24,
      val_size: 0,
      holdout_size: 6,
      status: 'completed',
      iteration: 1,
      metric_calls: 36,
      running_ms: 1_500,
      best_index: 1,
      frontier: [1],
      stop_reason: 'max_metric_calls',
    })
    .execute();
}

interface JobKey {
  readonly organization_id: string;
  readonly job_id: string;
}

async function insertCandidates(db: Db, job: JobKey, { text }: JobText): Promise<void> {
  const texts = JSON.stringify({ instructions: text });
  const shared = { ...job, proposal: 0, texts, is_best: true, objectives: '{}' };
  const seed = { index: 0, iteration: -1, found_by: 'seed' as const, parents: [], metric_calls: 24 };
  const child = { index: 1, iteration: 0, found_by: 'reflection' as const, parents: [0], metric_calls: 30 };
  await db
    .insertInto('optimization_candidates')
    .values([
      { ...shared, ...seed, scores: [0, 0.5], mean_score: 0.25, holdout_score: 0 },
      { ...shared, ...child, scores: [1, 0.5], mean_score: 0.75, holdout_score: 0.5 },
    ])
    .execute();
}

async function insertProposals(db: Db, job: JobKey, { text }: JobText): Promise<void> {
  const shared = {
    ...job,
    proposal: 0,
    found_by: 'reflection' as const,
    parents: [0],
    components: ['instructions'],
    minibatch: [0, 1],
    parent_scores: [0, 0.5],
  };
  const texts = JSON.stringify({ instructions: text });
  const accepted = {
    iteration: 0,
    status: 'accepted' as const,
    candidate_index: 1,
    texts,
    child_scores: [1, 0.5],
  };
  const rejected = { iteration: 1, status: 'rejected' as const, reason: 'reflection_failed', error: text };
  for (const row of [accepted, rejected])
    await db
      .insertInto('optimization_proposals')
      .values({ ...shared, ...row })
      .execute();
  const reflection = { iteration: 0, proposal: 0, component: 'instructions', cost_usd: 0.125 };
  await db
    .insertInto('optimization_reflections')
    .values({ ...job, ...reflection, paid_by: job.job_id, prompt: text, response: text })
    .execute();
}

/** The evaluation of a candidate. */
async function insertScoring(
  db: Db,
  place: JobPlace,
  { text, projectId }: JobText,
  jobId: string,
): Promise<void> {
  const items = [{ source: 0, score: 0.5 }];
  const { id } = await insertEvaluation(db, place, { name: text, items, costUsd: 0.25 });
  await db
    .updateTable('evaluations')
    .set({ optimization_job_id: jobId, project_id: projectId })
    .where('organization_id', '=', place.organizationId)
    .where('id', '=', id)
    .execute();
}
