/** Creates an optimization job: plans it, stores it with its examples, and enqueues it. */
import { sql } from 'kysely';
import { audit } from '../../platform/audit/audit.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import { recordSet } from '../../platform/db/record-set.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { explainViolation } from '../../platform/db/violations.ts';
import { invalidValue, notFound } from '../../platform/errors.ts';
import type { JobQueue } from '../../platform/jobs/queue.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { pinVersions } from '../../registry/service.ts';
import { recordJob } from '../lineage.ts';
import { OPTIMIZATION } from '../optimization-kind.ts';
import { getJob } from '../reading/store.ts';
import type { OptimizationJobOf } from '../schema.ts';
import { type Example, type ExampleSplit, SPLITS } from '../stored-job.ts';
import { type JobPlan, type PlanOptions, planJob } from './plan.ts';
import type { CreateRequest } from './schema.ts';

export interface CreateOptions extends PlanOptions {
  readonly queue: Pick<JobQueue, 'enqueue'>;
}

export async function createJob(
  options: CreateOptions,
  scope: WorkspaceScope,
  request: CreateRequest,
  signal: AbortSignal,
): Promise<OptimizationJobOf> {
  const plan = await planJob(options, scope, request, signal);
  const { organizationId } = scope;
  const id = uuidv7();
  return transactionFor(options.db, scope, async (trx) => {
    await insertJob(trx, scope, id, request, plan);
    await pinFiles(trx, id, plan);
    for (const split of SPLITS) await insertExamples(trx, { organizationId, id }, split, plan.sets[split]);
    await recordJob(trx, { ...scope, id }, request.model, plan.stored, plan.sets);
    await options.queue.enqueue(trx, OPTIMIZATION, { organizationId, id });
    const { name = null, model, target_kind } = request;
    const { capability } = plan.stored;
    await audit(trx, scope, {
      action: 'optimization_job.created',
      resource: `optimization/jobs/${id}`,
      after: {
        workspace_id: scope.workspaceId,
        name,
        model,
        target_kind,
        capability: `${capability.name}@${capability.version}`,
      },
    });
    return getJob(trx, scope, id);
  });
}

async function insertJob(
  trx: Trx,
  scope: WorkspaceScope,
  id: string,
  request: CreateRequest,
  plan: JobPlan,
): Promise<void> {
  const { train, validation, holdout } = plan.sets;
  const insert = trx
    .insertInto('optimization_jobs')
    .values({
      organization_id: scope.organizationId,
      id,
      workspace_id: scope.workspaceId,
      project_id: plan.projectId,
      created_by: scope.principal.userId,
      name: request.name ?? null,
      model: request.model,
      target_kind: request.target_kind,
      tags: [...(request.tags ?? [])],
      request: JSON.stringify(plan.stored),
      seed_candidate: JSON.stringify(plan.seedCandidate),
      train_size: train.length,
      val_size: validation.length,
      holdout_size: holdout.length,
      warnings: [...plan.warnings],
    })
    .execute();
  await explainViolation(insert, {
    optimization_jobs_workspace_fkey: () => notFound(`Workspace "${scope.workspaceKey}"`),
  });
}

/** The files of the capability and of tasks stay while the job exists, also when these are deleted. */
async function pinFiles(trx: Trx, id: string, { sets, stored }: JobPlan): Promise<void> {
  const tasks = SPLITS.flatMap((split) => sets[split].flatMap(({ task }) => task ?? []));
  const versions = [stored.capability, ...tasks];
  const distinct = new Set(versions.map(({ versionId }) => versionId)).size;
  if ((await pinVersions(trx, versions, id)) < distinct)
    throw invalidValue(
      ['body'],
      'The capability or a task was deleted while the job was created. Create it again.',
    );
}

const EXAMPLES = recordSet({
  position: 'integer',
  row_index: 'integer',
  task_name: 'text',
  task_version: 'text',
  source: 'jsonb',
});
/** Examples in one statement: a task has an instruction of up to 200,000 characters. */
const BATCH = 200;

async function insertExamples(
  trx: Trx,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
  split: ExampleSplit,
  examples: readonly Example[],
): Promise<void> {
  const rows = examples.map(({ task, row, rowIndex }, position) => ({
    position,
    row_index: rowIndex ?? null,
    task_name: task?.name ?? null,
    task_version: task?.version ?? null,
    source: (task ?? row) as never,
  }));
  for (let start = 0; start < rows.length; start += BATCH)
    await sql`
      INSERT INTO optimization_examples (organization_id, job_id, split, ${EXAMPLES.names})
      SELECT ${organizationId}::uuid, ${id}::uuid, ${split}, e.* FROM (${EXAMPLES.select(rows.slice(start, start + BATCH))}) AS e`.execute(
      trx,
    );
}
