/** Reads what a request claims about its signature, from the Authorization header or from the query. */
import type { QueryPair } from '../../platform/object-storage/sigv4/canonical-request.ts';
import {
  ALGORITHM,
  type CredentialScope,
  findMilliseconds,
  MAX_PRESIGNED_SECONDS,
  toAmzDate,
} from '../../platform/object-storage/sigv4/signature.ts';
import { S3Error } from './s3-error.ts';

export interface Claim {
  readonly accessKeyId: string;
  readonly sessionToken: string | undefined;
  readonly scope: CredentialScope;
  readonly amzDate: string;
  readonly signedAtMilliseconds: number;
  /** Only of a presigned URL. */
  readonly expiresInSeconds: number | undefined;
  /** In lower case. */
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** As sent; undefined where nothing is said of the content. */
  readonly contentSha256: string | undefined;
}

/** Where a request is expected to be signed for. */
export interface Place {
  readonly region: string;
  readonly service: 's3' | 'sts';
}

export interface ReadHead {
  /** Encoded, as the query. */
  readonly path: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly query: readonly QueryPair[];
  /** How many Authorization headers there are. */
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
const OPTIONAL_NAMES = new Set<QueryName>(['X-Amz-Security-Token', 'X-Amz-Content-Sha256']);

/** Version 2 names its key and its signature so. */
const VERSION_2_NAMES = new Set(['AWSAccessKeyId', 'Signature']);

export function readClaim(head: ReadHead, place: Place): Claim {
  const isPresigned = head.query.some(
    ([name]) => name === 'X-Amz-Algorithm' || name === 'X-Amz-Credential' || name === 'X-Amz-Signature',
  );
  const isVersion2 = head.query.some(([name]) => VERSION_2_NAMES.has(name));
  if (head.authorizations + Number(isPresigned) + Number(isVersion2) > 1)
    throw new S3Error(
      'InvalidArgument',
      'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified',
      { ArgumentName: 'Authorization' },
    );
  if (isVersion2) throw unsupportedMechanism();
  if (isPresigned) return readQuery(head, place);
  if (head.authorizations === 0) throw new S3Error('AccessDenied', 'Access Denied');
  return readHeader(head, place);
}

function readHeader({ headers }: ReadHead, place: Place): Claim {
  const fields = readFields(headers.get('authorization') ?? '');
  const signedHeaders = fields.signedHeaders.split(';');
  const amzDate = readDate(headers, signedHeaders);
  const malformed = (text: string, details?: Record<string, string>) =>
    new S3Error('AuthorizationHeaderMalformed', `The authorization header is malformed; ${text}`, details);
  return {
    ...readCredential(fields.credential, place, amzDate, malformed),
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
    throw new S3Error('InvalidArgument', 'Unsupported Authorization Type', {
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
      'The authorization header is malformed; it must name Credential, SignedHeaders and Signature, each once.',
    );
  const fields = new Map(pairs as [string, string][]);
  return {
    credential: fields.get('Credential') ?? '',
    signedHeaders: fields.get('SignedHeaders') ?? '',
    signature: fields.get('Signature') ?? '',
  };
}

/** What clients take that were told of no region. */
const ASSUMED_REGION = 'us-east-1';

/** `x-amz-date`, or else `Date`, which must be signed then. */
function readDate(headers: ReadonlyMap<string, string>, signedHeaders: readonly string[]): string {
  const amzDate = headers.get('x-amz-date');
  if (amzDate !== undefined && findMilliseconds(amzDate) !== undefined) return amzDate;
  const date = headers.get('date');
  const parsed = amzDate === undefined && date !== undefined ? parseDate(date) : undefined;
  if (parsed === undefined || !signedHeaders.includes('date'))
    throw new S3Error('AccessDenied', 'AWS authentication requires a valid Date or x-amz-date header');
  return toAmzDate(parsed);
}

function parseDate(text: string): number | undefined {
  const milliseconds = findMilliseconds(text) ?? Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}

const queryError = (text: string, details?: Record<string, string>) =>
  new S3Error('AuthorizationQueryParametersError', text, details);

function readQuery({ headers, query }: ReadHead, place: Place): Claim {
  const values = readQueryValues(query);
  const get = (name: QueryName) => values.get(name) ?? '';
  if (get('X-Amz-Algorithm') !== ALGORITHM) throw queryError(`X-Amz-Algorithm only supports "${ALGORITHM}"`);
  const signedAtMilliseconds = findMilliseconds(get('X-Amz-Date'));
  if (signedAtMilliseconds === undefined)
    throw queryError(`X-Amz-Date must be in the ISO8601 Long Format "yyyyMMdd'T'HHmmss'Z'"`);
  const amzDate = get('X-Amz-Date');
  const malformed = (text: string, details?: Record<string, string>) =>
    queryError(`Error parsing the X-Amz-Credential parameter; ${text}`, details);
  return {
    ...readCredential(get('X-Amz-Credential'), place, amzDate, malformed),
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
    if (values.has(known)) throw queryError(`The ${known} parameter is given more than once`);
    values.set(known, decode(value));
  }
  if (QUERY_NAMES.some((name) => !values.get(name) && !OPTIONAL_NAMES.has(name)))
    throw queryError(
      'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.',
    );
  return values;
}

function decode(value: string): string {
  if (!value.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    throw new S3Error('InvalidURI', "Couldn't parse the specified URI.");
  }
}

function readExpires(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw queryError('X-Amz-Expires should be a number');
  const seconds = Number(text);
  if (seconds < 1) throw queryError('X-Amz-Expires must be at least 1 second');
  if (seconds > MAX_PRESIGNED_SECONDS)
    throw queryError(
      `X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be at most ${MAX_PRESIGNED_SECONDS} seconds`,
    );
  return seconds;
}

type Malformed = (text: string, details?: Record<string, string>) => S3Error;

function readCredential(text: string, place: Place, amzDate: string, malformed: Malformed) {
  const [accessKeyId = '', date = '', region = '', service = '', terminator, ...rest] = text.split('/');
  if (!accessKeyId || terminator !== 'aws4_request' || rest.length > 0)
    throw malformed('the Credential must be <access key>/YYYYMMDD/region/service/aws4_request.');
  if (region !== place.region && region !== ASSUMED_REGION)
    throw malformed(`the region '${region}' is wrong; expecting '${place.region}'`, { Region: place.region });
  if (service !== place.service)
    throw malformed(`incorrect service "${service}". This endpoint belongs to "${place.service}".`);
  if (date !== amzDate.slice(0, 8))
    throw malformed(
      `Invalid credential date "${date}". This date is not the same as X-Amz-Date: "${amzDate.slice(0, 8)}".`,
    );
  return { accessKeyId, scope: { date, region, service } };
}

const unsupportedMechanism = () =>
  new S3Error(
    'InvalidRequest',
    `The authorization mechanism you have provided is not supported. Please use ${ALGORITHM}.`,
  );
