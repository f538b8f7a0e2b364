/** Publishes a candidate as a new version of its capability, with a record of what was measured. */
import { buffer } from 'node:stream/consumers';
import { sql } from 'kysely';
import type { z } from 'zod';
import { renewScope } from '../../accounts/service.ts';
import { readCapabilityTexts } from '../../evaluations/service.ts';
import { requireGates } from '../../gates/service.ts';
import { replaceComponents } from '../../platform/agent/capability-components.ts';
import type { CapabilityFile } from '../../platform/agent/capability-prompt.ts';
import { audit } from '../../platform/audit/audit.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { transaction, transactionFor } from '../../platform/db/transaction.ts';
import { ApiError, notFound } from '../../platform/errors.ts';
import { isEndStatus } from '../../platform/jobs/job-kind.ts';
import { toWorkspaceNode } from '../../platform/lineage/lineage.ts';
import { setField } from '../../platform/manifest-yaml.ts';
import {
  getCapability,
  isPrerelease,
  type PublishStore,
  publishVersion,
  readFiles,
} from '../../registry/service.ts';
import { toJobNode } from '../lineage.ts';
import { getJob } from '../reading/store.ts';
import type { OptimizationJobOf } from '../schema.ts';
import { getStoredJob, type StoredRequest } from '../stored-job.ts';
import { lockJob } from './lock.ts';
import type { PromoteOf, PromoteResponse } from './schema.ts';

const MANIFEST = 'capability.yaml';

/**
 * @throws {ApiError} `conflict_error` for a version that exists, for a release without its gates, and for a job that runs where no candidate is named;
 *   `not_found_error` for an unknown candidate
 */
export async function promote(
  store: PublishStore,
  scope: WorkspaceScope,
  given: string,
  { candidate: chosen, version, gate = null }: PromoteOf,
  signal: AbortSignal,
): Promise<z.output<typeof PromoteResponse>> {
  const { db } = store;
  const { organizationId } = scope;
  const locked = await transaction(db, (trx) => lockJob(trx, scope, given));
  if (!isEndStatus(locked.status) && (chosen ?? null) === null)
    throw new ApiError(
      'conflict_error',
      `The job is ${locked.status}; name a candidate, or wait for its end.`,
    );
  const job = await getJob(db, scope, locked.id);
  const { request } = await getStoredJob(db, { organizationId, id: job.id });
  const { capability, agent_name } = request;
  const index = chosen ?? job.summary.metadata.best_index;
  const candidate =
    index === null ? undefined : await findCandidate(db, { organizationId, jobId: job.id, index });
  if (index === null || !candidate) throw notFound(`Candidate ${chosen ?? 'with the best score'} of the job`);
  const name = capability.name.split('/').at(-1) ?? capability.name;
  await refuseExisting(db, scope, name, version);
  // Pre-releases are what gates check.
  const needsGates = gate !== null || !isPrerelease(version);
  const candidates = needsGates ? await listPromoted(db, { organizationId, jobId: job.id, index }) : [];
  const checks = needsGates
    ? await requireGates(db, scope, { capability: name, version, gate, candidates })
    : [];
  const changed = replaceComponents(
    await readCapabilityTexts(store, capability),
    agent_name,
    candidate.texts,
  );
  const files = await readNewFiles(store, capability, changed, (manifest) =>
    toManifest(manifest, { name, version, job, index, candidate }),
  );
  const getScope = () => renewScope(db, scope);
  const node = toJobNode({ workspaceId: scope.workspaceId, id: job.id });
  const { workspaceId } = scope;
  const lineage = [
    { node, relation: 'promoted' as const },
    ...checks.map((id) => ({
      node: toWorkspaceNode('gate_check', { workspaceId, id }),
      relation: 'check' as const,
    })),
  ];
  if (!(await publishVersion(store, getScope, { kind: 'capability', name, version, files, lineage }, signal)))
    throw existing(name, version);
  await savePromotion(db, scope, { job, index, name, version });
  return {
    name,
    version,
    from_version: capability.version,
    candidate: index,
    score: candidate.mean_score,
    holdout_score: candidate.holdout_score,
    changed_files: changed.map(({ path }) => path),
  };
}

/**
 * Reads all files of the version that the job started from, with the new texts.
 * @throws {ApiError} `conflict_error` if the files were deleted
 */
