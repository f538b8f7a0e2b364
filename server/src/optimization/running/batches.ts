/** Scores a candidate on examples with an evaluation, which continues when the worker of the job dies. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import {
  type EvaluatedRow,
  getScoring,
  listScored,
  retryUnscored,
  type ScoredSample,
  type Scoring,
  startScoring,
  toAgentPrompt,
} from '../../evaluations/service.ts';
import { replaceComponents, withFiles } from '../../platform/agent/capability-components.ts';
import { isEndStatus, type JobRef } from '../../platform/jobs/job-kind.ts';
import type { Candidate } from '../../platform/optimizer/ports.ts';
import type { FoundTask } from '../../registry/service.ts';
import { findExampleDataset } from '../lineage.ts';
import type { Example, ExampleSplit, RowSource } from '../stored-job.ts';
import { type JobContext, OutOfCredits, Unscored } from './context.ts';
import {
  type Batch,
  type BatchKey,
  hashCandidate,
  type Journal,
  saveBatch,
  takeOverBatch,
} from './journal.ts';

/** How many single calls run at once for a candidate. */
const CALLS_AT_ONCE = 8;
const FIRST_POLL_MS = 20;
const LONGEST_POLL_MS = 500;

export interface BatchRequest extends BatchKey {
  readonly candidate: Candidate;
  readonly split: ExampleSplit;
  readonly ids: readonly number[];
}

/** The samples of a batch, in the order of its examples. */
export interface ScoredBatch {
  readonly evaluationId: string;
  readonly samples: readonly ScoredSample[];
  readonly scores: readonly number[];
}

/**
 * @throws {OutOfCredits}
 * @throws {Unscored}
 */
export async function scoreBatch(
  context: JobContext,
  journal: Journal,
  request: BatchRequest,
): Promise<ScoredBatch> {
  const batch = findStored(journal, request) ?? (await startBatch(context, request));
  const failure = await waitFor(context, batch);
  const samples = await listScored(context.tools.db, evaluationRefOf(context, batch));
  const unscored = samples.find(({ isScored }) => !isScored);
  if (unscored) {
    const examples = await loadExamples(context, request);
    throw new Unscored(describeUnscored(examples[unscored.position], failure ?? unscored.error));
  }
  const scores = samples.map((sample) => scoreOf(context, sample));
  return { evaluationId: batch.evaluation_id, samples, scores };
}

const evaluationRefOf = ({ work }: JobContext, { evaluation_id }: Batch): JobRef => ({
  organizationId: work.organizationId,
  id: evaluation_id,
});

const nameOf = ({ iteration, proposal, purpose }: BatchKey) => `${purpose} ${iteration}.${proposal}`;

/** An inherited batch fits no more once a decision before it was another one. One of this job always fits, or a replay would differ. */
function findStored(journal: Journal, request: BatchRequest): Batch | undefined {
  const stored = journal.findBatch(request);
  if (!stored) return undefined;
  const { split, positions, candidate_sha256, is_inherited } = stored;
  const fits =
    split === request.split &&
    positions.join() === request.ids.join() &&
    candidate_sha256 === hashCandidate(request.candidate);
  if (fits) return stored;
  if (is_inherited) return undefined;
  throw new Error(`The stored batch ${nameOf(request)} is not what the engine asks for.`);
}

/** The reward of the recipe, or the score of the verification for tasks with `row_reward_v1`. A sample that failed without a score has 0. */
function scoreOf({ job }: JobContext, { score, reward }: ScoredSample): number {
  const isVerified = job.request.task_refs !== null && job.request.reward_recipe.name === 'row_reward_v1';
  return (isVerified ? score : reward?.value) ?? 0;
}

function describeUnscored(example: Example | undefined, error: string | null): string {
  const what = example?.task ? `Task ${example.task.name}` : `Row ${example?.rowIndex}`;
  return `${what} could not be scored: ${error ?? 'its evaluation was cancelled.'} Retry the job to go on from here.`;
}

/** @returns in the order of `ids` */
export async function loadExamples(
  { tools, work }: JobContext,
  { split, ids }: Pick<BatchRequest, 'split' | 'ids'>,
): Promise<Example[]> {
  const { rows } = await sql<{ position: number; row_index: number | null; source: unknown }>`
    SELECT position, row_index, source FROM optimization_examples
     WHERE organization_id = ${work.organizationId} AND job_id = ${work.id} AND split = ${split}
       AND position = ANY (${[...ids]}::integer[])`.execute(tools.db);
  const byPosition = new Map(rows.map((row) => [row.position, row]));
  return ids.map((id) => {
    const found = byPosition.get(id);
    if (!found) throw new Error(`example ${id} of ${split} is gone`);
    const { row_index: rowIndex, source } = found;
    return rowIndex === null ? { task: source as FoundTask } : { row: source as RowSource, rowIndex };
  });
}

