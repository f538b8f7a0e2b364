/** Training jobs as they are stored. */
import { sql } from 'kysely';
import type { Db } from '../platform/db/connect.ts';
import { notFound } from '../platform/errors.ts';
import type { JobRef } from '../platform/jobs/job-kind.ts';
import type { DatasetRefOf, EffectiveConfig } from './config-schema.ts';
import type { JobState } from './schema.ts';

/** One version of an artifact that a job has pinned. */
export interface PinnedArtifact {
  readonly ownerId: string;
  readonly versionId: string;
  readonly name: string;
  readonly version: string;
  /** Over its files, in hexadecimal. */
  readonly digest: string;
}

/** A data file that a trainer reads. */
export interface StoredDataset extends PinnedArtifact {
  readonly role: 'train' | 'eval' | 'trajectories';
  readonly split: string;
  readonly path: string;
  readonly format: 'jsonl' | 'csv' | 'parquet';
  readonly sha256: string;
  readonly size_bytes: number;
  readonly row_count: number;
}

/** `training_jobs.request`. */
export interface StoredRequest {
  /** The request as it was sent. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly effective: EffectiveConfig;
  readonly capability: PinnedArtifact & { readonly artifactId: string };
  /** The scaffold: goes before every example without a system message. */
  readonly system_prompt: string | null;
  /** null: the model is not one of the registry, and the trainer decides whether it has it. */
  readonly base: PinnedArtifact | null;
  readonly datasets: readonly StoredDataset[];
  readonly dataset_ref: DatasetRefOf | null;
  readonly trajectory_dataset_refs: readonly DatasetRefOf[];
  readonly run_ref: string | null;
}

/** The columns of a job that its protocol reads. */
export interface StoredJob {
  readonly id: string;
  readonly organization_id: string;
  readonly workspace_id: string;
  readonly created_by: string;
  readonly name: string | null;
  readonly backend: string;
  readonly trainer_type: string;
  readonly model: string;
  readonly request: StoredRequest;
  readonly retry_of: string | null;
  readonly status: JobState;
  readonly attempt: number;
  readonly worker: string | null;
  readonly worker_key_id: string | null;
  readonly lost_workers: number;
  readonly progress_seq: number;
  readonly step: number;
  readonly start_report: Readonly<Record<string, unknown>> | null;
  readonly cancel_requested_at: string | null;
}

export const refOf = ({ organization_id, id }: Pick<StoredJob, 'organization_id' | 'id'>): JobRef => ({
  organizationId: organization_id,
  id,
});

export const jobNotFound = (given: string) => notFound(`Training job "${given}"`);

const COLUMNS = sql`id, organization_id, workspace_id, created_by, name, backend, trainer_type, model, request, retry_of, status, attempt, worker, worker_key_id,
  lost_workers, progress_seq, step, start_report, cancel_requested_at`;

export async function findStoredJob(db: Db, { organizationId, id }: JobRef): Promise<StoredJob | undefined> {
  const { rows } = await sql<StoredJob>`
    SELECT ${COLUMNS} FROM training_jobs WHERE organization_id = ${organizationId} AND id = ${id}`.execute(
    db,
  );
  return rows[0];
}

/** Locks a job's row before a change that depends on its state. Claims and deletion lock rows with statements of their own. */
export async function lockStoredJob(trx: Db, { organizationId, id }: JobRef): Promise<StoredJob | undefined> {
  const { rows } = await sql<StoredJob>`
    SELECT ${COLUMNS} FROM training_jobs
     WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`.execute(trx);
  return rows[0];
}

/** All versions whose files the job keeps, also when these are deleted. */
export const pinnedBy = ({ capability, base, datasets }: StoredRequest): PinnedArtifact[] => [
  capability,
  ...(base ? [base] : []),
  ...datasets,
];