async function readNewFiles(
  { db, storage }: PublishStore,
  capability: StoredRequest['capability'],
  changed: readonly CapabilityFile[],
  changeManifest: (yaml: string) => string,
): Promise<{ path: string; content: string | Buffer }[]> {
  const replaced = new Map(changed.map(({ path, text }) => [path, text]));
  const files: { path: string; content: string | Buffer }[] = [];
  for await (const { path, content } of readFiles(db, storage, capability)) {
    const bytes = await buffer(content);
    const text = path === MANIFEST ? changeManifest(bytes.toString()) : replaced.get(path);
    files.push({ path, content: text ?? bytes });
  }
  if (files.length > 0) return files;
  throw new ApiError(
    'conflict_error',
    `The files of ${capability.name}@${capability.version} were deleted, so that no version can be made of them.`,
  );
}

interface StoredCandidate {
  readonly texts: Readonly<Record<string, string>>;
  readonly mean_score: number;
  readonly holdout_score: number | null;
  readonly metric_calls: number;
}

async function findCandidate(
  db: Db,
  { organizationId, jobId, index }: { organizationId: string; jobId: string; index: number },
): Promise<StoredCandidate | undefined> {
  const { rows } = await sql<StoredCandidate>`
    SELECT texts, mean_score, holdout_score, metric_calls FROM optimization_candidates
     WHERE organization_id = ${organizationId} AND job_id = ${jobId} AND index = ${index}`.execute(db);
  return rows[0];
}

/** Versions that were made of this candidate before. */
async function listPromoted(
  db: Db,
  { organizationId, jobId, index }: { organizationId: string; jobId: string; index: number },
): Promise<string[]> {
  const { rows } = await sql<{ version: string }>`
    SELECT version FROM optimization_promotions
     WHERE organization_id = ${organizationId} AND job_id = ${jobId} AND candidate_index = ${index}`.execute(
    db,
  );
  return rows.map(({ version }) => version);
}

const existing = (name: string, version: string) =>
  new ApiError(
    'already_exists_error',
    `Capability "${name}@${version}" exists already; give another version.`,
  );

async function refuseExisting(db: Db, scope: WorkspaceScope, name: string, version: string): Promise<void> {
  const found = await getCapability(db, scope, name, version).catch((error: unknown) => {
    if (error instanceof ApiError && error.type === 'not_found_error') return undefined;
    throw error;
  });
  if (found) throw existing(name, version);
}

interface Promoted {
  readonly name: string;
  readonly version: string;
  readonly job: OptimizationJobOf;
  readonly index: number;
}

/** The manifest of the new version says what was measured, on which versions, and at what cost. */
function toManifest(
  yaml: string,
  { name, version, job, index, candidate }: Promoted & { candidate: StoredCandidate },
): string {
  const { metadata } = job.summary;
  const lineage = {
    optimization_job: job.id,
    candidate: index,
    from: `${job.capability.name}@${job.capability.version}`,
    agent: job.agent_name,
    model: job.model,
    reward_recipe: job.reward_recipe?.name,
    examples: job.dataset_ref ? `${job.dataset_ref.name}@${job.dataset_ref.version}` : job.task_refs,
    validation: job.val_dataset_ref
      ? `${job.val_dataset_ref.name}@${job.val_dataset_ref.version}`
      : (job.val_task_refs ?? 'examples'),
    score: candidate.mean_score,
    score_before: metadata.seed_score,
    holdout_size: metadata.holdout_size,
    holdout_score: candidate.holdout_score,
    holdout_score_before: metadata.seed_holdout_score,
    metric_calls: metadata.budget.metric_calls_used,
    cost_usd: metadata.budget.cost_usd,
  };
  const fields = Object.entries({ name, version, lineage });
  return fields.reduce((text, [field, value]) => setField(text, field, value), yaml);
}

async function savePromotion(
  db: Db,
  scope: WorkspaceScope,
  { job, index, name, version }: Promoted,
): Promise<void> {
  await transactionFor(db, scope, async (trx) => {
    await trx
      .insertInto('optimization_promotions')
      .values({
        organization_id: scope.organizationId,
        capability: name,
        version,
        job_id: job.id,
        candidate_index: index,
        created_by: scope.principal.userId,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await audit(trx, scope, {
      action: 'optimization_job.promoted',
      resource: `optimization/jobs/${job.id}`,
      after: { capability: name, version, candidate: index },
    });
  });
}