/** Stores the batch and its evaluation in one transaction, so that a killed worker leaves both or none, and no sample runs twice. */
async function startBatch(
  context: JobContext,
  { iteration, proposal, purpose, split, ids, candidate }: BatchRequest,
): Promise<Batch> {
  const examples = await loadExamples(context, { split, ids });
  const { tools, work, job } = context;
  const { organizationId } = work;
  const { capability, config, reward_recipe: recipe } = job.request;
  const owner = { organizationId, workspaceId: job.workspace_id, userId: job.created_by };
  const scoring = {
    ...toCandidateAgent(context, candidate),
    jobId: work.id,
    name: `${job.name ?? 'Optimization'}: ${purpose} of iteration ${iteration}`.slice(-255),
    model: job.model,
    projectId: job.project_id,
    concurrency: job.target_kind === 'capability_env' ? config.parallel_rows : CALLS_AT_ONCE,
    timeoutSeconds: config.timeout_sec ?? null,
    capability,
    dataset: toScoredDataset(context, split, examples),
    recipe,
    tasks: examples.flatMap(({ task }) => task ?? []),
    rows: examples.flatMap(({ row }, position) => (row ? toEvaluatedRow(row, position) : [])),
  };
  return work.save(async (trx) => {
    const evaluation_id = await startScoring(trx, tools.queue, owner, scoring);
    const batch: Batch = {
      iteration,
      proposal,
      purpose,
      split,
      positions: ids,
      evaluation_id,
      candidate_sha256: hashCandidate(candidate),
      is_inherited: false,
    };
    await saveBatch(trx, work, batch);
    return batch;
  });
}

/** Samples are numbered within the batch; their sessions are recorded with the index in the dataset. */
function toScoredDataset({ work, job }: JobContext, split: ExampleSplit, examples: readonly Example[]) {
  const dataset = findExampleDataset(work.organizationId, job.request, split);
  return dataset && { ...dataset, rowIndexes: examples.map(({ rowIndex }) => rowIndex ?? 0) };
}

const toEvaluatedRow = ({ input, columns }: RowSource, position: number): EvaluatedRow => ({
  position,
  input,
  expected: columns['expected_output'] ?? null,
  system: null,
  files: null,
  columns,
});

/**
 * Polls the row of the evaluation until it has ended, every 20 ms at first and every 500 ms later. Samples of a batch that was copied from
 * another job are run again once if they have no result.
 * @returns the error of the evaluation, or null if it has none
 * @throws {OutOfCredits}
 */
async function waitFor(context: JobContext, batch: Batch): Promise<string | null> {
  const { tools, work, job } = context;
  const ref = evaluationRefOf(context, batch);
  let mayRetry = batch.is_inherited;
  for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(LONGEST_POLL_MS, waitMs * 1.5)) {
    work.signal.throwIfAborted();
    const { status, pauseReason, error, unscoredCount } = await getScoring(tools.db, ref);
    if (status === 'paused') throw new OutOfCredits(pauseReason ?? 'The evaluation was paused.');
    if (isEndStatus(status)) {
      if (!mayRetry || unscoredCount === 0) return error;
      // One of two retries that share the evaluation takes it over; the other may still do so when the first is cancelled.
      mayRetry = await work.save(async (trx) => {
        if (!(await retryUnscored(trx, tools.queue, ref, job.created_by))) return true;
        await takeOverBatch(trx, work, batch);
        return false;
      });
    }
    await sleep(waitMs, undefined, { signal: work.signal }).catch(() => undefined);
  }
}

/** Capabilities are mounted read-only at /capabilities, so that changed files lie elsewhere; /tmp can be written in every sandbox. */
const COPIES = '/tmp/capabilities';

/** A candidate runs as the system prompt of single calls, or as an agent with a copy of the capability's files. */
function toCandidateAgent(
  { job, texts }: JobContext,
  candidate: Candidate,
): Pick<Scoring, 'agent' | 'systemPrompt' | 'capabilityCopy'> {
  const { capability, agent_name: name } = job.request;
  if (job.target_kind === 'capability_agent')
    return { agent: null, systemPrompt: candidate['instructions'] ?? '' };
  const replaced = replaceComponents(texts, name, candidate);
  const changed = withFiles(texts, replaced);
  const hasSkill = replaced.some(({ path }) => path.startsWith('skills/'));
  const folder = `${hasSkill ? COPIES : '/capabilities'}/${capability.name}`;
  const agent = { name, systemPrompt: toAgentPrompt(changed, name, folder) };
  if (!hasSkill) return { agent };
  const { ownerId, versionId } = capability;
  return { agent, capabilityCopy: { ownerId, versionId, folder, replaced } };
}
