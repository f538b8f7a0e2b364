/** Lists objects and unfinished uploads, page by page. */
import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { ApiError } from '../../../errors.ts';
import type { ObjectInfo } from '../../object-storage.ts';
import { explained } from '../failures.ts';
import type { Place } from '../place.ts';

/** XML cannot represent every character of a key, so keys are requested URL-encoded; not every server does it. */
const ENCODED = { EncodingType: 'url' } as const;

const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));

/** Yields pages of at most 1000 objects, ordered by the bytes of their keys. */
export async function* listPages({ s3, bucket }: Place, prefix: string): AsyncGenerator<ObjectInfo[]> {
  const marks = new Marks();
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
    marks.add(token, page.Contents?.at(-1)?.Key);
  }
}

/** Positions at which pages ended: a list that returns to one would never end. */
class Marks {
  private readonly seen = new Set<string>();
  private lastKey: string | undefined;

  add(mark: string | undefined, lastKey: string | undefined): void {
    if (!mark || this.seen.has(mark)) throw interrupted();
    if (lastKey !== undefined && lastKey === this.lastKey) throw interrupted();
    this.seen.add(mark);
    this.lastKey = lastKey;
  }
}

const interrupted = () => new ApiError('object_storage_error', 'The object storage broke off a list.');

export const toEtag = (quoted: string) => quoted.replace(/^"(.*)"$/, '$1');

export interface UnfinishedUpload {
  readonly uploadId: string;
  /** The key is one of these, because not every server that encodes keys says so. */
  readonly possibleKeys: readonly string[];
  readonly createdAt: Date | undefined;
}

export async function* listUploads({ s3, bucket }: Place, prefix: string): AsyncGenerator<UnfinishedUpload> {
  const marks = new Marks();
  for (let after: { KeyMarker?: string; UploadIdMarker?: string } = {}; ; ) {
    const command = new ListMultipartUploadsCommand({ ...ENCODED, ...after, Bucket: bucket, Prefix: prefix });
    const page = await explained(s3.send(command));
    const keysOf = (key: string) =>
      page.EncodingType === 'url' ? [decode(key)] : [...new Set([decodeIfEncoded(key), key])];
    for (const { Key = '', UploadId = '', Initiated } of page.Uploads ?? [])
      yield { uploadId: UploadId, possibleKeys: keysOf(Key), createdAt: Initiated };
    if (!page.IsTruncated) return;
    const { NextKeyMarker: key = '', NextUploadIdMarker: uploadId = '' } = page;
    marks.add(key && `${key}\n${uploadId}`, page.Uploads?.at(-1)?.UploadId);
    after = { KeyMarker: keysOf(key)[0] ?? key, ...(uploadId && { UploadIdMarker: uploadId }) };
  }
}

function decodeIfEncoded(text: string): string {
  try {
    return decode(text);
  } catch {
    return text;
  }
}
