/** Writes a body of unknown length: at once when it is small, else in parts, a few of which are in memory. */
import { Readable } from 'node:stream';
import { Upload } from '@aws-sdk/lib-storage';
import type { ObjectAttributes, OtherHeaders } from '../object-storage.ts';
import { abortUpload } from './deletion.ts';
import { toApiError } from './failures.ts';
import type { Place } from './place.ts';

/** Enough for 80 GB; what is known to be larger gets larger parts. */
const PART_BYTES = 8 * 2 ** 20;
/** As many as S3 takes. */
const MAX_PARTS = 10_000;
const PARTS_AT_ONCE = 2;

/** When it fails, there is no object and no upload; a body that failed itself is told as it was. */
export async function uploadBody(
  place: Place,
  key: string,
  body: Readable | Uint8Array,
  { sizeBytes = 0, contentType, headers, metadata }: ObjectAttributes,
): Promise<void> {
  const upload = new Upload({
    client: place.s3,
    params: {
      Bucket: place.bucket,
      Key: key,
      Body: body,
      ...(contentType !== undefined && { ContentType: contentType }),
      ...(headers && toParameters(headers)),
      ...(metadata && { Metadata: { ...metadata } }),
    },
    partSize: Math.max(PART_BYTES, Math.ceil(sizeBytes / MAX_PARTS)),
    queueSize: PARTS_AT_ONCE,
  });
  try {
    await upload.done();
  } catch (error) {
    const { uploadId } = upload;
    // It aborts by itself, but not where the last step failed.
    if (uploadId !== undefined) await abortUpload(place, key, uploadId).catch(() => undefined);
    throw isOfBody(error, body) ? error : toApiError(error);
  }
}

/** The SDK takes a date where the header may hold anything: what is none says nothing to a cache either. */
function toParameters(headers: OtherHeaders) {
  const expires = new Date(headers.expires ?? Number.NaN);
  const parameters = {
    CacheControl: headers['cache-control'],
    ContentDisposition: headers['content-disposition'],
    ContentEncoding: headers['content-encoding'],
    ContentLanguage: headers['content-language'],
    Expires: Number.isNaN(expires.getTime()) ? undefined : expires,
  };
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined));
}

function isOfBody(error: unknown, body: Readable | Uint8Array): boolean {
  if (!(body instanceof Readable)) return false;
  const { code } = error as { readonly code?: unknown };
  return body.errored === error || code === 'ERR_STREAM_PREMATURE_CLOSE';
}
