/** Validly signed requests for objects of another tenant, with every operation. */
import type { S3Code } from '../src/storage/gateway/s3-error.ts';
import {
  presignRequest,
  type RawRequest,
  type RequestCredentials,
  type RequestToSign,
  sha256,
  signRequest,
} from './s3-requests.ts';

/** The calling client, and objects that belong to other tenants. */
export interface TenantWorld {
  readonly host: string;
  readonly bucket: string;
  /** May do everything under `own`, and nothing else. */
  readonly writer: RequestCredentials;
  /** May read and list under `own`. */
  readonly reader: RequestCredentials;
  readonly own: string;
  /** An upload of `<own>upload`, with one part. */
  readonly ownUpload: string;
  /** For each other prefix, its upload of `<prefix>upload`, with one part. */
  readonly uploads: ReadonlyMap<string, string>;
}

export type TenantRequest = readonly [name: string, code: S3Code, build: (world: TenantWorld) => RawRequest];

export const OWN = 'orgs/1/workspaces/1/';
/** Each of these prefixes holds `secret`. */
export const OTHERS = {
  'another workspace': 'orgs/1/workspaces/2/',
  'a workspace whose id begins alike': 'orgs/1/workspaces/11/',
  'another organization': 'orgs/2/workspaces/1/',
  'the server': 'system/',
} as const;

/** Escaped as far as necessary. */
export const pathOf = ({ bucket }: TenantWorld, key: string) => `/${bucket}/${encodeURI(key)}`;

export const send = (
  world: TenantWorld,
  request: Omit<RequestToSign, 'host' | 'credentials'>,
  credentials = world.writer,
) => signRequest({ host: world.host, credentials, ...request });

export const COMPLETE =
  '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>x</ETag></Part></CompleteMultipartUpload>';

type Verb = readonly [name: string, build: (world: TenantWorld, prefix: string) => RawRequest];

const onKey =
  (method: string, query = '', headers: Record<string, string> = {}, body = ''): Verb[1] =>
  (world, prefix) =>
    send(world, { method, path: pathOf(world, `${prefix}secret`), query, headers, body });

/** Operations on an existing upload with its own key. */
const onUpload =
  (method: string, query: string, body = '', headers: Record<string, string> = {}): Verb[1] =>
  (world, prefix) =>
    send(world, {
      method,
      path: pathOf(world, `${prefix}upload`),
      query: `${query}uploadId=${world.uploads.get(prefix)}`,
      body,
      headers,
    });

const onList =
  (query: string, toPrefix = (prefix: string) => prefix): Verb[1] =>
  (world, prefix) =>
    send(world, {
      method: 'GET',
      path: `/${world.bucket}`,
      query: `${query}prefix=${encodeURIComponent(toPrefix(prefix))}`,
    });

const byLink =
  (method: 'GET' | 'HEAD' | 'PUT' | 'DELETE'): Verb[1] =>
  ({ host, bucket, writer }, prefix) =>
    presignRequest({
      method,
      host,
      region: 'us-east-1',
      bucket,
      key: `${prefix}secret`,
      credentials: writer,
      expiresInSeconds: 900,
    });

