/** Operations on the only bucket, and on buckets that do not exist. */
import { accessDenied, type Exchange } from '../http/exchange.ts';
import { type S3Code, S3Error } from '../s3-error.ts';
import { element, textElement, xmlDocument } from '../xml/xml.ts';
import { noSuchKey } from './get-object.ts';
import { ownerElement } from './list-objects.ts';

/** The creation time of the bucket is irrelevant, but some clients require one. */
const CREATED_AT = '2020-01-01T00:00:00.000Z';

export async function listBuckets({ bucket, reply }: Exchange): Promise<void> {
  const names = [textElement('Name', bucket), textElement('CreationDate', CREATED_AT)];
  reply.sendXml(
    xmlDocument('ListAllMyBucketsResult', [
      ownerElement('Owner'),
      element('Buckets', [element('Bucket', names)]),
    ]),
  );
}

export async function headBucket({ region, reply }: Exchange): Promise<void> {
  reply.send(200, { 'x-amz-bucket-region': region });
}

/** The first AWS region is represented by an empty name. */
export async function getBucketLocation({ region, reply }: Exchange): Promise<void> {
  reply.sendXml(xmlDocument('LocationConstraint', region === 'us-east-1' ? [] : [region]));
}

export async function createBucket(): Promise<void> {
  throw new S3Error('BucketAlreadyOwnedByYou', 'The bucket exists already.');
}

export async function deleteBucket(): Promise<void> {
  throw accessDenied();
}

/** Every bucket and object has the access list that S3 calls private. */
export async function getBucketAcl({ reply }: Exchange): Promise<void> {
  reply.sendXml(
    xmlDocument('AccessControlPolicy', [
      ownerElement('Owner'),
      element('AccessControlList', [element('Grant', [GRANTEE, textElement('Permission', 'FULL_CONTROL')])]),
    ]),
  );
}

const GRANTEE =
  '<Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser">' +
  '<ID>drydock</ID><DisplayName>drydock</DisplayName></Grantee>';

export async function getObjectAcl(exchange: Exchange): Promise<void> {
  await requireObject(exchange);
  await getBucketAcl(exchange);
}

/** There are no tags, but clients that copy an object in parts request them. */
export async function getObjectTagging(exchange: Exchange): Promise<void> {
  await requireObject(exchange);
  exchange.reply.sendXml(xmlDocument('Tagging', [element('TagSet', [])]));
}

async function requireObject({ store, key }: Exchange): Promise<void> {
  if (!(await store.index.find(key))) throw noSuchKey(key);
}

/** Names come from outside, so a Map is used: an object has inherited properties. */
function toMap<T>(byName: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  return new Map(Object.entries(byName));
}

const EMPTY: ReadonlyMap<string, string> = toMap({
  accelerate: xmlDocument('AccelerateConfiguration', []),
  logging: xmlDocument('BucketLoggingStatus', []),
  notification: xmlDocument('NotificationConfiguration', []),
  requestPayment: xmlDocument('RequestPaymentConfiguration', [textElement('Payer', 'BucketOwner')]),
  versioning: xmlDocument('VersioningConfiguration', []),
});

const ABSENT: ReadonlyMap<string, readonly [S3Code, string]> = toMap({
  cors: ['NoSuchCORSConfiguration', 'The bucket has no rules for other origins.'],
  encryption: ['ServerSideEncryptionConfigurationNotFoundError', 'The bucket does not encrypt by itself.'],
  lifecycle: ['NoSuchLifecycleConfiguration', 'The bucket has no rules for the life of objects.'],
  'object-lock': ['ObjectLockConfigurationNotFoundError', 'The bucket locks no objects.'],
  ownershipControls: ['OwnershipControlsNotFoundError', 'The bucket has no rules of ownership.'],
  policy: ['NoSuchBucketPolicy', 'The bucket has no policy.'],
  policyStatus: ['NoSuchBucketPolicy', 'The bucket has no policy.'],
  publicAccessBlock: [
    'NoSuchPublicAccessBlockConfiguration',
    'The bucket has no rules for access by everyone.',
  ],
  replication: ['ReplicationConfigurationNotFoundError', 'The bucket is not replicated.'],
  tagging: ['NoSuchTagSet', 'The bucket has no tags.'],
  website: ['NoSuchWebsiteConfiguration', 'The bucket is not a website.'],
});

/** Nothing can be configured: returns what S3 returns if nothing has been. */
export async function getBucketConfiguration({ query, reply }: Exchange): Promise<void> {
  for (const name of query.keys()) {
    const empty = EMPTY.get(name);
    if (empty !== undefined) return reply.sendXml(empty);
    const absent = ABSENT.get(name);
    if (absent) throw new S3Error(...absent);
  }
  throw new S3Error('NotImplemented', 'This feature is not supported.');
}
