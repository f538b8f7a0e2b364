/** Writes a body of unknown length: a small one at once, a large one in parts, a few of which are in memory. */
import { Readable } from 'node:stream';
import { type CompletedPart, CompleteMultipartUploadCommand, type S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { ObjectAttributes, OtherHeaders } from '../../object-storage.ts';
import { toApiError } from '../failures.ts';
import { isMadeOf, type Writable } from './completion.ts';
import { abortUpload } from './deletion.ts';

/**
 * Enough for 80 GB; a larger known size uses larger parts. At most `PARTS_AT_ONCE` plus the one being read are in memory: usually 24 MiB,
 * 1.6 GB for the largest object of S3 (5 TB).
 */
const PART_BYTES = 8 * 2 ** 20;
/** Limit of S3. */
const MAX_PARTS = 10_000;
const PARTS_AT_ONCE = 2;
/** Limit of S3; a larger declared size is wrong. */
const MAX_OBJECT_BYTES = 5 * 2 ** 40;

/** A failure leaves no upload and, as long as the S3 server responds, no object. An error of the body itself is thrown unchanged. */
export async function uploadBody(
  place: Writable,
  key: string,
  body: Readable | Uint8Array,
  { sizeBytes = 0, contentType, headers, metadata }: ObjectAttributes,
): Promise<void> {
  const { client, completed } = watchCompletion(place.s3);
  const upload = new Upload({
    client,
    params: {
      Bucket: place.bucket,
      Key: key,
      Body: body,
      ...(contentType !== undefined && { ContentType: contentType }),
      ...(headers && toParameters(headers)),
      ...(metadata && { Metadata: { ...metadata } }),
    },
    partSize: Math.max(PART_BYTES, Math.ceil(Math.min(sizeBytes, MAX_OBJECT_BYTES) / MAX_PARTS)),
    queueSize: PARTS_AT_ONCE,
  });
  try {
    await upload.done();
  } catch (error) {
    const { uploadId } = upload;
    // The upload aborts by itself, except when the last step failed.
    if (uploadId !== undefined) await abortUpload(place, key, uploadId).catch(() => undefined);
    const parts = completed();
    if (parts && (await isMadeOf(place, key, parts))) return;
    throw isOfBody(error, body) ? error : toApiError(error);
  }
}

/** Creates a client that remembers the parts of a completion: after a lost response the object may exist. */
function watchCompletion(s3: S3Client) {
  let parts: CompletedPart[] | undefined;
  const send = (command: Parameters<S3Client['send']>[0]) => {
    if (command instanceof CompleteMultipartUploadCommand) parts = command.input.MultipartUpload?.Parts;
    return s3.send(command);
  };
  const client = Object.create(s3, { send: { value: send } }) as S3Client;
  return { client, completed: () => parts };
}

function toParameters(headers: OtherHeaders) {
  const parameters = {
    CacheControl: headers['cache-control'],
    ContentDisposition: headers['content-disposition'],
    ContentEncoding: headers['content-encoding'],
    ContentLanguage: headers['content-language'],
    Expires: toExpires(headers.expires),
  };
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined));
}

/** The SDK requires a date, but the header may contain anything: an invalid date means nothing to caches either. */
export function toExpires(text: string | undefined): Date | undefined {
  const expires = new Date(text ?? Number.NaN);
  return Number.isNaN(expires.getTime()) ? undefined : expires;
}

function isOfBody(error: unknown, body: Readable | Uint8Array): boolean {
  if (!(body instanceof Readable)) return false;
  const { code } = error as { readonly code?: unknown };
  return body.errored === error || code === 'ERR_STREAM_PREMATURE_CLOSE';
}
