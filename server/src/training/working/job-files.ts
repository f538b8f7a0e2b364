/** Links to the files of a job, and for uploads of its checkpoints, for the trainer that has it. */
import type { Db } from '../../platform/db/connect.ts';
import type { JobRef } from '../../platform/jobs/job-kind.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import { listFiles } from '../../registry/service.ts';
import { announceCheckpoint, findCheckpoint } from '../checkpoint-store.ts';
import { type PinnedArtifact, refOf, type StoredDataset, type StoredJob } from '../stored-job.ts';
import type { CheckpointRequest, JobFiles } from './schema.ts';

export interface FileStore {
  readonly db: Db;
  readonly storage: ObjectStorage;
}

/** Short, since a link outlives the lease of the trainer that got it. */
const LINK_SECONDS = 15 * 60;

export async function linkFiles(store: FileStore, job: StoredJob): Promise<JobFiles> {
  const { base, datasets } = job.request;
  const modelFiles = base ? await linkVersion(store, base) : null;
  const linked: JobFiles['datasets'] = [];
  for (const dataset of datasets) linked.push(await linkDataset(store, dataset));
  return {
    model: { reference: job.model, files: modelFiles },
    datasets: linked,
    checkpoint: await linkCheckpoint(store, refOf(job)),
  };
}

const presign = ({ storage }: FileStore, key: string) =>
  storage.presignGet(key, { expiresInSeconds: LINK_SECONDS });

async function linkVersion(store: FileStore, version: PinnedArtifact) {
  const files = await listFiles(store.db, version);
  return Promise.all(
    files.map(async ({ path, size_bytes, sha256, object_key }) => ({
      path,
      size_bytes,
      sha256,
      url: await presign(store, object_key),
    })),
  );
}

async function linkDataset(store: FileStore, dataset: StoredDataset): Promise<JobFiles['datasets'][number]> {
  const { role, name, version, split, format, row_count, path } = dataset;
  const file = (await linkVersion(store, dataset)).find((one) => one.path === path);
  if (!file) throw new Error(`${name}@${version} has lost "${path}"`);
  return { role, name, version, split, format, row_count, file };
}

async function linkCheckpoint(store: FileStore, job: JobRef): Promise<JobFiles['checkpoint']> {
  const checkpoint = await findCheckpoint(store.db, job);
  if (!checkpoint) return null;
  const files = checkpoint.files.map(async ({ path, size_bytes, sha256, parts }) => ({
    path,
    size_bytes,
    sha256,
    parts: await Promise.all(
      parts.map(async (part) => ({ size_bytes: part.size_bytes, url: await presign(store, part.key) })),
    ),
  }));
  return { step: checkpoint.step, files: await Promise.all(files) };
}

/** Upload links live for an hour. A checkpoint that takes longer fails the job. */
const UPLOAD_LINK_SECONDS = 3_600;

/** Lets a trainer upload a checkpoint: links for the parts of its files. */
export async function announceUploads({ db, storage }: FileStore, job: JobRef, request: CheckpointRequest) {
  const files = await announceCheckpoint(db, job, request);
  const linked = files.map(async ({ path, parts }) => ({ path, parts: await linkParts(storage, parts) }));
  return { files: await Promise.all(linked) };
}

async function linkParts(
  storage: ObjectStorage,
  parts: readonly { readonly key: string; readonly size_bytes: number }[],
) {
  let offset = 0;
  const linked: { offset: number; size_bytes: number; url: string }[] = [];
  for (const { key, size_bytes } of parts) {
    const url = await storage.presignPut(key, {
      expiresInSeconds: UPLOAD_LINK_SECONDS,
      sizeBytes: size_bytes,
    });
    linked.push({ offset, size_bytes, url });
    offset += size_bytes;
  }
  return linked;
}
