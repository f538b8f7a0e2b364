/** Parses bucket, key and query from the raw request line, in one strict function. */
import { S3Error } from '../s3-error.ts';

/** The target exactly as sent, which is what was signed. */
export interface RawTarget {
  readonly rawPath: string;
  readonly rawQuery: string;
}

interface Place {
  readonly bucket: string | undefined;
  readonly key: string | undefined;
}

export interface Target extends Place {
  readonly query: ReadonlyMap<string, string>;
}

const MAX_KEY_BYTES = 1_024;
const PRINTABLE_ASCII = /^[\x21-\x7e]*$/;
/** Clients and proxies resolve dot segments differently, so the signed path could mean another object. */
const DOT_SEGMENT = /(?:^|\/)\.{1,2}(?:\/|$)/;

export function toRawTarget(url: string): RawTarget {
  if (!url.startsWith('/')) throw new S3Error('InvalidURI', 'The request line must contain a path.');
  const mark = url.indexOf('?');
  return mark === -1
    ? { rawPath: url, rawQuery: '' }
    : { rawPath: url.slice(0, mark), rawQuery: url.slice(mark + 1) };
}

export function toTarget({ rawPath, rawQuery }: RawTarget): Target {
  return { ...toPlace(rawPath.slice(1)), query: toQuery(rawQuery) };
}

/** @param rawPath percent-encoded, except possibly its slashes; without the leading slash */
export function toPlace(rawPath: string): Place {
  const path = decode(rawPath);
  const slash = path.indexOf('/');
  const bucket = slash === -1 ? path : path.slice(0, slash);
  const key = slash === -1 ? '' : path.slice(slash + 1);
  if (bucket === '' && key !== '') throw new S3Error('InvalidURI', 'The path has no bucket.');
  if (key !== '') checkKey(key);
  return { bucket: bucket === '' ? undefined : bucket, key: key === '' ? undefined : key };
}

/** Checks every incoming key, whether from a path, a header or a body. */
export function checkKey(key: string): void {
  // A UTF-16 code unit takes at most three bytes.
  if (key.length > MAX_KEY_BYTES / 3 && Buffer.byteLength(key) > MAX_KEY_BYTES)
    throw new S3Error('KeyTooLongError', `A key may have ${MAX_KEY_BYTES} bytes at most.`, {
      MaxSizeAllowed: String(MAX_KEY_BYTES),
    });
  if (DOT_SEGMENT.test(key))
    throw new S3Error('InvalidURI', 'A key must not have a segment that is "." or "..".');
  checkText(key);
}

/** Checks that the index can store the text. */
function checkText(text: string): void {
  if (text.includes('\0')) throw new S3Error('InvalidArgument', 'Text must not contain a NUL character.');
}

function toQuery(rawQuery: string): Map<string, string> {
  const query = new Map<string, string>();
  if (rawQuery === '') return query;
  for (const pair of rawQuery.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decodeValue(equals === -1 ? pair : pair.slice(0, equals));
    checkText(name);
    if (query.has(name)) throw new S3Error('InvalidArgument', 'A query parameter is given twice.');
    const value = equals === -1 ? '' : decodeValue(pair.slice(equals + 1));
    checkText(value);
    query.set(name, value);
  }
  return query;
}

const decodeValue = (text: string) => decode(text.includes('+') ? text.replaceAll('+', '%20') : text);

/** Decodes percent escapes, which must be valid UTF-8; characters that need escaping are refused. */
function decode(text: string): string {
  if (!PRINTABLE_ASCII.test(text))
    throw new S3Error('InvalidURI', 'The path and the query must be percent-encoded.');
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new S3Error('InvalidURI', 'The path or the query is not valid percent-encoded UTF-8.');
  }
}
