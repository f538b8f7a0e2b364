/** Presigned URLs: requests that anyone with the link can send for a while. */
import { type QueryPair, toCanonicalQuery, toCanonicalText } from './canonical-request.ts';
import {
  ALGORITHM,
  MAX_PRESIGNED_SECONDS,
  sign,
  signingKeyFor,
  toAmzDate,
  toScopeText,
  toStringToSign,
} from './signature.ts';
import { encodeUri, encodeUriPath } from './uri-encoding.ts';

export interface PresignRequest {
  readonly method: 'GET' | 'PUT' | 'HEAD' | 'DELETE';
  /** Path-style URL of the server: `http://localhost:9000`. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly key: string;
  readonly credentials: PresignCredentials;
  readonly expiresInSeconds: number;
  /** Parameters such as `response-content-type`. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** Headers that must be sent with these values, by lower-case names. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Defaults to the current time. */
  readonly signedAtMilliseconds?: number | undefined;
}

export interface PresignCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export function presignUrl(request: PresignRequest): string {
  const { credentials, expiresInSeconds, region, method } = request;
  if (!(expiresInSeconds >= 1 && expiresInSeconds <= MAX_PRESIGNED_SECONDS))
    throw new RangeError('a presigned URL is valid for a second at least and a week at most');
  const endpoint = new URL(request.endpoint);
  const amzDate = toAmzDate(request.signedAtMilliseconds ?? Date.now());
  const scope = { date: amzDate.slice(0, 8), region, service: 's3' };
  const path = `${endpoint.pathname.replace(/\/$/, '')}/${encodeUriPath(`${request.bucket}/${request.key}`)}`;
  const headers = Object.entries({ ...request.headers, host: endpoint.host }).toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const query = Object.entries({
    ...request.query,
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD',
    'X-Amz-Credential': `${credentials.accessKeyId}/${toScopeText(scope)}`,
    'X-Amz-Date': amzDate,
    'X-Amz-Expires': String(Math.floor(expiresInSeconds)),
    'X-Amz-SignedHeaders': headers.map(([name]) => name).join(';'),
    ...(credentials.sessionToken !== undefined && { 'X-Amz-Security-Token': credentials.sessionToken }),
  }).map(([name, value]): QueryPair => [encodeUri(name), encodeUri(value)]);
  const canonicalText = toCanonicalText({
    method,
    path,
    query: toCanonicalQuery(query),
    headers,
    payloadHash: 'UNSIGNED-PAYLOAD',
  });
  const signature = sign(
    signingKeyFor(credentials.secretAccessKey, scope),
    toStringToSign(amzDate, scope, canonicalText),
  );
  return `${endpoint.origin}${path}?${toCanonicalQuery([...query, ['X-Amz-Signature', signature]])}`;
}
