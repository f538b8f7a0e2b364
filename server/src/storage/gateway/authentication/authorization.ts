/** Parses the signature claims of a request, from the Authorization header or from the query. */
import type { QueryPair } from '../../../platform/object-storage/sigv4/canonical-request.ts';
import {
  ALGORITHM,
  type CredentialScope,
  findMilliseconds,
  MAX_PRESIGNED_SECONDS,
  toAmzDate,
} from '../../../platform/object-storage/sigv4/signature.ts';
import { S3Error } from '../s3-error.ts';

export interface Claim {
  readonly accessKeyId: string;
  readonly sessionToken: string | undefined;
  readonly scope: CredentialScope;
  readonly amzDate: string;
  readonly signedAtMilliseconds: number;
  /** Set for presigned URLs only. */
  readonly expiresInSeconds: number | undefined;
  /** Lower case. */
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** Value as sent; undefined if the request does not declare its content. */
  readonly contentSha256: string | undefined;
}

const SERVICE = 's3';

export interface ReadHead {
  /** Percent-encoded, like the query. */
  readonly path: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly query: readonly QueryPair[];
  /** Number of Authorization headers. */
  readonly authorizations: number;
}

const QUERY_NAMES = [
  'X-Amz-Algorithm',
  'X-Amz-Credential',
  'X-Amz-Date',
  'X-Amz-Expires',
  'X-Amz-SignedHeaders',
  'X-Amz-Signature',
  'X-Amz-Security-Token',
  'X-Amz-Content-Sha256',
] as const;
type QueryName = (typeof QUERY_NAMES)[number];
const REQUIRED_NAMES = QUERY_NAMES.slice(0, 6);

/** Names of the key and the signature in signature version 2. */
const VERSION_2_NAMES = new Set(['AWSAccessKeyId', 'Signature']);

export function readClaim(head: ReadHead, expectedRegion: string): Claim {
  const isPresigned = head.query.some(
    ([name]) => name === 'X-Amz-Algorithm' || name === 'X-Amz-Credential' || name === 'X-Amz-Signature',
  );
  const isVersion2 = head.query.some(([name]) => VERSION_2_NAMES.has(name));
  if (head.authorizations + Number(isPresigned) + Number(isVersion2) > 1)
    throw new S3Error(
      'InvalidArgument',
      'The request is signed more than once: sign it in the Authorization header or in the query.',
      { ArgumentName: 'Authorization' },
    );
  if (isVersion2) throw unsupportedMechanism();
  if (isPresigned) return readQuery(head, expectedRegion);
  if (head.authorizations === 0) throw new S3Error('AccessDenied', 'The request is not signed.');
  return readHeader(head, expectedRegion);
}

function readHeader({ headers }: ReadHead, expectedRegion: string): Claim {
  const fields = readFields(headers.get('authorization') ?? '');
  const signedHeaders = fields.signedHeaders.split(';');
  const amzDate = readDate(headers, signedHeaders);
  const malformed = (text: string, details?: Record<string, string>) =>
    new S3Error('AuthorizationHeaderMalformed', `The Authorization header is invalid: ${text}`, details);
  return {
    ...readCredential(fields.credential, expectedRegion, amzDate, malformed),
    amzDate,
    signedAtMilliseconds: findMilliseconds(amzDate) ?? 0,
    expiresInSeconds: undefined,
    sessionToken: headers.get('x-amz-security-token'),
    signedHeaders,
    signature: fields.signature,
    contentSha256: headers.get('x-amz-content-sha256'),
  };
}

const FIELDS = ['Credential', 'SignedHeaders', 'Signature'];

function readFields(authorization: string) {
  const [, mechanism = '', rest = ''] = /^(\S*)\s*(.*)$/.exec(authorization) ?? [];
  if (mechanism === 'AWS' || mechanism.startsWith('AWS4-ECDSA')) throw unsupportedMechanism();
  if (mechanism !== ALGORITHM)
    throw new S3Error('InvalidArgument', `Only ${ALGORITHM} is supported.`, {
      ArgumentName: 'Authorization',
      ArgumentValue: authorization,
    });
  const pairs = rest.split(',').map((text) => text.trim().split('='));
  const isGood =
    pairs.length === FIELDS.length &&
    pairs.every((pair) => pair.length === 2) &&
    FIELDS.every((name) => pairs.some((pair) => pair[0] === name && pair[1]));
  if (!isGood)
    throw new S3Error(
      'AuthorizationHeaderMalformed',
      'The Authorization header must name Credential, SignedHeaders and Signature, each once.',
    );
  const fields = new Map(pairs as [string, string][]);
  return {
    credential: fields.get('Credential') ?? '',
    signedHeaders: fields.get('SignedHeaders') ?? '',
    signature: fields.get('Signature') ?? '',
  };
}

