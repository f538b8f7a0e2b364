/** Requests by an authorized client for invalid things: odd paths, odd XML, excessive sizes. */
import { COMPLETE, OTHERS, pathOf, send, type TenantRequest, type TenantWorld } from './hostile-tenants.ts';
import { addHeader, presignRequest, withHeader } from './s3-requests.ts';

const GIB = 1024 ** 3;

const get = (path: string) => (world: TenantWorld) => send(world, { method: 'GET', path });
const put =
  (headers: Record<string, string | undefined>, query = '') =>
  (world: TenantWorld) =>
    send(world, {
      method: 'PUT',
      path: pathOf(world, `${world.own}object`),
      query,
      headers,
      body: 'changed',
    });
const copy = (source: string) => put({ 'x-amz-copy-source': source });

const PATHS: readonly TenantRequest[] = [
  ['..', 'InvalidURI', get('/drydock/orgs/1/workspaces/1/../2/secret')],
  ['.. twice', 'InvalidURI', get('/drydock/orgs/1/workspaces/1/../../../../system/secret')],
  ['.. out of the bucket', 'InvalidURI', get('/drydock/../drydock/system/secret')],
  ['.. before the bucket', 'NoSuchBucket', get('/../drydock/system/secret')],
  ['.. at the end', 'InvalidURI', get('/drydock/orgs/1/workspaces/1/..')],
  ['a single dot', 'InvalidURI', get('/drydock/orgs/1/workspaces/1/./object')],
  ['escaped dots', 'InvalidURI', get('/drydock/orgs/1/workspaces/1/%2e%2e/2/secret')],
  ['one escaped dot', 'InvalidURI', get('/drydock/orgs/1/workspaces/1/.%2E/2/secret')],
  ['an escaped slash behind dots', 'InvalidURI', get('/drydock/orgs/1/workspaces/1/..%2F2%2Fsecret')],
  ['a backslash', 'NoSuchKey', get('/drydock/orgs/1/workspaces/1/..%5C2%5Csecret')],
  ['dots that are escaped twice', 'NoSuchKey', get('/drydock/orgs/1/workspaces/1/%252e%252e/2/secret')],
  ['escaped slashes only', 'AccessDenied', get('/drydock/orgs%2F1%2Fworkspaces%2F2%2Fsecret')],
  ['an escaped slash behind the bucket', 'AccessDenied', get('/drydock%2Fsystem%2Fsecret')],
  ['overlong dots', 'InvalidURI', get('/drydock/orgs/1/workspaces/1/%c0%ae%c0%ae/2/secret')],
  ['overlong slash', 'InvalidURI', get('/drydock/orgs/1/workspaces/1%c0%af..')],
  ['bytes that are no text', 'InvalidURI', get('/drydock/orgs/1/workspaces/1/%ff')],
  ['half a surrogate pair', 'InvalidURI', get('/drydock/orgs/1/workspaces/1/%ed%a0%80')],
  ['a NUL', 'InvalidArgument', get('/drydock/orgs/1/workspaces/1/object%00.txt')],
  ['a slash more at the front', 'InvalidURI', get('//drydock/orgs/1/workspaces/1/object')],
  ['a slash more behind the bucket', 'AccessDenied', get('/drydock//orgs/1/workspaces/1/object')],
  ['capitals', 'AccessDenied', get('/drydock/Orgs/1/workspaces/1/object')],
  ['a bucket in capitals', 'NoSuchBucket', get('/Drydock/orgs/1/workspaces/1/object')],
  ['a wildcard', 'AccessDenied', get('/drydock/orgs/*/workspaces/1/object')],
  ['a key that is too long', 'KeyTooLongError', get(`/drydock/orgs/1/workspaces/1/${'x'.repeat(1_100)}`)],
  ['a version', 'InvalidArgument', put({}, 'uploadId=x&uploads')],
];

