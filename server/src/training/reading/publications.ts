/** Reads checkpoints of a job, and the model versions that were made of them. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import type { JobRef } from '../../platform/jobs/job-kind.ts';
import { toLineage } from '../publishing/lineage.ts';
import { findStoredJob } from '../stored-job.ts';

interface Publication {
  readonly model: string;
  readonly version: string;
  readonly step: number;
  readonly is_final: boolean;
  readonly published_at: string | null;
}

export async function listPublications(db: Db, { organizationId, id }: JobRef): Promise<Publication[]> {
  const { rows } = await sql<Publication>`
    SELECT model, version, step, is_final, published_at FROM training_publications
     WHERE organization_id = ${organizationId} AND job_id = ${id} AND published_at IS NOT NULL
     ORDER BY published_at, model, version`.execute(db);
  return rows;
}

interface ShownCheckpoint {
  readonly step: number;
  readonly attempt: number;
  readonly metrics: Record<string, number>;
  readonly size_bytes: number;
  readonly digest: string;
  readonly servable: boolean;
  readonly created_at: string;
}

/** The newest complete checkpoint of each step. */
export async function listCheckpoints(db: Db, job: JobRef) {
  const { rows } = await sql<ShownCheckpoint>`
    SELECT DISTINCT ON (step) step, attempt, metrics, size_bytes, digest, is_servable AS servable, completed_at AS created_at
      FROM training_checkpoints
     WHERE organization_id = ${job.organizationId} AND job_id = ${job.id} AND completed_at IS NOT NULL
     ORDER BY step, attempt DESC`.execute(db);
  const published = await listPublications(db, job);
  return rows.map((row) =>
    Object.assign(row, { published: published.filter(({ step }) => step === row.step) }),
  );
}

export async function getArtifacts(db: Db, ref: JobRef) {
  const checkpoints = await listCheckpoints(db, ref);
  const published = await listPublications(db, ref);
  const model = published.find(({ is_final }) => is_final) ?? null;
  const job = await findStoredJob(db, ref);
  const lineage = job
    ? toLineage({
        job,
        step: model?.step ?? job.step,
        checkpoints: checkpoints.map(({ step }) => step),
        metrics: checkpoints.at(-1)?.metrics ?? {},
      })
    : {};
  const shown = checkpoints.map(({ step, size_bytes, digest }) => ({ step, size_bytes, digest }));
  return { artifacts: { model, published, checkpoints: shown, lineage } };
}
