/** Headers that describe an object: those that a client may store with it, and those with which it is served. */
import type { IncomingHttpHeaders } from 'node:http';
import type {
  Checksum,
  Description,
  ServedHeaders,
  StoredObject,
} from '../../../platform/object-storage/embedded/stored-object.ts';
import { toStoredContentEncoding } from '../payload/payload.ts';
import { S3Error } from '../s3-error.ts';

export type ResponseHeaders = Record<string, string | number>;

const META = 'x-amz-meta-';
const MAX_METADATA_BYTES = 2_048;
const DEFAULT_CONTENT_TYPE = 'binary/octet-stream';

const SERVED = [
  'content-type',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'expires',
] as const satisfies readonly (keyof ServedHeaders)[];

/** Headers of unsupported features. Ignoring them would break what they promise. */
const NOT_IMPLEMENTED =
  /^x-amz-(?:grant-|server-side-encryption|copy-source-server-side-encryption|object-lock-|website-redirect-location$|write-offset-bytes$|expected-bucket-owner$|source-expected-bucket-owner$|bypass-governance-retention$|mfa$)/;
const PRIVATE_ACLS = new Set(['private', 'bucket-owner-full-control']);

export function refuseForeignFeatures(headers: IncomingHttpHeaders): void {
  for (const name in headers) {
    if (!name.startsWith('x-amz-')) continue;
    const isForeign =
      NOT_IMPLEMENTED.test(name) ||
      (name === 'x-amz-acl' && !PRIVATE_ACLS.has(String(headers[name]))) ||
      (name === 'x-amz-tagging' && headers[name] !== '');
    if (isForeign)
      throw new S3Error('NotImplemented', `The header ${name} is not supported; leave it out.`, {
        Header: name,
      });
  }
  const storageClass = headers['x-amz-storage-class'];
  if (storageClass !== undefined && storageClass !== 'STANDARD')
    throw new S3Error('InvalidStorageClass', 'The only storage class is STANDARD.');
}

export function toDescription(headers: IncomingHttpHeaders): Description {
  const served = SERVED.flatMap((name) => {
    const value = name === 'content-encoding' ? toStoredContentEncoding(headers[name]) : headers[name];
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  const metadata = Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith(META) && name.length > META.length
      ? [[name.slice(META.length), String(value)] as const]
      : [],
  );
  // Header strings have one character per byte.
  const size = metadata.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (size > MAX_METADATA_BYTES)
    throw new S3Error(
      'MetadataTooLarge',
      `Metadata may have ${MAX_METADATA_BYTES} bytes at most, names and values together.`,
      {
        Size: String(size),
        MaxSizeAllowed: String(MAX_METADATA_BYTES),
      },
    );
  return { headers: Object.fromEntries(served), metadata: Object.fromEntries(metadata) };
}

/** @param overrides header values that the caller requested through `response-*` */
export function toObjectHeaders(object: StoredObject, overrides?: ServedHeaders): ResponseHeaders {
  const { headers, metadata, etag, updatedAt } = object;
  const responseHeaders: ResponseHeaders = {
    'accept-ranges': 'bytes',
    'last-modified': updatedAt.toUTCString(),
    etag: `"${etag}"`,
    'content-type': DEFAULT_CONTENT_TYPE,
  };
  for (const name of SERVED) {
    const value = overrides?.[name] ?? headers[name];
    if (value !== undefined) responseHeaders[name] = toHeaderValue(value);
  }
  responseHeaders['content-disposition'] = toAttachment(
    overrides?.['content-disposition'] ?? headers['content-disposition'],
  );
  for (const name in metadata) responseHeaders[META + name] = toHeaderValue(metadata[name] ?? '');
  return responseHeaders;
}

/** User content is never displayed in our origin: it is always a download, under the given name. */
function toAttachment(disposition: string | undefined): string {
  if (disposition === undefined) return 'attachment';
  const semicolon = disposition.indexOf(';');
  if (semicolon === -1) return 'attachment';
  return toHeaderValue(`attachment${disposition.slice(semicolon)}`);
}

/** Reads `response-content-type` and similar parameters, which only signed requests may use. */
export function toOverrides(query: ReadonlyMap<string, string>): ServedHeaders | undefined {
  if (query.size === 0) return undefined;
  const given = SERVED.flatMap((name) => {
    const value = query.get(`response-${name}`);
    if (value === undefined || value === '') return [];
    if (!isHeaderValue(value))
      throw new S3Error('InvalidArgument', 'A header cannot contain this value.', {
        ArgumentName: `response-${name}`,
      });
    return [[name, value] as const];
  });
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
export const isHeaderValue = (text: string) => HEADER_VALUE.test(text);

/** Metadata stored by the server itself may exceed what a header can contain: it is encoded as S3 does. */
const toHeaderValue = (text: string) =>
  isHeaderValue(text) ? text : `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`;

export const toChecksumHeaders = (checksum: Checksum | undefined): ResponseHeaders =>
  checksum === undefined
    ? {}
    : {
        [`x-amz-checksum-${checksum.algorithm.toLowerCase()}`]: checksum.value,
        'x-amz-checksum-type': checksum.type,
      };