const COPIES: readonly TenantRequest[] = [
  ['from ..', 'InvalidURI', copy('drydock/orgs/1/workspaces/1/../2/secret')],
  ['from escaped dots', 'InvalidURI', copy('drydock/orgs/1/workspaces/1/%2e%2e/2/secret')],
  ['from escaped slashes', 'AccessDenied', copy('drydock/orgs%2F1%2Fworkspaces%2F2%2Fsecret')],
  ['from bad escapes', 'InvalidURI', copy('drydock/orgs/1/workspaces/1/%zz')],
  ['from a NUL', 'InvalidArgument', copy('drydock/orgs/1/workspaces/1/%00')],
  ['from nothing', 'InvalidArgument', copy('/')],
  ['from a bucket', 'InvalidArgument', copy('drydock')],
  [
    'from a key that looks like two sources',
    'NoSuchKey',
    copy('drydock/orgs/1/workspaces/1/object, drydock/system/secret'),
  ],
  ['from another version', 'InvalidArgument', copy('drydock/orgs/1/workspaces/1/object?versionId=1')],
  [
    'from a source in the query that is not ours',
    'AccessDenied',
    put({}, `x-amz-copy-source=${encodeURIComponent(`drydock/${OTHERS['the server']}secret`)}`),
  ],
  [
    'from a source in a header and in the query',
    'InvalidArgument',
    put(
      { 'x-amz-copy-source': 'drydock/orgs/1/workspaces/1/object' },
      'x-amz-copy-source=drydock%2Fsystem%2Fsecret',
    ),
  ],
];

const part =
  (query: string, headers: Record<string, string | undefined> = {}) =>
  (world: TenantWorld) =>
    send(world, {
      method: 'PUT',
      path: pathOf(world, `${world.own}upload`),
      query: `${query}&uploadId=${world.ownUpload}`,
      headers,
      body: 'changed',
    });

const SIZES: readonly TenantRequest[] = [
  ['a body of five gibibytes and one', 'EntityTooLarge', put({ 'content-length': String(5 * GIB + 1) })],
  ['a body of a petabyte', 'EntityTooLarge', put({ 'content-length': '999999999999999' })],
  ['a length beyond numbers', 'BadRequest', put({ 'content-length': '9'.repeat(40) })],
  ['a length that is none', 'BadRequest', put({ 'content-length': '0x10' })],
  [
    'a body in chunks of HTTP',
    'MissingContentLength',
    (world) => ({
      ...put({ 'content-length': undefined, 'transfer-encoding': 'chunked' })(world),
      body: Buffer.from('7\r\nchanged\r\n0\r\n\r\n'),
    }),
  ],
  [
    'a length and chunks of HTTP',
    'BadRequest',
    (world) => ({
      ...put({ 'content-length': '5', 'transfer-encoding': 'chunked' })(world),
      body: Buffer.from('0\r\n\r\n'),
    }),
  ],
  ['a second length', 'BadRequest', (world) => addHeader(put({})(world), 'content-length', '3')],
  [
    'a part of five gibibytes and one',
    'EntityTooLarge',
    part('partNumber=2', { 'content-length': String(5 * GIB + 1) }),
  ],
  ['part nought', 'InvalidArgument', part('partNumber=0')],
  ['part ten thousand and one', 'InvalidArgument', part('partNumber=10001')],
  ['part minus one', 'InvalidArgument', part('partNumber=-1')],
  ['a part without a number', 'InvalidArgument', part('x=1')],
  ['a part with two numbers', 'InvalidArgument', part('partNumber=1&partNumber=2')],
  ['metadata of three kilobytes', 'MetadataTooLarge', put({ 'x-amz-meta-a': 'x'.repeat(3_000) })],
  [
    'headers of thirty kilobytes',
    'RequestHeaderSectionTooLarge',
    (world) => withHeader(put({})(world), 'x-filler', 'x'.repeat(30_000)),
  ],
  [
    'more keys than there are',
    'InvalidArgument',
    (world) =>
      send(world, {
        method: 'GET',
        path: '/drydock',
        query: `max-keys=99999999999&prefix=${encodeURIComponent(world.own)}`,
      }),
  ],
];

const deletes = (body: string) => (world: TenantWorld) =>
  send(world, { method: 'POST', path: '/drydock', query: 'delete', body });
const completes = (body: string) => (world: TenantWorld) =>
  send(world, {
    method: 'POST',
    path: pathOf(world, `${world.own}upload`),
    query: `uploadId=${world.ownUpload}`,
    body,
  });
