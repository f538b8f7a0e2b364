/** Copies within the S3: small objects at once, large ones in parts. */
import {
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { notFound } from '../../http/errors.ts';
import { abortUpload } from './deletion.ts';
import { explained, found } from './failures.ts';
import type { Place } from './place.ts';

export interface CopySizes {
  /** More than this is copied in parts. S3 takes 5 GiB at once, but says nothing while it copies them. */
  readonly wholeBytes: number;
  readonly partBytes: number;
}

const MIB = 2 ** 20;
export const COPY_SIZES: CopySizes = { wholeBytes: 512 * MIB, partBytes: 256 * MIB };

const MAX_PARTS = 10_000;
/** Parts that are copied at the same time. */
const CONCURRENCY = 4;

export async function copyObject(place: Place, from: string, to: string, sizes: CopySizes): Promise<void> {
  const { s3, bucket } = place;
  const source = await found(s3.send(new HeadObjectCommand({ Bucket: bucket, Key: from })));
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

async function copyInParts(place: Place, copy: LargeCopy): Promise<void> {
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
      }),
    ),
  );
  try {
    const Parts = await copyParts(place, copy, uploadId);
    const command = new CompleteMultipartUploadCommand({
      Bucket: bucket,
      Key: to,
      UploadId: uploadId,
      MultipartUpload: { Parts },
    });
    await explained(s3.send(command));
  } catch (error) {
    await abortUpload(place, to, uploadId).catch(() => undefined);
    throw error;
  }
}

/** All of the same source, or none: a source that is replaced meanwhile fails the copy. */
async function copyParts(
  { s3, bucket }: Place,
  { from, to, source, partBytes }: LargeCopy,
  uploadId: string,
): Promise<CompletedPart[]> {
  const sizeBytes = source.ContentLength ?? 0;
  const step = Math.max(partBytes, Math.ceil(sizeBytes / MAX_PARTS));
  const parts: CompletedPart[] = Array.from({ length: Math.ceil(sizeBytes / step) }, (_, index) => ({
    PartNumber: index + 1,
  }));
  const waiting = parts.values();
  const copySome = async () => {
    for (const part of waiting) {
      const start = ((part.PartNumber ?? 1) - 1) * step;
      const end = Math.min(start + step, sizeBytes) - 1;
      const command = new UploadPartCopyCommand({
        Bucket: bucket,
        Key: to,
        UploadId: uploadId,
        PartNumber: part.PartNumber,
        CopySource: toSource(bucket, from),
        CopySourceRange: `bytes=${start}-${end}`,
        CopySourceIfMatch: source.ETag,
      });
      const { CopyPartResult } = await explained(s3.send(command));
      part.ETag = CopyPartResult?.ETag;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, copySome));
  return parts;
}
