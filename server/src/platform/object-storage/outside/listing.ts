/** Lists of objects and of unfinished uploads, page by page. */
import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { ApiError } from '../../http/errors.ts';
import type { ObjectInfo } from '../object-storage.ts';
import { explained } from './failures.ts';
import type { Place } from './place.ts';

/** XML cannot hold every character of a key, so that keys are asked for encoded; not every server does it. */
const ENCODED = { EncodingType: 'url' } as const;

const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));

/** Pages of at most 1000 objects, in the order of their keys' bytes. */
export async function* listPages({ s3, bucket }: Place, prefix: string): AsyncGenerator<ObjectInfo[]> {
  for (let token: string | undefined; ; ) {
    const command = new ListObjectsV2Command({
      ...ENCODED,
      Bucket: bucket,
      Prefix: prefix,
      ContinuationToken: token,
    });
    const page = await explained(s3.send(command));
    yield (page.Contents ?? []).map(({ Key = '', Size = 0, ETag = '', LastModified = new Date(0) }) => ({
      key: page.EncodingType === 'url' ? decode(Key) : Key,
      sizeBytes: Size,
      etag: toEtag(ETag),
      updatedAt: LastModified,
    }));
    if (!page.IsTruncated) return;
    token = page.NextContinuationToken;
    if (!token) throw new ApiError('object_storage_error', 'The object storage broke off a list.');
  }
}

export const toEtag = (quoted: string) => quoted.replace(/^"(.*)"$/, '$1');

export interface UnfinishedUpload {
  readonly uploadId: string;
  /** One of these: not every server that encodes says so. */
  readonly possibleKeys: readonly string[];
}

/** The first thousand: whoever aborts them asks again. */
export async function listUploads({ s3, bucket }: Place, prefix: string): Promise<UnfinishedUpload[]> {
  const page = await explained(
    s3.send(new ListMultipartUploadsCommand({ ...ENCODED, Bucket: bucket, Prefix: prefix })),
  );
  return (page.Uploads ?? []).map(({ Key = '', UploadId = '' }) => ({
    uploadId: UploadId,
    possibleKeys: page.EncodingType === 'url' ? [decode(Key)] : [...new Set([decodeIfEncoded(Key), Key])],
  }));
}

function decodeIfEncoded(text: string): string {
  try {
    return decode(text);
  } catch {
    return text;
  }
}
