/** Inserts training jobs with metrics and a checkpoint directly into the tables. */
import { sql } from 'kysely';
import type { Db } from '../src/platform/db/connect.ts';
import { uuidv7 } from '../src/platform/uuid.ts';
import { toEffectiveConfig } from '../src/training/config-schema.ts';

interface JobPlace {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly createdBy: string;
}

const pinned = { ownerId: uuidv7(), versionId: uuidv7(), version: '1.0.0', digest: '00' };

/** @param given.text written into every column that holds free text */
export async function insertTrainingJob(
  db: Db,
  { organizationId, workspaceId, createdBy }: JobPlace,
  { text, projectId }: { readonly text: string; readonly projectId: string | null },
): Promise<string> {
  const job = { organization_id: organizationId, job_id: uuidv7() };
  const request = {
    config: {},
    effective: toEffectiveConfig({}),
    capability: { ...pinned, name: 'helper', artifactId: uuidv7() },
    system_prompt: text,
    base: null,
    datasets: [],
    dataset_ref: { name: 'facts', version: '1.0.0', split: 'train' },
    trajectory_dataset_refs: [],
    run_ref: null,
  };
  await db
    .insertInto('training_jobs')
    .values({
      organization_id: organizationId,
      id: job.job_id,
      workspace_id: workspaceId,
      project_id: projectId,
      created_by: createdBy,
      name: text,
      backend: 'hosted_a',
      trainer_type: 'sft',
      model: text,
      tags: [text],
      request: JSON.stringify(request),
      status: 'failed',
      worker: text,
      attempt: 1,
      step: 2,
      error: text,
    })
    .execute();
  const point = { ...job, name: 'train/loss', attempt: 1 };
  await db
    .insertInto('training_metrics')
    .values([
      { ...point, step: 1, value: 0.1 },
      { ...point, step: 2, value: 1e-12 },
    ])
    .execute();
  await db
    .insertInto('training_checkpoints')
    .values({
      ...job,
      step: 2,
      attempt: 1,
      files: '[]',
      size_bytes: 3_000_000_000,
      digest: text,
      metrics: JSON.stringify({ 'train/loss': 1e-12 }),
      is_servable: true,
      completed_at: new Date().toISOString(),
    })
    .execute();
  return job.job_id;
}

/**
 * All members of the first workspace see it, and only its creator may change it.
 * @returns its id
 */
export async function insertTrainingJobOf(db: Db, createdBy: string): Promise<string> {
  const { rows } = await sql<{ organization_id: string; id: string }>`
    SELECT organization_id, id FROM workspaces /* of every organization */ WHERE key = 'main' LIMIT 1`.execute(
    db,
  );
  const [workspace] = rows;
  if (!workspace) throw new Error('there is no workspace');
  const { organization_id: organizationId, id: workspaceId } = workspace;
  return insertTrainingJob(
    db,
    { organizationId, workspaceId, createdBy },
    { text: 'canary', projectId: null },
  );
}
