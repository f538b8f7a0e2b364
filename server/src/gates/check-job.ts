/** The job of a check: runs what its rules need, waits for the end, and stores the verdict with the evidence for findings. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { findProjectId, scopeOf } from '../accounts/service.ts';
import { planAssessment, recordEvidence, type StartOptions, startAssessmentAs } from '../airt/service.ts';
import { createEvaluation, listAttackedTasks } from '../evaluations/service.ts';
import type { Trx } from '../platform/db/transaction.ts';
import { ApiError } from '../platform/errors.ts';
import {
  completed,
  defineJob,
  failed,
  type JobDefinition,
  type JobRef,
  type Outcome,
  unfinished,
  type Work,
} from '../platform/jobs/job-kind.ts';
import { GATE_CHECK } from './check-kind.ts';
import { toAssessmentRequest, toEvaluationRequest } from './requests.ts';
import { hasEnded, judgeRules, type MeasuredRun, measureRuns, verdictOf } from './results.ts';
import { type CheckRun, getStoredCheck, type StoredCheck, targetOf } from './stored-check.ts';

/** Checks that a process runs at once. They wait for their runs nearly all the time. */
const CONCURRENCY = 32;
const MAX_PER_ORGANIZATION = 8;
const FIRST_POLL_MS = 100;
const LONGEST_POLL_MS = 2_000;
/** The queue aborts a step after a day. After 12 hours the next step goes on waiting. */
const STEP_MS = 12 * 3_600_000;
/** A check lasts for hours, in which workers may be killed for other reasons than the check. */
const MAX_LOST_WORKERS = 100;

export const DEFAULT_PROJECT = 'default';

type NoCheckpoint = Record<string, never>;

export function gateCheckJob(options: StartOptions): JobDefinition {
  return defineJob<NoCheckpoint>(GATE_CHECK, {
    concurrency: CONCURRENCY,
    maxPerOrganization: MAX_PER_ORGANIZATION,
    maxStepSeconds: 86_400,
    maxLostWorkers: MAX_LOST_WORKERS,
    step: (work) => runCheck(options, work),
  });
}

async function runCheck(options: StartOptions, work: Work<NoCheckpoint>): Promise<Outcome<NoCheckpoint>> {
  const { organizationId, signal } = work;
  const check = await getStoredCheck(options.db, work);
  try {
    await startRuns(options, work, check);
  } catch (error) {
    signal.throwIfAborted();
    // What the check names was deleted since, or its creator has lost the rights.
    if (error instanceof ApiError && error.status < 500) return failed(error.message);
    throw error;
  }
  const deadline = performance.now() + STEP_MS;
  for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(LONGEST_POLL_MS, waitMs * 1.5)) {
    signal.throwIfAborted();
    const runs = await measureRuns(options.db, organizationId, check);
    const gone = runs.find(({ measured }) => measured === undefined);
    if (gone) return failed(`The ${gone.run.kind} ${gone.run.id} of this check was deleted. Check again.`);
    if (runs.every(hasEnded)) return completed((trx) => saveVerdict(trx, work, check, runs));
    if (performance.now() > deadline) return unfinished({});
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
}

/** A run that was started before a worker died is found by its id. */
async function startRuns(options: StartOptions, work: Work<NoCheckpoint>, check: StoredCheck): Promise<void> {
  const { organizationId, id, signal } = work;
  const place = { organizationId, workspaceId: check.workspace_id };
  const scope = await scopeOf(options.db, place, check.created_by, id);
  const projectId = await findProjectId(options.db, scope, check.settings.project ?? DEFAULT_PROJECT);
  if (projectId === undefined) throw new ApiError('conflict_error', 'The project of the gate was deleted.');
  const missing = (await measureRuns(options.db, organizationId, check)).filter(({ measured }) => !measured);
  for (const { run } of missing)
    await (run.kind === 'evaluation'
      ? createEvaluation(options, scope, toEvaluationRequest(check, run, projectId), signal, {
          id: run.id,
          gateCheckId: id,
        })
      : startAttacks(options, scope, { check, run, projectId }, signal));
}

async function startAttacks(
  options: StartOptions,
  scope: Awaited<ReturnType<typeof scopeOf>>,
  {
    check,
    run,
    projectId,
  }: {
    readonly check: StoredCheck;
    readonly run: Extract<CheckRun, { kind: 'assessment' }>;
    readonly projectId: string;
  },
  signal: AbortSignal,
): Promise<void> {
  const planned = await planAssessment(options, scope, toAssessmentRequest(check, run), signal);
  await startAssessmentAs(options, scope, { id: run.id, projectId }, planned);
}

async function saveVerdict(
  trx: Trx,
  { organizationId, id }: JobRef,
  check: StoredCheck,
  runs: readonly MeasuredRun[],
): Promise<void> {
  const results = judgeRules(check.rules, runs);
  await sql`
    UPDATE gate_checks SET verdict = ${verdictOf(results)}, results = ${JSON.stringify(results)}::jsonb
     WHERE organization_id = ${organizationId} AND id = ${id}`.execute(trx);
  const tasks = [];
  for (const { run } of runs)
    if (run.kind === 'evaluation')
      for (const task of await listAttackedTasks(trx, { organizationId, id: run.id }))
        tasks.push({ ...task, evaluationId: run.id });
  await recordEvidence(trx, {
    organizationId,
    workspaceId: check.workspace_id,
    gateCheckId: id,
    target: targetOf(check),
    targetName: check.capability ?? check.model,
    assessmentIds: runs.filter(({ run }) => run.kind === 'assessment').map(({ run }) => run.id),
    tasks,
  });
}
