/** Conditional reads, copies and writes. */
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

/** An etag is more precise than a time: if both are given, the time is ignored. */
function judge(conditions: Conditions, object: State): Outcome {
  const { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince } = conditions;
  if (ifMatch !== undefined) {
    if (!isListed(ifMatch, object.etag)) return 'failed';
  } else if (isAfter(object, ifUnmodifiedSince) === true) return 'failed';
  if (ifNoneMatch !== undefined) return isListed(ifNoneMatch, object.etag) ? 'unchanged' : 'holds';
  return isAfter(object, ifModifiedSince) === false ? 'unchanged' : 'holds';
}

/** @returns whether the client has the current content, so that it need not be sent */
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

/** A copy is refused when a read with the same condition would return "not modified". */
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

/** Tells whether a range may be served: not if the object has changed since the client received the rest. */
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
    throw new S3Error('NotImplemented', 'A write may have If-Match or If-None-Match, not both.');
  if (ifMatch !== undefined) {
    const etag = toEtag(ifMatch);
    if (etag === '*' || etag.includes(','))
      throw new S3Error('NotImplemented', 'A write supports only one etag in If-Match.');
    return { ifMatch: etag };
  }
  if (ifNoneMatch !== '*') throw new S3Error('NotImplemented', 'A write supports only "*" in If-None-Match.');
  return { ifNoneMatch };
}

export const preconditionFailed = () =>
  new S3Error('PreconditionFailed', 'The object does not meet the condition of the request.');

const isListed = (list: string, etag: string) =>
  list.trim() === '*' || list.split(',').some((one) => toEtag(one) === etag);

/** Some clients omit the quotes. */
export function toEtag(text: string): string {
  const trimmed = text.trim();
  const strong = trimmed.startsWith('W/') ? trimmed.slice(2) : trimmed;
  return strong.length >= 2 && strong.startsWith('"') && strong.endsWith('"') ? strong.slice(1, -1) : strong;
}

/** Undefined if there is no valid time to compare with. */
function isAfter(object: State, date: string | undefined): boolean | undefined {
  if (date === undefined) return undefined;
  const time = Date.parse(date);
  if (Number.isNaN(time)) return undefined;
  return toSeconds(object.updatedAt) > time;
}

/** HTTP dates have no fractions of seconds. */
const toSeconds = (date: Date) => Math.floor(date.getTime() / 1_000) * 1_000;