/** The region that clients use when none is configured. */
const ASSUMED_REGION = 'us-east-1';

/** Returns `x-amz-date`, or else `Date`, which must be signed in that case. */
function readDate(headers: ReadonlyMap<string, string>, signedHeaders: readonly string[]): string {
  const amzDate = headers.get('x-amz-date');
  if (amzDate !== undefined && findMilliseconds(amzDate) !== undefined) return amzDate;
  const date = headers.get('date');
  const parsed = amzDate === undefined && date !== undefined ? parseDate(date) : undefined;
  if (parsed === undefined || !signedHeaders.includes('date'))
    throw new S3Error('AccessDenied', 'The request must be dated: send x-amz-date, or Date and sign it.');
  return toAmzDate(parsed);
}

function parseDate(text: string): number | undefined {
  const milliseconds = findMilliseconds(text) ?? Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}

const queryError = (text: string, details?: Record<string, string>) =>
  new S3Error('AuthorizationQueryParametersError', text, details);

function readQuery({ headers, query }: ReadHead, expectedRegion: string): Claim {
  const values = readQueryValues(query);
  const get = (name: QueryName) => values.get(name) ?? '';
  if (get('X-Amz-Algorithm') !== ALGORITHM) throw queryError(`X-Amz-Algorithm must be ${ALGORITHM}.`);
  const signedAtMilliseconds = findMilliseconds(get('X-Amz-Date'));
  if (signedAtMilliseconds === undefined) throw queryError('X-Amz-Date must be written as 20300131T235959Z.');
  const amzDate = get('X-Amz-Date');
  const malformed = (text: string, details?: Record<string, string>) =>
    queryError(`X-Amz-Credential cannot be used: ${text}`, details);
  return {
    ...readCredential(get('X-Amz-Credential'), expectedRegion, amzDate, malformed),
    amzDate,
    signedAtMilliseconds,
    expiresInSeconds: readExpires(get('X-Amz-Expires')),
    sessionToken: values.get('X-Amz-Security-Token') ?? headers.get('x-amz-security-token'),
    signedHeaders: get('X-Amz-SignedHeaders').split(';'),
    signature: get('X-Amz-Signature'),
    contentSha256: headers.get('x-amz-content-sha256') ?? values.get('X-Amz-Content-Sha256'),
  };
}

function readQueryValues(query: readonly QueryPair[]): Map<QueryName, string> {
  const values = new Map<QueryName, string>();
  for (const [name, value] of query) {
    const known = QUERY_NAMES.find((candidate) => candidate === name);
    if (!known) continue;
    if (values.has(known)) throw queryError(`${known} is given twice.`);
    values.set(known, decode(value));
  }
  if (REQUIRED_NAMES.some((name) => !values.get(name)))
    throw queryError(`A signed link has all of these: ${REQUIRED_NAMES.join(', ')}.`);
  return values;
}

function decode(value: string): string {
  if (!value.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    throw new S3Error('InvalidURI', 'The query is not encoded correctly.');
  }
}

function readExpires(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw queryError('X-Amz-Expires must be a number of seconds.');
  const seconds = Number(text);
  if (seconds < 1) throw queryError('A link must be good for a second at least.');
  if (seconds > MAX_PRESIGNED_SECONDS)
    throw queryError(`A link can be good for ${MAX_PRESIGNED_SECONDS} seconds at most.`);
  return seconds;
}

type Malformed = (text: string, details?: Record<string, string>) => S3Error;

function readCredential(text: string, expectedRegion: string, amzDate: string, malformed: Malformed) {
  const [accessKeyId = '', date = '', region = '', service = '', terminator, ...rest] = text.split('/');
  if (!accessKeyId || terminator !== 'aws4_request' || rest.length > 0)
    throw malformed('it must be written as <access key>/<day>/<region>/s3/aws4_request.');
  if (region !== expectedRegion && region !== ASSUMED_REGION)
    throw malformed(`it is for the region '${region}'; expecting '${expectedRegion}'`, {
      Region: expectedRegion,
    });
  if (service !== SERVICE) throw malformed(`it is for the service ${service}, and this is ${SERVICE}.`);
  if (date !== amzDate.slice(0, 8))
    throw malformed(`it is of ${date}, and the request of ${amzDate.slice(0, 8)}.`);
  return { accessKeyId, scope: { date, region, service } };
}

const unsupportedMechanism = () =>
  new S3Error('InvalidRequest', `Requests must be signed with ${ALGORITHM}.`);
