/** Turns uploaded content into blobs: copies it to a place that clients cannot write to, and verifies the copy. */
import { createHash } from 'node:crypto';
import type { OrgScope } from '../../platform/auth/principal.ts';
import { mapConcurrently } from '../../platform/concurrent-map.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { ApiError, type Issue, invalidValues } from '../../platform/errors.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import { adoptBlobs, newObjectKey } from '../blobs.ts';
import type { ArtifactFile } from '../draft.ts';
import type { PublishOptions } from './publish-bundle.ts';
import { findReusable } from './reuse.ts';
import { incomingPrefix, type OpenUpload } from './uploads.ts';

const AT_ONCE = 4;

/** Verified content stays verified when the upload is completed again; throws when anything is missing or wrong. */
export async function verifyUpload(
  options: PublishOptions,
  scope: OrgScope,
  upload: OpenUpload,
): Promise<void> {
  const byDigest = new Map(upload.files.map((file) => [file.sha256, file]));
  const stored = await findReusable(options.db, scope, [...byDigest.keys()], upload.id);
  const problems = new Map<string, string | undefined>();
  async function* missing() {
    for (const file of byDigest.values()) {
      const size_bytes = stored.get(file.sha256);
      if (size_bytes === undefined) yield file;
      else problems.set(file.sha256, findSizeProblem(file, size_bytes));
    }
  }
  const verify = async (file: ArtifactFile) => ({
    file,
    problem: await adoptIncoming(options, scope, upload, file),
  });
  for await (const { file, problem } of mapConcurrently(missing(), AT_ONCE, verify))
    problems.set(file.sha256, problem);
  const issues = upload.files.flatMap(({ path, sha256 }): Issue[] => {
    const msg = problems.get(sha256);
    return msg === undefined ? [] : [{ loc: ['body', path], msg, type: 'invalid_content' }];
  });
  if (issues.length > 0) throw invalidValues(issues);
}

const findSizeProblem = (file: ArtifactFile, bytes: number) =>
  bytes === file.size_bytes ? undefined : `has ${bytes} bytes, and was announced with ${file.size_bytes}`;

const NOT_UPLOADED = 'was not uploaded; put it, or begin the upload again where you have no link for it';

/** @returns the error; undefined when the content is a blob now */
async function adoptIncoming(
  { db, storage }: PublishOptions,
  scope: OrgScope,
  upload: OpenUpload,
  file: ArtifactFile,
): Promise<string | undefined> {
  const { sha256, size_bytes } = file;
  const incoming = incomingPrefix(upload) + sha256;
  const object_key = newObjectKey(upload);
  const put = await storage.find(incoming);
  if (put && put.sizeBytes !== size_bytes) return findSizeProblem(file, put.sizeBytes);
  if (!put || !(await copied(storage, incoming, object_key))) {
    // A concurrent completion of the same upload may have been faster.
    const stored = (await findReusable(db, scope, [sha256], upload.id)).get(sha256);
    return stored === undefined ? NOT_UPLOADED : findSizeProblem(file, stored);
  }
  const copy = await read(storage, object_key);
  if (copy.size_bytes === size_bytes && copy.sha256 === sha256) {
    await orDrop(storage, [object_key], () =>
      // Committed separately, so that it is kept when another file is refused.
      transaction(db, (trx) => adoptBlobs(trx, upload, [{ object_key, sha256, size_bytes }])),
    );
    return undefined;
  }
  await storage.delete([object_key]);
  return (
    findSizeProblem(file, copy.size_bytes) ??
    `has the SHA-256 ${copy.sha256}, and was announced with ${sha256}`
  );
}

/**
 * Deletes the objects if the work was refused, because the upload may have been swept before they were written. After any other failure it
 * is unknown whether they became blobs, so they are left to the sweep.
 */
export async function orDrop<T>(
  storage: ObjectStorage,
  keys: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError) await storage.delete(keys).catch(() => undefined);
    throw error;
  }
}

async function copied(storage: ObjectStorage, from: string, to: string): Promise<boolean> {
  try {
    await storage.copy(from, to);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.type === 'not_found_error') return false;
    throw error;
  }
}

async function read(storage: ObjectStorage, key: string) {
  const digest = createHash('sha256');
  let size_bytes = 0;
  const opened = await storage.open(key);
  if (!opened) throw new Error(`the copy ${key} is gone`);
  for await (const chunk of opened.body as AsyncIterable<Uint8Array>) {
    digest.update(chunk);
    size_bytes += chunk.length;
  }
  return { sha256: digest.digest('hex'), size_bytes };
}
