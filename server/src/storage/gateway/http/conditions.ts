/** Under which conditions an object is read, copied or replaced. */
import type { IncomingHttpHeaders } from 'node:http';
import type {
  StoredObject,
  WriteCondition,
} from '../../../platform/object-storage/embedded/stored-object.ts';
import { S3Error } from '../s3-error.ts';

interface Conditions {
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly ifModifiedSince: string | undefined;
  readonly ifUnmodifiedSince: string | undefined;
}

type State = Pick<StoredObject, 'etag' | 'updatedAt'>;
type Outcome = 'holds' | 'failed' | 'unchanged';

/** An etag says more than a time: where both are given, the time is not looked at. */
function judge(conditions: Conditions, object: State): Outcome {
  const { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince } = conditions;
  if (ifMatch !== undefined) {
    if (!isListed(ifMatch, object.etag)) return 'failed';
  } else if (isAfter(object, ifUnmodifiedSince) === true) return 'failed';
  if (ifNoneMatch !== undefined) return isListed(ifNoneMatch, object.etag) ? 'unchanged' : 'holds';
  return isAfter(object, ifModifiedSince) === false ? 'unchanged' : 'holds';
}

/** @returns whether the caller has what is there, so that it need not be sent */
export function isUnchanged(headers: IncomingHttpHeaders, object: State): boolean {
  const outcome = judge(
    {
      ifMatch: headers['if-match'],
      ifNoneMatch: headers['if-none-match'],
      ifModifiedSince: headers['if-modified-since'],
      ifUnmodifiedSince: headers['if-unmodified-since'],
    },
    object,
  );
  if (outcome === 'failed') throw preconditionFailed();
  return outcome === 'unchanged';
}

/** Of a copy's source: what a reader would be told is unchanged is not copied either. */
export function checkCopyConditions(headers: IncomingHttpHeaders, source: State): void {
  const given = (name: string) => headers[`x-amz-copy-source-if-${name}`] as string | undefined;
  const outcome = judge(
    {
      ifMatch: given('match'),
      ifNoneMatch: given('none-match'),
      ifModifiedSince: given('modified-since'),
      ifUnmodifiedSince: given('unmodified-since'),
    },
    source,
  );
  if (outcome !== 'holds') throw preconditionFailed();
}

/** Whether a range may be served: not when the object is no longer the one of which the caller has the rest. */
export function rangeApplies(ifRange: string | undefined, object: State): boolean {
  if (ifRange === undefined) return true;
  if (ifRange.includes('"')) return ifRange === `"${object.etag}"`;
  return Date.parse(ifRange) === toSeconds(object.updatedAt);
}

export function toWriteCondition(headers: IncomingHttpHeaders): WriteCondition | undefined {
  const ifMatch = headers['if-match'];
  const ifNoneMatch = headers['if-none-match'];
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined;
  if (ifMatch !== undefined && ifNoneMatch !== undefined)
    throw new S3Error('NotImplemented', 'A write takes If-Match or If-None-Match, not both.');
  if (ifMatch !== undefined) {
    const etag = toEtag(ifMatch);
    if (etag === '*' || etag.includes(','))
      throw new S3Error('NotImplemented', 'A write takes one etag with If-Match.');
    return { ifMatch: etag };
  }
  if (ifNoneMatch !== '*')
    throw new S3Error('NotImplemented', 'A write takes nothing but "*" with If-None-Match.');
  return { ifNoneMatch };
}

export const preconditionFailed = () =>
  new S3Error('PreconditionFailed', 'The object is not in the state that the request asks for.');

const isListed = (list: string, etag: string) =>
  list.trim() === '*' || list.split(',').some((one) => toEtag(one) === etag);

/** Some clients leave the quotes out. */
export function toEtag(text: string): string {
  const trimmed = text.trim();
  const strong = trimmed.startsWith('W/') ? trimmed.slice(2) : trimmed;
  return strong.length >= 2 && strong.startsWith('"') && strong.endsWith('"') ? strong.slice(1, -1) : strong;
}

/** Undefined where there is no time to compare with, or none that can be read. */
function isAfter(object: State, date: string | undefined): boolean | undefined {
  if (date === undefined) return undefined;
  const time = Date.parse(date);
  if (Number.isNaN(time)) return undefined;
  return toSeconds(object.updatedAt) > time;
}

/** Dates of HTTP know no fractions. */
const toSeconds = (date: Date) => Math.floor(date.getTime() / 1_000) * 1_000;