const VERBS: readonly Verb[] = [
  ['get', onKey('GET')],
  ['get of a range', onKey('GET', '', { range: 'bytes=0-1' })],
  ['get under a condition', onKey('GET', '', { 'if-none-match': '*' })],
  ['get of a part', onKey('GET', 'partNumber=1')],
  ['head', onKey('HEAD')],
  ['access list', onKey('GET', 'acl')],
  ['tags', onKey('GET', 'tagging')],
  ['put', onKey('PUT', '', {}, 'mine now')],
  ['put of what is new', onKey('PUT', '', { 'if-none-match': '*' }, 'mine now')],
  ['delete', onKey('DELETE')],
  [
    'copy from',
    (world, prefix) =>
      send(world, {
        method: 'PUT',
        path: pathOf(world, `${world.own}stolen`),
        headers: { 'x-amz-copy-source': `${world.bucket}/${prefix}secret` },
      }),
  ],
  [
    'copy from, with slashes escaped',
    (world, prefix) =>
      send(world, {
        method: 'PUT',
        path: pathOf(world, `${world.own}stolen`),
        headers: {
          'x-amz-copy-source': encodeURIComponent(`/${world.bucket}/${prefix}secret`),
        },
      }),
  ],
  [
    'copy to',
    (world, prefix) =>
      send(world, {
        method: 'PUT',
        path: pathOf(world, `${prefix}secret`),
        headers: { 'x-amz-copy-source': `${world.bucket}/${world.own}object` },
      }),
  ],
  [
    'copy of it onto itself',
    (world, prefix) =>
      send(world, {
        method: 'PUT',
        path: pathOf(world, `${prefix}secret`),
        headers: {
          'x-amz-copy-source': `${world.bucket}/${prefix}secret`,
          'x-amz-metadata-directive': 'REPLACE',
        },
      }),
  ],
  ['list', onList('')],
  ['list of version 2', onList('list-type=2&')],
  ['list with half the prefix', onList('list-type=2&', (prefix) => prefix.slice(0, -1))],
  ['list with a longer prefix', onList('list-type=2&', (prefix) => `${prefix}sec`)],
  ['list up to a delimiter', onList('list-type=2&delimiter=%2F&')],
  ['list of uploads', onList('uploads=&')],
  ['begin of an upload', onKey('POST', 'uploads')],
  ['part', onUpload('PUT', 'partNumber=2&', 'mine now')],
  [
    'part copied from',
    (world, prefix) =>
      send(world, {
        method: 'PUT',
        path: pathOf(world, `${world.own}upload`),
        query: `partNumber=2&uploadId=${world.ownUpload}`,
        headers: { 'x-amz-copy-source': `${world.bucket}/${prefix}secret` },
      }),
  ],
  [
    'part copied to',
    (world, prefix) =>
      onUpload('PUT', 'partNumber=2&', '', { 'x-amz-copy-source': `${world.bucket}/${world.own}object` })(
        world,
        prefix,
      ),
  ],
  ['parts', onUpload('GET', '')],
  ['completion', onUpload('POST', '', COMPLETE)],
  ['abort', onUpload('DELETE', '')],
  ['get by a link', byLink('GET')],
  ['head by a link', byLink('HEAD')],
  ['put by a link', byLink('PUT')],
  ['delete by a link', byLink('DELETE')],
];

/** Operations on another tenant's upload with a key of one's own prefix, which is writable. */
const withOwnKey =
  (method: string, query: string, body = '', headers: Record<string, string> = {}) =>
  (world: TenantWorld) =>
    send(world, {
      method,
      path: pathOf(world, `${world.own}upload`),
      query: `${query}uploadId=${world.uploads.get(OTHERS['another organization'])}`,
      body,
      headers,
    });

const list = (query: string) => (world: TenantWorld) =>
  send(world, { method: 'GET', path: `/${world.bucket}`, query });

const CONFIGURATIONS = ['acl', 'policy', 'tagging', 'lifecycle', 'encryption', 'versioning', 'logging'];

