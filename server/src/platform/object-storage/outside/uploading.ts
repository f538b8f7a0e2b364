/** Writes a body of unknown length: at once when it is small, else in parts, a few of which are in memory. */
import { Readable } from 'node:stream';
import { type CompletedPart, CompleteMultipartUploadCommand, type S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { ObjectAttributes, OtherHeaders } from '../object-storage.ts';
import { isMadeOf, type Writable } from './completion.ts';
import { abortUpload } from './deletion.ts';
import { toApiError } from './failures.ts';

/**
 * Enough for 80 GB; what is known to be larger gets larger parts. Of these at most `PARTS_AT_ONCE` and the one that is
 * being read are in memory: 24 MiB as a rule, 1.6 GB for the largest object that S3 takes (5 TB).
 */
const PART_BYTES = 8 * 2 ** 20;
/** As many as S3 takes. */
const MAX_PARTS = 10_000;
const PARTS_AT_ONCE = 2;
/** S3 takes no larger object; who says that more will come is mistaken. */
const MAX_OBJECT_BYTES = 5 * 2 ** 40;

/**
 * When it fails there is no upload left, and no object as far as the S3 can still be asked. A body that failed itself is
 * told as it was.
 */
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
    // It aborts by itself, but not where the last step failed.
    if (uploadId !== undefined) await abortUpload(place, key, uploadId).catch(() => undefined);
    const parts = completed();
    if (parts && (await isMadeOf(place, key, parts))) return;
    throw isOfBody(error, body) ? error : toApiError(error);
  }
}

/** A client that remembers of which parts an object was to be made: asked for that, the S3 may have made it. */
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

/** The SDK takes a date where the header may hold anything: what is none says nothing to a cache either. */
export function toExpires(text: string | undefined): Date | undefined {
  const expires = new Date(text ?? Number.NaN);
  return Number.isNaN(expires.getTime()) ? undefined : expires;
}

function isOfBody(error: unknown, body: Readable | Uint8Array): boolean {
  if (!(body instanceof Readable)) return false;
  const { code } = error as { readonly code?: unknown };
  return body.errored === error || code === 'ERR_STREAM_PREMATURE_CLOSE';
}