const LAUGHS = `<!DOCTYPE lolz [<!ENTITY l0 "lol">${Array.from(
  { length: 9 },
  (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`,
).join('')}]>`;

const XML: readonly TenantRequest[] = [
  ['a billion laughs', 'MalformedXML', deletes(`${LAUGHS}<Delete><Object><Key>&l9;</Key></Object></Delete>`)],
  [
    'a billion laughs in a completion',
    'MalformedXML',
    completes(`${LAUGHS}${COMPLETE.replace('>x<', '>&l9;<')}`),
  ],
  [
    'a file of the server',
    'MalformedXML',
    deletes(
      '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><Delete><Object><Key>&x;</Key></Object></Delete>',
    ),
  ],
  [
    'a document from elsewhere',
    'MalformedXML',
    deletes('<!DOCTYPE d SYSTEM "http://127.0.0.1/d.dtd"><Delete><Object><Key>a</Key></Object></Delete>'),
  ],
  ['depth', 'MalformedXML', deletes('<Delete><Object>'.repeat(50_000))],
  ['a tag without end', 'MalformedXML', deletes(`<Delete${' xmlns="a"'.repeat(50_000)}`)],
  ['no XML', 'MalformedXML', deletes('{"Delete":[]}')],
  ['nothing', 'MalformedXML', deletes('')],
  ['two documents', 'MalformedXML', completes(COMPLETE + COMPLETE)],
  ['nine megabytes', 'MaxMessageLengthExceeded', deletes(' '.repeat(9 * 1024 * 1024))],
  ['five megabytes of parts', 'MaxMessageLengthExceeded', completes(' '.repeat(5 * 1024 * 1024))],
  [
    'a thousand and one keys',
    'MalformedXML',
    deletes(`<Delete>${'<Object><Key>a</Key></Object>'.repeat(1_001)}</Delete>`),
  ],
  ['parts that were never put', 'InvalidPart', completes(COMPLETE.replace('>1<', '>7<'))],
  ['a part with another etag', 'InvalidPart', completes(COMPLETE)],
  [
    'parts out of order',
    'InvalidPartOrder',
    completes(COMPLETE.replace(/(<Part>.*<\/Part>)/, (one) => one.replace('>1<', '>2<') + one)),
  ],
  [
    'a body that was not signed',
    'XAmzContentSHA256Mismatch',
    (world) => ({ ...deletes('<Delete/>')(world), body: Buffer.from('<delete/>') }),
  ],
];

const FEATURES: readonly TenantRequest[] = [
  ['an object for everyone', 'NotImplemented', put({ 'x-amz-acl': 'public-read' })],
  ['an object for everyone, in the query', 'NotImplemented', put({}, 'x-amz-acl=public-read')],
  ['an object for someone', 'NotImplemented', put({ 'x-amz-grant-read': 'uri=everyone' })],
  [
    'a key of the customer',
    'NotImplemented',
    put({ 'x-amz-server-side-encryption-customer-algorithm': 'AES256' }),
  ],
  ['a redirection', 'NotImplemented', put({ 'x-amz-website-redirect-location': 'http://evil' })],
  ['a lock', 'NotImplemented', put({ 'x-amz-object-lock-mode': 'COMPLIANCE' })],
  ['a change of the access list', 'NotImplemented', put({}, 'acl')],
  ['a change of the tags', 'NotImplemented', put({}, 'tagging')],
  ['a condition that is not known', 'NotImplemented', put({ 'if-none-match': '"x"' })],
  ['conditions that exclude each other', 'NotImplemented', put({ 'if-match': '"x"', 'if-none-match': '*' })],
  ['a form', 'MethodNotAllowed', (world) => send(world, { method: 'POST', path: '/drydock', body: 'key=x' })],
  ['two sub-resources', 'InvalidArgument', put({}, 'acl&uploads')],
  [
    'a link with a header in two ways',
    'AccessDenied',
    (world) =>
      addHeader(
        presignRequest({
          method: 'PUT',
          host: world.host,
          region: 'us-east-1',
          bucket: world.bucket,
          key: `${world.own}object`,
          credentials: world.writer,
          expiresInSeconds: 900,
          query: { 'x-amz-meta-a': '1' },
        }),
        'x-amz-meta-a',
        '2',
      ),
  ],
];

const named = (what: string, requests: readonly TenantRequest[]) =>
  requests.map(([name, code, build]): TenantRequest => [`${what}: ${name}`, code, build]);

export const HOSTILE_OPERATIONS: readonly TenantRequest[] = [
  ...named('path', PATHS),
  ...named('copy', COPIES),
  ...named('size', SIZES),
  ...named('XML', XML),
  ...named('feature', FEATURES),
];
