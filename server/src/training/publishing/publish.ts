/** Publishes a checkpoint as a version of a model. */
import { sql } from 'kysely';
import { scopeOf } from '../../accounts/service.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Requested, type Trx, transaction } from '../../platform/db/transaction.ts';
import { ApiError, notFound } from '../../platform/errors.ts';
import { toSlug } from '../../platform/fields.ts';
import type { JobRef } from '../../platform/jobs/job-kind.ts';
import {
  findNewestRelease,
  type NewFile,
  type PublishStore,
  publishVersion,
} from '../../registry/service.ts';
import { type Checkpoint, findCheckpoint, isPublished, openFile } from '../checkpoint-store.ts';
import { toJobNode } from '../lineage.ts';
import { findStoredJob, jobNotFound, lockStoredJob, refOf, type StoredJob } from '../stored-job.ts';
import { type Published, toCard, toManifest } from './lineage.ts';

export interface Publication {
  readonly model: string;
  readonly version: string;
}

interface Target extends Requested {
  readonly step: number;
  /** Whether it is published by the end of the job. */
  readonly isFinal: boolean;
  /** The user on whose behalf it is published. */
  readonly userId: string;
  readonly model?: string | undefined;
  readonly version?: string | undefined;
}

/** Number of attempts when other publishers create the same version in between. */
const MAX_TRIES = 10;

/** Publishes the result of a job, once. */
export async function publishFinal(
  store: PublishStore,
  job: JobRef,
  step: number,
  signal: AbortSignal,
): Promise<Publication> {
  const stored = await findStoredJob(store.db, job);
  if (!stored) throw jobNotFound(job.id);
  return publishCheckpoint(store, stored, { step, isFinal: true, userId: stored.created_by }, signal);
}

/**
 * @throws {ApiError} `not_found_error` for a checkpoint that is not complete, `already_exists_error` for a version that exists,
 *   `forbidden_error` when the user may not publish any more
 */
export async function publishCheckpoint(
  store: PublishStore,
  job: StoredJob,
  target: Target,
  signal: AbortSignal,
): Promise<Publication> {
  const ref = refOf(job);
  const checkpoint = await findCheckpoint(store.db, ref, target.step);
  if (!checkpoint) throw notFound(`Checkpoint ${target.step} of the job`);
  if (!checkpoint.files.some(({ path }) => path === 'adapter_model.safetensors'))
    throw new ApiError(
      'conflict_error',
      `Checkpoint ${target.step} holds no adapter that could be published.`,
    );
  const published = await describe(store.db, job, checkpoint);
  const taken = new Set<string>();
  for (;;) {
    const reserved = await transaction(store.db, (trx) => reserve(trx, job, target, taken));
    const { model, version } = reserved;
    if (reserved.state === 'published') return { model, version };
    if (reserved.state === 'taken') {
      if (target.version !== undefined || taken.size === MAX_TRIES) throw existing(model, version);
      taken.add(version);
      continue;
    }
    const files: NewFile[] = [
      { path: 'model.yaml', content: toManifest(published) },
      { path: 'README.md', content: toCard(published) },
      ...checkpoint.files
        .filter(({ path }) => isPublished(path))
        .map((file) => ({ path: file.path, content: () => openFile(store.storage, file) })),
    ];
    const place = { organizationId: job.organization_id, workspaceId: job.workspace_id };
    const lineage = [
      { node: toJobNode({ workspaceId: job.workspace_id, id: job.id }), relation: 'published' as const },
    ];
    const getScope = async () => ({
      ...(await scopeOf(store.db, place, target.userId, `training:${job.id}`)),
      recordEffect: target.recordEffect,
    });
    try {
      await publishVersion(store, getScope, { kind: 'model', name: model, version, files, lineage }, signal);
    } catch (error) {
      await forget(store.db, ref, { model, version });
      const isTaken = error instanceof ApiError && error.type === 'already_exists_error';
      // A trainer that was lost after publishing may have left a version whose weights differ in their last bits.
      if (!isTaken || target.version !== undefined || taken.size === MAX_TRIES) throw error;
      taken.add(version);
      continue;
    }
    await sql`
      UPDATE training_publications SET published_at = now()
       WHERE organization_id = ${ref.organizationId} AND model = ${model} AND version = ${version}`.execute(
      store.db,
    );
    return { model, version };
  }
}

