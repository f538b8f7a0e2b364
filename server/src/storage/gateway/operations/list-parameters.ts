/** Parameters that all lists share: the page size, and the encoding of keys. */
import { encodeUriPath } from '../../../platform/object-storage/sigv4/uri-encoding.ts';
import { S3Error } from '../s3-error.ts';

const MAX_INTEGER = 2_147_483_647;

/** @returns the requested number, limited to `max`, which is also the default */
export function toCount(query: ReadonlyMap<string, string>, name: string, max: number): number {
  return Math.min(toInteger(query, name) ?? max, max);
}

export function toInteger(query: ReadonlyMap<string, string>, name: string): number | undefined {
  const text = query.get(name);
  if (text === undefined || text === '') return undefined;
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number <= MAX_INTEGER))
    throw new S3Error('InvalidArgument', `${name} must be a whole number, ${MAX_INTEGER} at most.`, {
      ArgumentName: name,
    });
  return number;
}

/** Returns text unchanged, or URL-encoded so that every XML parser can read it; slashes are kept. */
export function toEncoder(query: ReadonlyMap<string, string>): (text: string) => string {
  const type = query.get('encoding-type');
  if (type === undefined) return (text) => text;
  if (type !== 'url')
    throw new S3Error('InvalidArgument', 'encoding-type can only be url.', {
      ArgumentName: 'encoding-type',
    });
  return encodeUriPath;
}