export const HOSTILE_TENANTS: readonly TenantRequest[] = [
  ...Object.entries(OTHERS).flatMap(([owner, prefix]) =>
    VERBS.map(
      ([name, build]): TenantRequest => [
        `${name} of ${owner}`,
        'AccessDenied',
        (world) => build(world, prefix),
      ],
    ),
  ),
  ["a part for another's upload", 'NoSuchUpload', withOwnKey('PUT', 'partNumber=1&', 'mine now')],
  [
    "a part copied into another's upload",
    'NoSuchUpload',
    withOwnKey('PUT', 'partNumber=1&', '', { 'x-amz-copy-source': `drydock/${OWN}object` }),
  ],
  ["completion of another's upload", 'NoSuchUpload', withOwnKey('POST', '', COMPLETE)],
  ["abort of another's upload", 'NoSuchUpload', withOwnKey('DELETE', '')],
  ["parts of another's upload", 'NoSuchUpload', withOwnKey('GET', '')],
  ['list of everything', 'AccessDenied', list('')],
  ['list of everything, version 2', 'AccessDenied', list('list-type=2')],
  ['list with an empty prefix', 'AccessDenied', list('list-type=2&prefix=')],
  ['list of the organization', 'AccessDenied', list('list-type=2&prefix=orgs%2F1%2F')],
  ['list of all organizations', 'AccessDenied', list('prefix=orgs%2F&delimiter=%2F')],
  [
    'list of the own prefix without its slash',
    'AccessDenied',
    list('list-type=2&prefix=orgs%2F1%2Fworkspaces%2F1'),
  ],
  ['list with a wildcard', 'AccessDenied', list('list-type=2&prefix=*')],
  ['list with two prefixes', 'InvalidArgument', list(`prefix=${encodeURIComponent(OWN)}&prefix=system%2F`)],
  ['list in capitals', 'AccessDenied', list('prefix=ORGS%2F1%2Fworkspaces%2F1%2F')],
  ['list of all uploads', 'AccessDenied', list('uploads')],
  ['list of buckets', 'AccessDenied', (world) => send(world, { method: 'GET', path: '/' })],
  ...CONFIGURATIONS.map((name): TenantRequest => [`the ${name} of the bucket`, 'AccessDenied', list(name)]),
  ['another bucket', 'NoSuchBucket', (world) => send(world, { method: 'GET', path: '/other/secret' })],
  ['a new bucket', 'AccessDenied', (world) => send(world, { method: 'PUT', path: '/other' })],
  [
    'the end of the bucket',
    'AccessDenied',
    (world) => send(world, { method: 'DELETE', path: `/${world.bucket}` }),
  ],
  [
    'copy from another bucket',
    'AccessDenied',
    (world) =>
      send(world, {
        method: 'PUT',
        path: pathOf(world, `${world.own}stolen`),
        headers: { 'x-amz-copy-source': 'other/secret' },
      }),
  ],
];

/** Operations that a read-only client must not perform, even where reading is allowed. */
const asReader =
  (method: string, name: string, query = '', body = '', headers: Record<string, string> = {}) =>
  (world: TenantWorld) =>
    send(world, { method, path: pathOf(world, world.own + name), query, body, headers }, world.reader);
const onOwnUpload =
  (method: string, query: string, body = '') =>
  (world: TenantWorld) =>
    asReader(method, 'upload', `${query}uploadId=${world.ownUpload}`, body)(world);

export const HOSTILE_READERS: readonly TenantRequest[] = [
  ['put', 'AccessDenied', asReader('PUT', 'object', '', 'changed')],
  ['put of what is new', 'AccessDenied', asReader('PUT', 'new', '', 'changed')],
  ['delete', 'AccessDenied', asReader('DELETE', 'object')],
  ['copy', 'AccessDenied', asReader('PUT', 'copy', '', '', { 'x-amz-copy-source': `drydock/${OWN}object` })],
  ['begin of an upload', 'AccessDenied', asReader('POST', 'object', 'uploads')],
  ['part', 'AccessDenied', onOwnUpload('PUT', 'partNumber=2&', 'changed')],
  ['completion', 'AccessDenied', onOwnUpload('POST', '', COMPLETE)],
  ['abort', 'AccessDenied', onOwnUpload('DELETE', '')],
  ['parts', 'AccessDenied', onOwnUpload('GET', '')],
  [
    'list of uploads',
    'AccessDenied',
    (world) =>
      send(
        world,
        {
          method: 'GET',
          path: `/${world.bucket}`,
          query: `uploads=&prefix=${encodeURIComponent(world.own)}`,
        },
        world.reader,
      ),
  ],
  [
    'put by a link',
    'AccessDenied',
    ({ host, bucket, own, reader }) =>
      presignRequest({
        method: 'PUT',
        host,
        region: 'us-east-1',
        bucket,
        key: `${own}object`,
        credentials: reader,
        expiresInSeconds: 900,
      }),
  ],
];

/** Deletes the named keys; the response reports each key. */
export const deleteAll = (world: TenantWorld, keys: readonly string[], credentials = world.writer) => {
  const body = `<Delete>${keys.map((key) => `<Object><Key>${key}</Key></Object>`).join('')}</Delete>`;
  return send(
    world,
    {
      method: 'POST',
      path: `/${world.bucket}`,
      query: 'delete',
      body,
      headers: { 'x-amz-content-sha256': sha256(body) },
    },
    credentials,
  );
};
