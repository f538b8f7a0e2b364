/** Modified, expired and foreign presigned links and sessions. */
import { type HostileRequest, type HostileWorld, presigned, put } from './hostile-world.ts';
import { addHeader, editQuery, type RequestCredentials, withHeader } from './s3-requests.ts';

const MINUTES = 60_000;

const query = (edit: (value: string) => string) => (world: HostileWorld) => editQuery(presigned(world), edit);
const parameter = (name: string, value: string) =>
  query((text) => text.replace(new RegExp(`${name}=[^&]*`), `${name}=${value}`));
const flip = (text: string) =>
  text.replace(/(Signature=)(.)/, (_all, start, first) => `${start}${first === 'a' ? 'b' : 'a'}`);

export const HOSTILE_SESSIONS: readonly HostileRequest[] = [
  [
    'a session without its token',
    'InvalidAccessKeyId',
    (w) => put(w, { credentials: withToken(w.session, undefined) }),
  ],
  ['a session that is over', 'ExpiredToken', (w) => put(w, { credentials: w.expiredSession })],
  [
    "another session's token",
    'InvalidToken',
    (w) => put(w, { credentials: withToken(w.session, w.otherSession.sessionToken) }),
  ],
  [
    "another server's token",
    'InvalidToken',
    (w) => put(w, { credentials: withToken(w.session, w.foreignToken) }),
  ],
  [
    'a changed token',
    'InvalidToken',
    (w) => put(w, { credentials: withToken(w.session, `A${w.session.sessionToken?.slice(1)}`) }),
  ],
  [
    'a cut token',
    'InvalidToken',
    (w) => put(w, { credentials: withToken(w.session, w.session.sessionToken?.slice(0, -1)) }),
  ],
  ['an empty token', 'InvalidToken', (w) => put(w, { credentials: withToken(w.session, '') })],
  ['a token of dots', 'InvalidToken', (w) => put(w, { credentials: withToken(w.session, '..') })],
  [
    'a token of six thousand letters',
    'InvalidToken',
    (w) => put(w, { credentials: withToken(w.session, 'A'.repeat(6000)) }),
  ],
  [
    'two tokens',
    'InvalidToken',
    (w) => addHeader(put(w), 'x-amz-security-token', w.session.sessionToken ?? ''),
  ],
  [
    'a token with a key that has none',
    'InvalidToken',
    (w) => put(w, { credentials: withToken(w.account, w.session.sessionToken) }),
  ],
  ['a token that is not signed', 'AccessDenied', (w) => put(w, { unsigned: ['x-amz-security-token'] })],
  [
    'a session that is over, in a link',
    'ExpiredToken',
    (w) => presigned(w, { credentials: w.expiredSession }),
  ],
  ["another session's token in a link", 'InvalidToken', parameter('X-Amz-Security-Token', 'abc.def')],
  [
    'a link without its token',
    'InvalidAccessKeyId',
    query((q) => q.replace(/&X-Amz-Security-Token=[^&]*/, '')),
  ],
  [
    'a token put into a link that has none',
    'InvalidToken',
    (w) =>
      editQuery(
        presigned(w, { credentials: w.account }),
        (q) => `${q}&X-Amz-Security-Token=${w.session.sessionToken}`,
      ),
  ],
];

const REQUIRED = ['Algorithm', 'Credential', 'Date', 'Expires', 'SignedHeaders', 'Signature'];

export const HOSTILE_LINKS: readonly HostileRequest[] = [
  ...REQUIRED.map(
    (name): HostileRequest => [
      `a link without X-Amz-${name}`,
      'AuthorizationQueryParametersError',
      query((q) => q.replace(new RegExp(`(^|&)X-Amz-${name}=[^&]*`), '')),
    ],
  ),
  ...REQUIRED.map(
    (name): HostileRequest => [
      `a link with X-Amz-${name} twice`,
      'AuthorizationQueryParametersError',
      query((q) => `${q}&${new RegExp(`X-Amz-${name}=[^&]*`).exec(q)?.[0]}`),
    ],
  ),
  [
    'a link of version 2',
    'InvalidRequest',
    (w) => ({ ...presigned(w), rawQuery: 'AWSAccessKeyId=A&Expires=9999999999&Signature=abc' }),
  ],
  ['a link of both versions', 'InvalidArgument', query((q) => `${q}&Signature=abc`)],
  [
    'a link with another algorithm',
    'AuthorizationQueryParametersError',
    parameter('X-Amz-Algorithm', 'AWS4-HMAC-SHA1'),
  ],
  [
    'a link that has expired',
    'AccessDenied',
    (w) => presigned(w, { signedAtMilliseconds: Date.now() - 16 * MINUTES }),
  ],
  [
    'a link from the future',
    'AccessDenied',
    (w) => presigned(w, { signedAtMilliseconds: Date.now() + 16 * MINUTES }),
  ],
  ['a link for no time', 'AuthorizationQueryParametersError', parameter('X-Amz-Expires', '0')],
  ['a link for less than no time', 'AuthorizationQueryParametersError', parameter('X-Amz-Expires', '-1')],
  ['a link for more than a week', 'AuthorizationQueryParametersError', parameter('X-Amz-Expires', '604801')],
  ['a link for a while', 'AuthorizationQueryParametersError', parameter('X-Amz-Expires', '1e3')],
  ['a prolonged link', 'SignatureDoesNotMatch', parameter('X-Amz-Expires', '901')],
  ['a link with a changed signature', 'SignatureDoesNotMatch', query(flip)],
  [
    'a link to another key',
    'SignatureDoesNotMatch',
    (w) => ({ ...presigned(w), rawPath: `/${w.bucket}/${w.key}2` }),
  ],
  ['a link to read, used to delete', 'SignatureDoesNotMatch', (w) => ({ ...presigned(w), method: 'DELETE' })],
  [
    'a link with a type put in',
    'SignatureDoesNotMatch',
    query((q) => `${q}&response-content-type=text%2Fhtml`),
  ],
  [
    'a link with a name in small letters',
    'AuthorizationQueryParametersError',
    query((q) => q.replace('X-Amz-Date', 'x-amz-date')),
  ],
  [
    'a link at another host',
    'SignatureDoesNotMatch',
    (w) => withHeader(presigned(w), 'host', 'elsewhere.example.com'),
  ],
  ['a link with a header put in', 'AccessDenied', (w) => addHeader(presigned(w), 'x-amz-meta-a', '1')],
  [
    'a link with a copy source put in',
    'AccessDenied',
    (w) => addHeader(presigned(w, { method: 'PUT' }), 'x-amz-copy-source', '/drydock/secret'),
  ],
  ['a link that signs no host', 'AccessDenied', parameter('X-Amz-SignedHeaders', 'x-forwarded-host')],
  [
    'a link for another region',
    'AuthorizationQueryParametersError',
    (w) => presigned(w, { region: 'eu-west-1' }),
  ],
  [
    'a link for another service',
    'AuthorizationQueryParametersError',
    query((q) => q.replace('%2Fs3%2F', '%2Fsts%2F')),
  ],
  [
    "a link with another day's scope",
    'AuthorizationQueryParametersError',
    query((q) => q.replace(/%2F\d{8}%2F/, '%2F20130524%2F')),
  ],
  [
    'a link with a date that is none',
    'AuthorizationQueryParametersError',
    parameter('X-Amz-Date', '20261301T000000Z'),
  ],
  ['a link with a credential that is not text', 'InvalidURI', parameter('X-Amz-Credential', '%FF%FE')],
];

function withToken({ accessKeyId, secretAccessKey }: RequestCredentials, sessionToken: string | undefined) {
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
}