async function describe(db: Db, job: StoredJob, { step }: Checkpoint): Promise<Published> {
  const { rows } = await sql<{ step: number }>`
    SELECT DISTINCT step FROM training_checkpoints
     WHERE organization_id = ${job.organization_id} AND job_id = ${job.id} AND completed_at IS NOT NULL AND step <= ${step}
     ORDER BY step`.execute(db);
  const { rows: measured } = await sql<{ name: string; value: number }>`
    SELECT m.name, m.value
      FROM unnest('{eval/loss, train/loss}'::text[]) AS n (name)
     CROSS JOIN LATERAL (
       SELECT m.name, m.value FROM training_metrics AS m
        WHERE m.organization_id = ${job.organization_id} AND m.job_id = ${job.id} AND m.name = n.name AND m.step <= ${step}
        ORDER BY m.step DESC, m.attempt DESC LIMIT 1) AS m`.execute(db);
  return {
    job,
    step,
    checkpoints: rows.map((row) => row.step),
    metrics: Object.fromEntries(measured.map(({ name, value }) => [name, value])),
  };
}

const existing = (model: string, version: string) =>
  new ApiError('already_exists_error', `Model "${model}@${version}" exists already; give another version.`);

/** Chooses name and version, and stores them, so that a repeated call publishes the same. */
async function reserve(
  trx: Trx,
  job: StoredJob,
  target: Target,
  taken: ReadonlySet<string>,
): Promise<Publication & { readonly state: 'reserved' | 'published' | 'taken' }> {
  const { organization_id: organizationId, id } = job;
  // Two calls at once would choose two versions.
  await lockStoredJob(trx, { organizationId, id });
  const model = target.model ?? nameOf(job);
  const { rows } = await sql<Publication & { is_final: boolean; state: 'reserved' | 'published' }>`
    SELECT model, version, is_final, CASE WHEN published_at IS NULL THEN 'reserved' ELSE 'published' END AS state FROM training_publications
     WHERE organization_id = ${organizationId} AND job_id = ${id} AND (is_final OR step = ${target.step})`.execute(
    trx,
  );
  const final = rows.find(({ is_final }) => is_final);
  if (target.isFinal && final) return final;
  const version = target.version ?? (await chooseVersion(trx, job, { model, target, final, taken }));
  const { rows: inserted } = await sql`
    INSERT INTO training_publications (organization_id, job_id, model, version, step, is_final, created_by)
    VALUES (${organizationId}, ${id}, ${model}, ${version}, ${target.step}, ${target.isFinal}, ${target.userId})
    ON CONFLICT DO NOTHING RETURNING 1`.execute(trx);
  const isOwn = rows.some((row) => row.model === model && row.version === version);
  return { model, version, state: inserted.length > 0 || isOwn ? 'reserved' : 'taken' };
}

/** The name of the job; an adapter does not become a version of its own base. */
function nameOf({ id, name, request }: StoredJob): string {
  const slug = toSlug(name ?? '') || id;
  return slug === request.base?.name ? `${slug}-sft` : slug;
}

interface Choice {
  readonly model: string;
  readonly target: Target;
  readonly final: Publication | undefined;
  /** Versions that turned out to exist. */
  readonly taken: ReadonlySet<string>;
}

/** The next minor version of the model; of a checkpoint before the end, a pre-release of it. */
async function chooseVersion(
  trx: Trx,
  { organization_id: organizationId }: StoredJob,
  { model, target: { step, isFinal }, final, taken }: Choice,
): Promise<string> {
  const newest = await findNewestRelease(trx, organizationId, 'model', model);
  const { rows } = await sql<{ version: string }>`
    SELECT version FROM training_publications
     WHERE organization_id = ${organizationId} AND model = ${model} AND is_final`.execute(trx);
  // Versions of other jobs count also where they were deleted since: a deleted version is never published again.
  const used = new Set([...taken, ...rows.map(({ version }) => version)]);
  let next = newest === undefined ? '1.0.0' : nextMinor(newest);
  while (used.has(next)) next = nextMinor(next);
  if (isFinal) return next;
  return `${final?.model === model ? final.version : next}-step.${step}`;
}

function nextMinor(version: string): string {
  const [major = '1', minor = '0'] = version.split('.');
  return `${major}.${Number(minor) + 1}.0`;
}

async function forget(
  db: Db,
  { organizationId, id }: JobRef,
  { model, version }: Publication,
): Promise<void> {
  await sql`
    DELETE FROM training_publications
     WHERE organization_id = ${organizationId} AND job_id = ${id} AND model = ${model} AND version = ${version}
       AND published_at IS NULL`.execute(db);
}
