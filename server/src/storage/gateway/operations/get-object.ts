/** GetObject and HeadObject. */
import type { StoredObject } from '../../../platform/object-storage/embedded/stored-object.ts';
import { isUnchanged, rangeApplies } from '../http/conditions.ts';
import type { Exchange } from '../http/exchange.ts';
import {
  type ResponseHeaders,
  toChecksumHeaders,
  toObjectHeaders,
  toOverrides,
} from '../http/object-headers.ts';
import { partsCountOf, type Range, toPartRange, toRange } from '../http/ranges.ts';
import { S3Error } from '../s3-error.ts';

interface Plan {
  readonly status: 200 | 206 | 304;
  readonly headers: ResponseHeaders;
  readonly range: Range | undefined;
}

export async function headObject(exchange: Exchange): Promise<void> {
  const { store, key, reply } = exchange;
  const object = await store.index.find(key);
  if (!object) throw noSuchKey(key);
  const { status, headers } = toPlan(exchange, object);
  reply.send(status, headers);
}

export async function getObject(exchange: Exchange): Promise<void> {
  const { store, key, reply } = exchange;
  let plan: Plan | undefined;
  const found = await store
    .openObject(key, (object) => {
      plan = toPlan(exchange, object);
      if (plan.status === 304) throw new NotModified();
      return plan.range;
    })
    .catch((error: unknown) => {
      if (!(error instanceof NotModified)) throw error;
    });
  if (!plan) throw noSuchKey(key);
  const { status, headers } = plan;
  if (!found) {
    if (status !== 304) throw noSuchKey(key);
    reply.send(status, headers);
  } else if (Buffer.isBuffer(found.body)) reply.send(status, headers, found.body);
  else await reply.stream(status, headers, found.body);
}

/** Thrown when the client has the content already, so that no file needs to be opened. */
class NotModified extends Error {}

export const noSuchKey = (key: string) =>
  new S3Error('NoSuchKey', 'There is no object with this key.', { Key: key });

function toPlan({ headers: given, query }: Exchange, object: StoredObject): Plan {
  checkVersionId(query);
  const headers = toObjectHeaders(object, toOverrides(query));
  if (isUnchanged(given, object)) return { status: 304, headers, range: undefined };
  const partNumber = toPartNumber(query.get('partNumber'));
  const range = getRange(object, partNumber, given.range, given['if-range'] as string | undefined);
  const isPart = range !== undefined || partNumber !== undefined;
  if (partNumber !== undefined) {
    const count = partsCountOf(object);
    if (count !== undefined) headers['x-amz-mp-parts-count'] = count;
  } else if (!isPart && given['x-amz-checksum-mode'] === 'ENABLED') {
    Object.assign(headers, toChecksumHeaders(object.checksum));
  }
  const { start, end } = range ?? { start: 0, end: object.sizeBytes - 1 };
  headers['content-length'] = end - start + 1;
  // A range of empty content does not exist.
  if (!isPart || end < start) return { status: 200, headers, range };
  headers['content-range'] = `bytes ${start}-${end}/${object.sizeBytes}`;
  return { status: 206, headers, range };
}

function getRange(
  object: StoredObject,
  partNumber: number | undefined,
  range: string | undefined,
  ifRange: string | undefined,
): Range | undefined {
  if (partNumber === undefined)
    return rangeApplies(ifRange, object) ? toRange(range, object.sizeBytes) : undefined;
  if (range !== undefined) throw new S3Error('InvalidRequest', 'Request a range or a part, not both.');
  return toPartRange(object, partNumber);
}

function toPartNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return getPartNumber(text);
}

export function getPartNumber(text: string | undefined): number {
  const partNumber = /^\d{1,5}$/.test(text ?? '') ? Number(text) : 0;
  if (partNumber < 1 || partNumber > 10_000)
    throw new S3Error('InvalidArgument', 'A part has a number from 1 to 10000.', {
      ArgumentName: 'partNumber',
    });
  return partNumber;
}

/** Objects have no versions, and S3 calls the only version of such an object "null". */
export function checkVersionId(query: ReadonlyMap<string, string>): void {
  const versionId = query.get('versionId');
  if (versionId !== undefined && versionId !== 'null')
    throw new S3Error('InvalidArgument', 'Versions are not supported.', { ArgumentName: 'versionId' });
}
