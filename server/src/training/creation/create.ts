/** Creates a training job, which then waits for a trainer. */
import { sql } from 'kysely';
import { audit } from '../../platform/audit/audit.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { explainViolation } from '../../platform/db/violations.ts';
import { invalidValue, notFound } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { type DatasetStore, pinVersions } from '../../registry/service.ts';
import { recordJob } from '../lineage.ts';
import { getJob } from '../reading/store.ts';
import type { FoundJob } from '../schema.ts';
import { pinnedBy, type StoredRequest } from '../stored-job.ts';
import { type JobPlan, planJob } from './plan.ts';
import type { CreateRequest } from './schema.ts';

export async function createJob(
  store: DatasetStore,
  scope: WorkspaceScope,
  request: CreateRequest,
  signal: AbortSignal,
): Promise<FoundJob> {
  const plan = await planJob(store, scope, request, signal);
  const id = uuidv7();
  return transactionFor(store.db, scope, async (trx) => {
    await insertJob(trx, scope, id, request, plan);
    await pinFiles(trx, id, plan.stored);
    await recordJob(trx, { ...scope, id }, plan.stored, null);
    const { name = null, model, backend, trainer_type } = request;
    await audit(trx, scope, {
      action: 'training_job.created',
      resource: `training/jobs/${id}`,
      after: { workspace_id: scope.workspaceId, name, model, backend, trainer_type },
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
  const insert = trx
    .insertInto('training_jobs')
    .values({
      organization_id: scope.organizationId,
      id,
      workspace_id: scope.workspaceId,
      project_id: plan.projectId,
      created_by: scope.principal.userId,
      name: request.name ?? null,
      backend: request.backend,
      trainer_type: request.trainer_type,
      model: request.model,
      tags: [...(request.tags ?? [])],
      request: JSON.stringify(plan.stored),
    })
    .execute();
  await explainViolation(insert, {
    training_jobs_workspace_fkey: () => notFound(`Workspace "${scope.workspaceKey}"`),
  });
}

/** Keeps the files of all versions while the job exists, also when these are deleted. */
async function pinFiles(trx: Trx, id: string, stored: StoredRequest): Promise<void> {
  const versions = pinnedBy(stored);
  const distinct = new Set(versions.map(({ versionId }) => versionId)).size;
  if ((await pinVersions(trx, versions, id)) < distinct)
    throw invalidValue(
      ['body'],
      'The model, the capability or a dataset was deleted while the job was created. Create it again.',
    );
}

interface Copy {
  readonly from: string;
  readonly to: string;
}

/** Makes a new job of an ended one, which begins with the last checkpoint of that. */
export async function copyJob(
  trx: Trx,
  { organizationId, workspaceId, principal }: WorkspaceScope,
  { from, to }: Copy,
): Promise<void> {
  const { rows } = await sql<{ request: StoredRequest }>`
    INSERT INTO training_jobs (organization_id, id, workspace_id, project_id, created_by, name, backend, trainer_type, model, tags,
                               request, retry_of)
    SELECT organization_id, ${to}, workspace_id, project_id, ${principal.userId}, name, backend, trainer_type, model, tags, request, id
      FROM training_jobs WHERE organization_id = ${organizationId} AND id = ${from}
    RETURNING request`.execute(trx);
  // A version that was deleted since keeps its files, because the job before it has pinned them.
  const [copied] = rows;
  if (!copied) return;
  await pinVersions(trx, pinnedBy(copied.request), to);
  await recordJob(trx, { organizationId, workspaceId, id: to }, copied.request, from);
}
