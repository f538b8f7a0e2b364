/** Requests with an invalid signature, or a valid one that covers too little. */
import { type HostileRequest, type HostileWorld, presigned, put } from './hostile-world.ts';
import { addHeader, editHeader, withHeader } from './s3-requests.ts';

const MINUTES = 60_000;

const authorize = (edit: (value: string) => string) => (world: HostileWorld) =>
  editHeader(put(world), 'authorization', edit);
const flip = (text: string) =>
  text.replace(/(Signature=.*)(.)$/, (_all, start, last) => `${start}${last === 'a' ? 'b' : 'a'}`);

export const HOSTILE_SIGNATURES: readonly HostileRequest[] = [
  ['no authentication', 'AccessDenied', (w) => withHeader(put(w), 'authorization', undefined)],
  ['an empty Authorization', 'InvalidArgument', authorize(() => '')],
  ['a Bearer token', 'InvalidArgument', authorize(() => 'Bearer abc')],
  ['signature version 2', 'InvalidRequest', authorize(() => 'AWS AKIAIOSFODNN7EXAMPLE:frJIUN8DYpKDtOLCwo=')],
  ['an asymmetric signature', 'InvalidRequest', authorize((v) => v.replace('HMAC', 'ECDSA-P256'))],
  ['no Signature', 'AuthorizationHeaderMalformed', authorize((v) => v.replace(/, Signature=.*/, ''))],
  [
    'an empty Signature',
    'AuthorizationHeaderMalformed',
    authorize((v) => v.replace(/Signature=.*/, 'Signature=')),
  ],
  [
    'two Credentials',
    'AuthorizationHeaderMalformed',
    authorize((v) => v.replace(/ (Credential=\S+)/, ' $1 $1')),
  ],
  ['a field too many', 'AuthorizationHeaderMalformed', authorize((v) => `${v}, Extra=1`)],
  ['two Authorizations', 'InvalidArgument', (w) => addHeader(put(w), 'authorization', 'Bearer abc')],
  [
    'a header and a presigned query',
    'InvalidArgument',
    (w) => ({ ...put(w), rawQuery: presigned(w).rawQuery }),
  ],
  ['a changed signature', 'SignatureDoesNotMatch', authorize(flip)],
  ['a cut signature', 'SignatureDoesNotMatch', authorize((v) => v.slice(0, -2))],
  [
    'a signature in capitals',
    'SignatureDoesNotMatch',
    authorize((v) => v.replace(/[\da-f]{64}$/, (s) => s.toUpperCase())),
  ],
  [
    'an unknown key',
    'InvalidAccessKeyId',
    (w) => put(w, { credentials: { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'x' } }),
  ],
  [
    'a wrong secret',
    'SignatureDoesNotMatch',
    (w) => put(w, { credentials: { ...w.session, secretAccessKey: 'x' } }),
  ],
  ['another method', 'SignatureDoesNotMatch', (w) => ({ ...put(w, { method: 'GET' }), method: 'DELETE' })],
  ['another key', 'SignatureDoesNotMatch', (w) => ({ ...put(w), rawPath: `/${w.bucket}/${w.key}2` })],
  ['a slash more', 'SignatureDoesNotMatch', (w) => ({ ...put(w), rawPath: `//${w.bucket}/${w.key}` })],
  [
    'a dot segment that a normaliser would take away',
    'SignatureDoesNotMatch',
    (w) => ({ ...put(w), rawPath: `/${w.bucket}/./${w.key}` }),
  ],
  ['a query more', 'SignatureDoesNotMatch', (w) => ({ ...put(w), rawQuery: 'tagging' })],
  ['another host', 'SignatureDoesNotMatch', (w) => withHeader(put(w), 'host', 'elsewhere.example.com')],
  [
    'another value of a signed header',
    'SignatureDoesNotMatch',
    (w) => withHeader(put(w, { headers: { 'x-amz-meta-a': '1' } }), 'x-amz-meta-a', '2'),
  ],
  [
    'a second value of a signed header',
    'SignatureDoesNotMatch',
    (w) => addHeader(put(w, { headers: { 'x-amz-meta-a': '1' } }), 'x-amz-meta-a', '2'),
  ],
  [
    'a signed header taken away',
    'SignatureDoesNotMatch',
    (w) => withHeader(put(w, { headers: { 'if-none-match': '*' } }), 'if-none-match', undefined),
  ],
  ['another region', 'AuthorizationHeaderMalformed', (w) => put(w, { region: 'eu-west-1' })],
  ['another service', 'AuthorizationHeaderMalformed', (w) => put(w, { service: 'sts' })],
  ["another day's scope", 'AuthorizationHeaderMalformed', (w) => put(w, { scopeDate: '20130524' })],
  [
    'another end of the scope',
    'AuthorizationHeaderMalformed',
    authorize((v) => v.replace('aws4_request', 'aws4_requests')),
  ],
  ['a short scope', 'AuthorizationHeaderMalformed', authorize((v) => v.replace('/us-east-1', ''))],
  [
    'no key in the scope',
    'AuthorizationHeaderMalformed',
    authorize((v) => v.replace(/Credential=[^/]*/, 'Credential=')),
  ],
  [
    'a clock that is slow',
    'RequestTimeTooSkewed',
    (w) => put(w, { signedAtMilliseconds: Date.now() - 16 * MINUTES }),
  ],
  [
    'a clock that is fast',
    'RequestTimeTooSkewed',
    (w) => put(w, { signedAtMilliseconds: Date.now() + 16 * MINUTES }),
  ],
  ['no date', 'AccessDenied', (w) => withHeader(put(w), 'x-amz-date', undefined)],
  ['a date that is none', 'AccessDenied', (w) => withHeader(put(w), 'x-amz-date', 'yesterday')],
  ['a day that is none', 'AccessDenied', (w) => withHeader(put(w), 'x-amz-date', '20260230T000000Z')],
  ['two dates', 'AccessDenied', (w) => addHeader(put(w), 'x-amz-date', '20130524T000000Z')],
  [
    'a Date that is not signed',
    'AccessDenied',
    (w) => addHeader(withHeader(put(w), 'x-amz-date', undefined), 'date', new Date().toUTCString()),
  ],
  ['an x-amz-date that is not signed', 'AccessDenied', (w) => put(w, { unsigned: ['x-amz-date'] })],
  ['a host that is not signed', 'AccessDenied', (w) => put(w, { unsigned: ['host'] })],
  [
    'a content hash that is not signed',
    'AccessDenied',
    (w) => put(w, { unsigned: ['x-amz-content-sha256'] }),
  ],
  [
    'a copy source put in on the way',
    'AccessDenied',
    (w) => addHeader(put(w), 'x-amz-copy-source', '/drydock/secret'),
  ],
  ['metadata put in on the way', 'AccessDenied', (w) => addHeader(put(w), 'X-Amz-Meta-Role', 'admin')],
  ['signed headers in capitals', 'AccessDenied', authorize((v) => v.replace('host;', 'Host;'))],
  ['no content hash', 'InvalidRequest', (w) => put(w, { headers: { 'x-amz-content-sha256': undefined } })],
  [
    'a content hash that is none',
    'InvalidArgument',
    (w) => put(w, { headers: { 'x-amz-content-sha256': 'abc' } }),
  ],
  [
    'a content hash in capitals',
    'InvalidArgument',
    (w) => put(w, { headers: { 'x-amz-content-sha256': 'A'.repeat(64) } }),
  ],
  [
    'chunks that are signed asymmetrically',
    'InvalidArgument',
    (w) => put(w, { headers: { 'x-amz-content-sha256': 'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD' } }),
  ],
  ['a path that is not encoded rightly', 'InvalidURI', (w) => put(w, { path: `/${w.bucket}/${w.key}%zz` })],
  ['a path that ends in a percent sign', 'InvalidURI', (w) => put(w, { path: `/${w.bucket}/${w.key}%` })],
  ['a query that is not encoded rightly', 'InvalidURI', (w) => put(w, { query: 'prefix=%g0' })],
];
