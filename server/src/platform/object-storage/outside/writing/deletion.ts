/** Deletes objects in batches of a thousand, and unfinished uploads. */
import { AbortMultipartUploadCommand, DeleteObjectCommand, DeleteObjectsCommand } from '@aws-sdk/client-s3';
import { ApiError } from '../../../errors.ts';
import { codeOf, explained } from '../failures.ts';
import type { Place } from '../place.ts';
import { listPages, listUploads, type UnfinishedUpload } from '../reading/listing.ts';

/** Limit of S3 per request. */
const BATCH = 1_000;
/**
 * The maximum depth of keys, because some servers list `a/b` only after `a` was deleted. A server that needs more rounds deletes nothing.
 */
const MAX_ROUNDS = 512;

/** XML cannot represent such a key, even with escapes. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const UNNAMEABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

export async function deleteKeys(place: Place, keys: readonly string[]): Promise<void> {
  for (const key of keys.filter((key) => UNNAMEABLE.test(key))) await deleteOne(place, key);
  const nameable = keys.filter((key) => !UNNAMEABLE.test(key));
  for (let start = 0; start < nameable.length; start += BATCH)
    await deleteBatch(place, nameable.slice(start, start + BATCH));
}

async function deleteOne({ s3, bucket }: Place, key: string): Promise<void> {
  await explained(s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: key })));
}

async function deleteBatch({ s3, bucket }: Place, keys: readonly string[]): Promise<void> {
  const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true };
  const { Errors = [] } = await explained(s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete })));
  const refused = Errors.filter(({ Code }) => Code !== 'NoSuchKey');
  const [first] = refused;
  if (!first) return;
  throw new ApiError(
    'object_storage_error',
    `The object storage answered ${first.Code} for ${refused.length} of ${keys.length} objects that were to be deleted, first for "${first.Key}".`,
  );
}

/** Aborts multipart uploads first, so that none of them becomes an object afterwards. */
export async function deleteUnder(place: Place, prefix: string): Promise<number> {
  await abortUploadsUnder(place, prefix);
  let all = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const deleted = await deleteListed(place, prefix);
    if (deleted === 0) return all;
    all += deleted;
  }
  throw new ApiError('object_storage_error', 'The object storage goes on listing what was deleted.');
}

async function deleteListed(place: Place, prefix: string): Promise<number> {
  let count = 0;
  for await (const page of listPages(place, prefix)) {
    const keys = page.map(({ key }) => key);
    await deleteKeys(place, keys);
    count += keys.length;
  }
  return count;
}

async function abortUploadsUnder(place: Place, prefix: string): Promise<void> {
  for await (const upload of listUploads(place, prefix)) await abortListed(place, upload);
}

/**
 * Aborts uploads of any process, because killed processes do not clean up.
 * @returns the number of aborted uploads
 */
export async function abortUploadsBefore(
  place: Place,
  prefixes: readonly string[],
  before: Date,
): Promise<number> {
  let count = 0;
  // Not every server can list uploads by prefix.
  for await (const upload of listUploads(place, '')) {
    const isOld = upload.createdAt !== undefined && upload.createdAt < before;
    const isOurs = (key: string) => prefixes.some((prefix) => key.startsWith(prefix));
    if (!isOld || !upload.possibleKeys.every(isOurs)) continue;
    await abortListed(place, upload);
    count++;
  }
  return count;
}

async function abortListed(place: Place, { uploadId, possibleKeys }: UnfinishedUpload): Promise<void> {
  for (const key of possibleKeys) await abortUpload(place, key, uploadId);
}

/** An upload that has ended in the meantime is not an error. */
export async function abortUpload({ s3, bucket }: Place, key: string, uploadId: string): Promise<void> {
  const command = new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: uploadId });
  const aborting = s3.send(command).catch((error: unknown) => {
    if (codeOf(error) !== 'NoSuchUpload') throw error;
  });
  await explained(aborting);
}
