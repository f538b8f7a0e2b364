/** Selects the operation of a request by its method, its target and the sub-resource in its query. */

import { S3Error } from '../s3-error.ts';
import type { Target } from './request-target.ts';

export type OperationName =
  | 'AbortMultipartUpload'
  | 'CompleteMultipartUpload'
  | 'CopyObject'
  | 'CreateBucket'
  | 'CreateMultipartUpload'
  | 'DeleteBucket'
  | 'DeleteObject'
  | 'DeleteObjects'
  | 'GetBucketAcl'
  | 'GetBucketConfiguration'
  | 'GetBucketCors'
  | 'GetBucketLocation'
  | 'GetObject'
  | 'GetObjectAcl'
  | 'GetObjectTagging'
  | 'HeadBucket'
  | 'HeadObject'
  | 'ListBuckets'
  | 'ListMultipartUploads'
  | 'ListObjects'
  | 'ListObjectsV2'
  | 'ListParts'
  | 'PutObject'
  | 'UploadPart'
  | 'UploadPartCopy';

type ByMethod = Readonly<Record<string, OperationName>>;

/** Routes by sub-resource; the empty one is the bucket or object itself. */
type Routes = ReadonlyMap<string, ByMethod>;

/** Features of S3 that are not supported. */
const NOT_HERE: ByMethod = {};

/** Bucket configurations, which are always empty: they can be read but not changed. */
const CONFIGURATIONS = [
  'accelerate',
  'encryption',
  'lifecycle',
  'logging',
  'notification',
  'object-lock',
  'ownershipControls',
  'policy',
  'policyStatus',
  'publicAccessBlock',
  'replication',
  'requestPayment',
  'tagging',
  'versioning',
  'website',
];

const SERVICE: ByMethod = { GET: 'ListBuckets' };

const BUCKET: Routes = new Map<string, ByMethod>([
  ['', { GET: 'ListObjects', HEAD: 'HeadBucket', PUT: 'CreateBucket', DELETE: 'DeleteBucket' }],
  ['list-type', { GET: 'ListObjectsV2' }],
  ['location', { GET: 'GetBucketLocation' }],
  ['uploads', { GET: 'ListMultipartUploads' }],
  ['delete', { POST: 'DeleteObjects' }],
  ['acl', { GET: 'GetBucketAcl' }],
  ['cors', { GET: 'GetBucketCors' }],
  ...CONFIGURATIONS.map((name) => [name, { GET: 'GetBucketConfiguration' }] as const),
  ...['analytics', 'intelligent-tiering', 'inventory', 'metrics', 'session', 'versions'].map(
    (name) => [name, NOT_HERE] as const,
  ),
]);

const OBJECT: Routes = new Map<string, ByMethod>([
  ['', { GET: 'GetObject', HEAD: 'HeadObject', PUT: 'PutObject', DELETE: 'DeleteObject' }],
  ['uploads', { POST: 'CreateMultipartUpload' }],
  [
    'uploadId',
    {
      GET: 'ListParts',
      PUT: 'UploadPart',
      POST: 'CompleteMultipartUpload',
      DELETE: 'AbortMultipartUpload',
    },
  ],
  ['acl', { GET: 'GetObjectAcl' }],
  ['tagging', { GET: 'GetObjectTagging' }],
  ...['attributes', 'legal-hold', 'renameObject', 'restore', 'retention', 'select', 'torrent'].map(
    (name) => [name, NOT_HERE] as const,
  ),
]);

interface RoutedRequest {
  readonly method: string;
  readonly target: Target;
  /** Whether the request is a copy, which a header decides. */
  readonly isCopy: boolean;
}

export function getOperation({ method, target, isCopy }: RoutedRequest): OperationName {
  if (target.bucket === undefined) {
    const name = SERVICE[method];
    if (name === undefined) throw methodNotAllowed();
    return name;
  }
  const routes = target.key === undefined ? BUCKET : OBJECT;
  const subResource = getSubResource(routes, target.query);
  const byMethod = routes.get(subResource) ?? NOT_HERE;
  const name = byMethod[method];
  if (name === undefined) throw subResource === '' ? methodNotAllowed() : notImplemented();
  if (name === 'PutObject' && target.query.has('partNumber'))
    throw new S3Error('InvalidArgument', 'A part needs the upload that it belongs to: send uploadId.', {
      ArgumentName: 'uploadId',
    });
  if (name === 'PutObject' && isCopy) return 'CopyObject';
  if (name === 'UploadPart' && isCopy) return 'UploadPartCopy';
  return name;
}

function getSubResource(routes: Routes, query: ReadonlyMap<string, string>): string {
  let found = '';
  for (const name of query.keys()) {
    if (name === '' || !routes.has(name)) continue;
    if (found !== '')
      throw new S3Error('InvalidArgument', `The query names two sub-resources: ${found} and ${name}.`);
    found = name;
  }
  return found;
}

const methodNotAllowed = () => new S3Error('MethodNotAllowed', 'This method is not supported here.');
const notImplemented = () => new S3Error('NotImplemented', 'This feature is not supported.');
