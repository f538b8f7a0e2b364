/** Parses requested byte ranges: `Range`, of which S3 supports one per request, and `partNumber`. */
import type { Blob, StoredObject } from '../../../platform/object-storage/embedded/stored-object.ts';
import { S3Error } from '../s3-error.ts';

/** Both ends are inclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

const ONE_RANGE = /^bytes=(\d*)-(\d*)$/;

/** Undefined if everything is to be sent, which includes several ranges and invalid ones. */
export function toRange(header: string | undefined, sizeBytes: number): Range | undefined {
  if (header === undefined) return undefined;
  const [, first = '', last = ''] = ONE_RANGE.exec(header) ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes);
    if (length === 0) throw unsatisfiable(header, sizeBytes);
    return { start: sizeBytes - length, end: sizeBytes - 1 };
  }
  const start = Number(first);
  const end = last === '' ? Number.POSITIVE_INFINITY : Number(last);
  if (end < start) return undefined;
  if (start >= sizeBytes) throw unsatisfiable(header, sizeBytes);
  return { start, end: Math.min(end, sizeBytes - 1) };
}

function unsatisfiable(header: string, sizeBytes: number): S3Error {
  const details = { RangeRequested: header, ActualObjectSize: String(sizeBytes) };
  return new S3Error('InvalidRange', 'The requested range is outside of the object.', details);
}

/** `x-amz-copy-source-range` must have both ends and lie within the object. */
export function toCopyRange(header: string | undefined, sizeBytes: number): Range | undefined {
  if (header === undefined) return undefined;
  const [, first = '', last = ''] = ONE_RANGE.exec(header) ?? [];
  const start = Number(first);
  const end = Number(last);
  if (first === '' || last === '' || end < start)
    throw new S3Error('InvalidArgument', 'x-amz-copy-source-range must be written as bytes=<first>-<last>.');
  if (end >= sizeBytes) throw new S3Error('InvalidArgument', `The source has only ${sizeBytes} bytes.`);
  return { start, end };
}

/** Number of parts in which the object was uploaded; undefined if it was uploaded at once. */
export function partsCountOf({ etag }: Pick<StoredObject, 'etag'>): number | undefined {
  const dash = etag.indexOf('-');
  return dash === -1 ? undefined : Number(etag.slice(dash + 1));
}

/** Returns the bytes of one part; undefined for the only part of an object. The last part may be empty and has no blob. */
export function toPartRange(object: StoredObject, partNumber: number): Range | undefined {
  const count = partsCountOf(object) ?? 1;
  if (partNumber > count) throw new S3Error('InvalidPartNumber', 'The object has no such part.');
  if (count === 1) return undefined;
  const start = sizeOf(object.blobs.slice(0, partNumber - 1));
  return { start, end: start + (object.blobs[partNumber - 1]?.sizeBytes ?? 0) - 1 };
}

const sizeOf = (blobs: readonly Blob[]) => blobs.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
