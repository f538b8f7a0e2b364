/** Copies within the S3 server: small objects at once, large ones in parts. */
import {
  type CompletedPart,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  type HeadObjectCommandOutput,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { mapConcurrently } from '../../../concurrent-map.ts';
import { notFound } from '../../../errors.ts';
import { explained, found } from '../failures.ts';
import type { Place } from '../place.ts';
import { completeUpload, type Writable } from './completion.ts';
import { abortUpload } from './deletion.ts';
import { toExpires } from './uploading.ts';

export interface CopySizes {
  /** Larger objects are copied in parts. S3 copies up to 5 GiB at once, but sends nothing in the meantime. */
  readonly wholeBytes: number;
  readonly partBytes: number;
}

const MIB = 2 ** 20;
export const COPY_SIZES: CopySizes = { wholeBytes: 512 * MIB, partBytes: 256 * MIB };

const MAX_PARTS = 10_000;
/** Number of parts that are copied concurrently. */
const CONCURRENCY = 4;

export async function copyObject(place: Writable, from: string, to: string, sizes: CopySizes): Promise<void> {
  const { s3, bucket, heads } = place;
  const source = await heads.find(from);
  if (!source) throw notFound(`Object "${from}"`);
  // S3 refuses to copy an object onto itself.
  if (from === to) return;
  if ((source.ContentLength ?? 0) > sizes.wholeBytes)
    return copyInParts(place, { from, to, source, partBytes: sizes.partBytes });
  const command = new CopyObjectCommand({ Bucket: bucket, Key: to, CopySource: toSource(bucket, from) });
  const copied = await found(s3.send(command));
  if (!copied) throw notFound(`Object "${from}"`);
}

const toSource = (bucket: string, key: string) =>
  `${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;

interface LargeCopy {
  readonly from: string;
  readonly to: string;
  readonly source: HeadObjectCommandOutput;
  readonly partBytes: number;
}

async function copyInParts(place: Writable, copy: LargeCopy): Promise<void> {
  const { s3, bucket } = place;
  const { to, source } = copy;
  const { UploadId: uploadId = '' } = await explained(
    s3.send(
      new CreateMultipartUploadCommand({
        Bucket: bucket,
        Key: to,
        ContentType: source.ContentType,
        Metadata: source.Metadata,
        CacheControl: source.CacheControl,
        ContentDisposition: source.ContentDisposition,
        ContentEncoding: source.ContentEncoding,
        ContentLanguage: source.ContentLanguage,
        Expires: toExpires(source.ExpiresString),
      }),
    ),
  );
  try {
    // No further part is started after one has failed, and the abort waits for those in progress.
    const copying = mapConcurrently(toParts(copy), CONCURRENCY, (part) =>
      copyPart(place, copy, uploadId, part),
    );
    const parts = await Array.fromAsync(copying);
    await explained(completeUpload(place, to, uploadId, parts));
  } catch (error) {
    await abortUpload(place, to, uploadId).catch(() => undefined);
    throw error;
  }
}

interface PartRange {
  readonly number: number;
  readonly start: number;
  /** Inclusive. */
  readonly end: number;
}

async function* toParts({ source, partBytes }: LargeCopy): AsyncGenerator<PartRange> {
  const sizeBytes = source.ContentLength ?? 0;
  const step = Math.max(partBytes, Math.ceil(sizeBytes / MAX_PARTS));
  for (let start = 0; start < sizeBytes; start += step)
    yield { number: start / step + 1, start, end: Math.min(start + step, sizeBytes) - 1 };
}

/** All parts must come from the same version: the copy fails if the source is replaced. */
async function copyPart(
  { s3, bucket }: Place,
  { from, to, source }: LargeCopy,
  uploadId: string,
  { number, start, end }: PartRange,
): Promise<CompletedPart> {
  const command = new UploadPartCopyCommand({
    Bucket: bucket,
    Key: to,
    UploadId: uploadId,
    PartNumber: number,
    CopySource: toSource(bucket, from),
    CopySourceRange: `bytes=${start}-${end}`,
    CopySourceIfMatch: source.ETag,
  });
  const { CopyPartResult } = await explained(s3.send(command));
  return { PartNumber: number, ETag: CopyPartResult?.ETag };
}
