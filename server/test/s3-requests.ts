/** Builds S3 requests byte by byte: correctly signed, so that one thing can then be broken. */
import { hash } from 'node:crypto';
import {
  parseQuery,
  toCanonicalQuery,
  toCanonicalText,
  toHeaderValues,
  toSignedHeaders,
} from '../src/platform/object-storage/sigv4/canonical-request.ts';
import { type PresignRequest, presignUrl } from '../src/platform/object-storage/sigv4/presign.ts';
import {
  sign,
  signingKeyFor,
  toAmzDate,
  toScopeText,
  toStringToSign,
} from '../src/platform/object-storage/sigv4/signature.ts';
import { canonicaliseUriPath } from '../src/platform/object-storage/sigv4/uri-encoding.ts';

export interface RawRequest {
  readonly method: string;
  readonly rawPath: string;
  readonly rawQuery: string;
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export interface RequestCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface RequestToSign {
  readonly method?: string;
  readonly host: string;
  readonly path: string;
  readonly query?: string;
  /** Headers besides those of every request; undefined removes one of those. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Buffer;
  readonly credentials: RequestCredentials;
  readonly region?: string;
  readonly service?: string;
  readonly signedAtMilliseconds?: number;
  /** Date in the credential scope, if it differs from that of the request. */
  readonly scopeDate?: string;
  /** Names of headers that the signature omits. */
  readonly unsigned?: readonly string[];
}

/** The signed request, from which the signatures of chunks are derived. */
export interface SignedRequest extends RawRequest {
  readonly signature: string;
  /** Signs a text for this request: a chunk or its trailers. */
  signNext(kind: 'PAYLOAD' | 'TRAILER', before: string, rest: string): string;
}

export const sha256 = (content: string | Buffer) => hash('sha256', content, 'hex');

export function signRequest(request: RequestToSign): SignedRequest {
  const { method = 'PUT', host, path, query = '', credentials, unsigned = [] } = request;
  const body = Buffer.from(request.body ?? '');
  const amzDate = toAmzDate(request.signedAtMilliseconds ?? Date.now());
  const scope = {
    date: request.scopeDate ?? amzDate.slice(0, 8),
    region: request.region ?? 'us-east-1',
    service: request.service ?? 's3',
  };
  const headers = Object.entries({
    host,
    'content-length': String(body.length),
    'x-amz-date': amzDate,
    'x-amz-content-sha256': sha256(body),
    ...(credentials.sessionToken !== undefined && { 'x-amz-security-token': credentials.sessionToken }),
    ...request.headers,
  }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const values = toHeaderValues(headers.flat());
  const signed = [...values]
    .filter(([name]) => !unsigned.includes(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const canonicalText = toCanonicalText({
    method,
    path: canonicaliseUriPath(path) ?? path,
    query: toCanonicalQuery(parseQuery(query) ?? []),
    headers: signed,
    payloadHash: values.get('x-amz-content-sha256') ?? sha256(body),
  });
  const key = signingKeyFor(credentials.secretAccessKey, scope);
  const signature = sign(key, toStringToSign(amzDate, scope, canonicalText));
  const credential = `${credentials.accessKeyId}/${toScopeText(scope)}`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${toSignedHeaders(signed)}, Signature=${signature}`;
  return {
    method,
    rawPath: path,
    rawQuery: query,
    rawHeaders: [...headers.flat(), 'authorization', authorization],
    body,
    signature,
    signNext: (kind, before, rest) =>
      sign(key, `AWS4-HMAC-SHA256-${kind}\n${amzDate}\n${toScopeText(scope)}\n${before}\n${rest}`),
  };
}

export function presignRequest(
  request: Omit<PresignRequest, 'endpoint'> & { readonly host: string },
): RawRequest {
  const url = presignUrl({ ...request, endpoint: `http://${request.host}` });
  const [target = '', rawQuery = ''] = url.split('?');
  return {
    method: request.method,
    rawPath: target.slice(`http://${request.host}`.length),
    rawQuery,
    rawHeaders: ['host', request.host],
    body: Buffer.alloc(0),
  };
}

export interface ChunkedContent {
  /** One entry per chunk; the empty one at the end is added. */
  readonly chunks: readonly string[];
  readonly isSigned: boolean;
  readonly trailer?: readonly [name: string, value: string];
}

/** Signs a request whose body is sent in chunks, with the requested signatures and trailer. */
export function signChunked(
  request: RequestToSign,
  { chunks, isSigned, trailer }: ChunkedContent,
): RawRequest {
  const kind = isSigned ? 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD' : 'STREAMING-UNSIGNED-PAYLOAD';
  const signed = signRequest({
    ...request,
    headers: {
      'content-encoding': 'aws-chunked',
      'x-amz-decoded-content-length': String(Buffer.byteLength(chunks.join(''))),
      'x-amz-content-sha256': trailer || !isSigned ? `${kind}-TRAILER` : kind,
      ...(trailer && { 'x-amz-trailer': trailer[0] }),
      // Known only after the chunks are signed, and not signed itself.
      'content-length': undefined,
      ...request.headers,
    },
  });
  let before = signed.signature;
  const parts = [...chunks, ''].map((chunk) => {
    const size = Buffer.byteLength(chunk).toString(16);
    if (!isSigned) return chunk === '' ? `${size}\r\n` : `${size}\r\n${chunk}\r\n`;
    before = signed.signNext('PAYLOAD', before, `${sha256('')}\n${sha256(chunk)}`);
    return `${size};chunk-signature=${before}\r\n${chunk === '' ? '' : `${chunk}\r\n`}`;
  });
  if (trailer) parts.push(`${trailer.join(':')}\r\n`);
  if (trailer && isSigned) {
    const signature = signed.signNext('TRAILER', before, sha256(`${trailer.join(':')}\n`));
    parts.push(`x-amz-trailer-signature:${signature}\r\n`);
  }
  return withBody(signed, `${parts.join('')}\r\n`);
}

/** Replaces the body and its length. */
export function withBody(request: RawRequest, body: string): RawRequest {
  const bytes = Buffer.from(body);
  return { ...withHeader(request, 'content-length', String(bytes.length)), body: bytes };
}

export const editBody = (request: RawRequest, edit: (body: string) => string): RawRequest =>
  withBody(request, edit(request.body.toString()));

/** Replaces the header; undefined removes it. */
export function withHeader(request: RawRequest, name: string, value: string | undefined): RawRequest {
  const kept = toPairs(request.rawHeaders).filter(([other]) => other !== name);
  return { ...request, rawHeaders: [...kept.flat(), ...(value === undefined ? [] : [name, value])] };
}

/** Adds a header beside existing ones of that name. */
export const addHeader = (request: RawRequest, name: string, value: string): RawRequest => ({
  ...request,
  rawHeaders: [...request.rawHeaders, name, value],
});

export const editHeader = (
  request: RawRequest,
  name: string,
  edit: (value: string) => string,
): RawRequest => ({
  ...request,
  rawHeaders: toPairs(request.rawHeaders).flatMap(([other, value]) => [
    other,
    other === name ? edit(value) : value,
  ]),
});

export const editQuery = (request: RawRequest, edit: (query: string) => string): RawRequest => ({
  ...request,
  rawQuery: edit(request.rawQuery),
});

const toPairs = (rawHeaders: readonly string[]) =>
  rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : [],
  );
