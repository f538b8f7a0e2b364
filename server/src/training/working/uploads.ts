/** Lets a trainer upload a checkpoint: links for the parts of its files. */
import type { JobRef } from '../../platform/jobs/job-kind.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import { announceCheckpoint } from '../checkpoint-store.ts';
import type { FileStore } from './job-files.ts';
import type { CheckpointRequest } from './schema.ts';

/** Upload links live for an hour. A checkpoint that takes longer fails the job. */
const LINK_SECONDS = 3_600;

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
    const url = await storage.presignPut(key, { expiresInSeconds: LINK_SECONDS, sizeBytes: size_bytes });
    linked.push({ offset, size_bytes, url });
    offset += size_bytes;
  }
  return linked;
}
