/** The last step of a multipart upload. If its response is lost, a retry returns NoSuchUpload although the object exists. */
import { createHash } from 'node:crypto';
import { type CompletedPart, CompleteMultipartUploadCommand } from '@aws-sdk/client-s3';
import type { Place } from '../place.ts';
import type { Heads } from '../reading/heads.ts';
import { toEtag } from '../reading/listing.ts';

export interface Writable extends Place {
  readonly heads: Heads;
}

export async function completeUpload(
  place: Writable,
  key: string,
  uploadId: string,
  parts: CompletedPart[],
): Promise<void> {
  const command = new CompleteMultipartUploadCommand({
    Bucket: place.bucket,
    Key: key,
    UploadId: uploadId,
    MultipartUpload: { Parts: parts },
  });
  try {
    await place.s3.send(command);
  } catch (error) {
    if (!(await isMadeOf(place, key, parts))) throw error;
  }
}

/** Tells whether the object consists of these parts. Always false if etags are not digests (KMS). */
export async function isMadeOf(
  { heads }: Writable,
  key: string,
  parts: readonly CompletedPart[],
): Promise<boolean> {
  const head = await heads.find(key).catch(() => undefined);
  return head !== undefined && toEtag(head.ETag ?? '') === etagOf(parts);
}

/** Computes the etag as S3 and compatible servers do. */
function etagOf(parts: readonly CompletedPart[]): string {
  const hash = createHash('md5');
  for (const { ETag = '' } of parts) hash.update(toEtag(ETag), 'hex');
  return `${hash.digest('hex')}-${parts.length}`;
}
