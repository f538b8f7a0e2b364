/** Lists of objects, and operations on the bucket. */
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  GetBucketAclCommand,
  GetBucketCorsCommand,
  GetBucketLocationCommand,
  GetBucketPolicyCommand,
  GetBucketVersioningCommand,
  HeadBucketCommand,
  ListBucketsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { BUCKET, failure, startTestGateway } from '../../../../test/gateways.ts';
import { codeOf } from '../../../../test/raw-http.ts';

const gateway = await startTestGateway();
const { ask } = gateway;
const s3 = gateway.client(gateway.root);
const session = gateway.issue({ prefix: 'orgs/1/workspaces/2/', access: 'write' });
const own = gateway.client(session);

const KEYS = ['a', 'a/1', 'a/2', 'b c/ü', 'b+c', 'd/e/f', 'd/g', 'x\u0001&<>"\r\n', '~'];
for (const key of KEYS)
  await gateway.store.putObject({ key, body: [Buffer.from(key)], headers: {}, metadata: {} });

const list = (more: Partial<ListObjectsV2CommandInput> = {}) =>
  s3.send(new ListObjectsV2Command({ Bucket: BUCKET, ...more }));
describe('ListObjectsV2', () => {
  test('a list is ordered by the bytes of the keys', async () => {
    const { Contents, KeyCount, IsTruncated, Name, MaxKeys } = await list();
    expect(Contents?.map(({ Key }) => Key)).toEqual(KEYS);
    expect({ KeyCount, IsTruncated, Name, MaxKeys }).toEqual({
      KeyCount: KEYS.length,
      IsTruncated: false,
      Name: BUCKET,
      MaxKeys: 1_000,
    });
    expect(Contents?.[0]).toMatchObject({ Size: 1, StorageClass: 'STANDARD' });
    expect(Contents?.[0]?.ETag).toBe('"0cc175b9c0f1b6a831c399e269772661"');
    expect(Contents?.[0]?.Owner).toBeUndefined();
    expect((await list({ FetchOwner: true })).Contents?.[0]?.Owner?.ID).toBe('drydock');
  });

  test('a list returns every key intact with encoding-type=url, including prefixes', async () => {
    const { Contents, CommonPrefixes, EncodingType } = await list({ EncodingType: 'url', Delimiter: '/' });
    const names = [
      ...(Contents ?? []).map(({ Key }) => Key),
      ...(CommonPrefixes ?? []).map(({ Prefix }) => Prefix),
    ];
    expect(EncodingType).toBe('url');
    expect(names).toEqual(['a', 'b%2Bc', 'x%01%26%3C%3E%22%0D%0A', '~', 'a/', 'b%20c/', 'd/']);
  });

  test.each([1, 2, 3, 5])(
    'a list in pages of %i is complete, with and without a delimiter',
    async (pageSize) => {
      for (const Delimiter of [undefined, '/']) {
        const names: string[] = [];
        for await (const page of paginateListObjectsV2(
          { client: s3, pageSize },
          { Bucket: BUCKET, Delimiter },
        )) {
          expect(page.KeyCount).toBeLessThanOrEqual(pageSize);
          names.push(...(page.Contents ?? []).map(({ Key = '' }) => Key));
          names.push(...(page.CommonPrefixes ?? []).map(({ Prefix = '' }) => Prefix));
        }
        expect(names.toSorted()).toEqual(
          Delimiter ? ['a', 'a/', 'b c/', 'b+c', 'd/', 'x\u0001&<>"\r\n', '~'].toSorted() : KEYS.toSorted(),
        );
      }
    },
  );

  test('a list starts after the given key', async () => {
    const { Contents, StartAfter } = await list({ StartAfter: 'b+c' });
    expect(Contents?.[0]?.Key).toBe('d/e/f');
    expect(StartAfter).toBe('b+c');
    expect((await list({ Prefix: 'd/', Delimiter: '/' })).CommonPrefixes).toEqual([{ Prefix: 'd/e/' }]);
  });

  test('a list without matches is empty', async () => {
    expect(await list({ MaxKeys: 0 })).toMatchObject({ KeyCount: 0, IsTruncated: false });
    expect((await list({ Prefix: 'nothing' })).Contents).toBeUndefined();
    expect((await list({ MaxKeys: 5_000 })).MaxKeys).toBe(1_000);
  });
});

test('ListObjects version 1 continues after a marker', async () => {
  const first = await s3.send(new ListObjectsCommand({ Bucket: BUCKET, MaxKeys: 2, Delimiter: '/' }));
  expect(first).toMatchObject({ IsTruncated: true, NextMarker: 'a/', Delimiter: '/', Marker: '' });
  expect(first.Contents?.[0]?.Owner?.ID).toBe('drydock');
  const next = await s3.send(
    new ListObjectsCommand({ Bucket: BUCKET, Delimiter: '/', Marker: first.NextMarker, EncodingType: 'url' }),
  );
  expect(next.Contents?.[0]?.Key).toBe('b%2Bc');
  expect(next.CommonPrefixes).toEqual([{ Prefix: 'b%20c/' }, { Prefix: 'd/' }]);
  expect(next).toMatchObject({ IsTruncated: false, Marker: 'a/' });
  const plain = await s3.send(new ListObjectsCommand({ Bucket: BUCKET, MaxKeys: 2 }));
  expect(plain.NextMarker).toBeUndefined();
});

test.each([
  'list-type=1',
  'list-type=2&max-keys=-1',
  'list-type=2&max-keys=x',
  'max-keys=9999999999',
  'list-type=2&encoding-type=base64',
  'list-type=2&continuation-token=',
  'list-type=2&continuation-token=%21',
  'list-type=2&continuation-token=AA',
  'list-type=2&continuation-token=_w',
  'prefix=a&prefix=b',
  'prefix=%00',
  'acl&policy',
])('a list with ?%s returns InvalidArgument', async (query) => {
  const response = await ask({ path: `/${BUCKET}`, query });
  expect([response.status, codeOf(response)]).toEqual([400, 'InvalidArgument']);
});

describe('bucket operations', () => {
  test('ListBuckets returns the bucket to unrestricted callers', async () => {
    const { Buckets } = await s3.send(new ListBucketsCommand({}));
    expect(Buckets?.map(({ Name }) => Name)).toEqual([BUCKET]);
    expect(await failure(own.send(new ListBucketsCommand({})))).toBe('AccessDenied');
  });

  test('HeadBucket succeeds for every caller', async () => {
    for (const client of [s3, own]) {
      expect((await client.send(new HeadBucketCommand({ Bucket: BUCKET }))).BucketRegion).toBe('us-east-1');
      await client.send(new GetBucketLocationCommand({ Bucket: BUCKET }));
      expect(await failure(client.send(new CreateBucketCommand({ Bucket: BUCKET })))).toBe(
        'BucketAlreadyOwnedByYou',
      );
      expect(await failure(client.send(new DeleteBucketCommand({ Bucket: BUCKET })))).toBe('AccessDenied');
    }
  });

  test('CreateBucket and HeadBucket fail for any other bucket', async () => {
    expect(await failure(s3.send(new CreateBucketCommand({ Bucket: 'other' })))).toBe('AccessDenied');
    expect(await failure(s3.send(new HeadBucketCommand({ Bucket: 'other' })))).toBe('NotFound');
    expect(await failure(s3.send(new ListObjectsV2Command({ Bucket: 'other' })))).toBe('NoSuchBucket');
  });

  test('the bucket has no configuration', async () => {
    const { Grants } = await s3.send(new GetBucketAclCommand({ Bucket: BUCKET }));
    expect(Grants?.[0]?.Grantee?.Type).toBe('CanonicalUser');
    expect((await s3.send(new GetBucketVersioningCommand({ Bucket: BUCKET }))).Status).toBeUndefined();
    expect(await failure(s3.send(new GetBucketPolicyCommand({ Bucket: BUCKET })))).toBe('NoSuchBucketPolicy');
    // Succeeds for restricted callers too, because some clients give up otherwise.
    for (const client of [s3, own]) {
      expect(await failure(client.send(new GetBucketCorsCommand({ Bucket: BUCKET })))).toBe(
        'NoSuchCORSConfiguration',
      );
    }
    expect(await failure(own.send(new GetBucketPolicyCommand({ Bucket: BUCKET })))).toBe('AccessDenied');
  });

  test.each([
    ['GET', 'versions'],
    ['GET', 'inventory'],
    ['PUT', 'policy'],
    ['PUT', 'versioning'],
    ['PUT', 'cors'],
    ['PUT', 'acl'],
    ['DELETE', 'policy'],
    ['POST', 'uploads'],
  ])('%s ?%s is not implemented', async (method, query) => {
    const response = await ask({ method, path: `/${BUCKET}`, query });
    expect([response.status, codeOf(response)]).toEqual([501, 'NotImplemented']);
  });

  test.each([
    ['POST', `/${BUCKET}`],
    ['POST', `/${BUCKET}/key`],
    ['POST', '/'],
    ['PUT', '/'],
    ['DELETE', '/'],
  ])('%s %s is not allowed', async (method, path) => {
    const response = await ask({ method, path });
    expect([response.status, codeOf(response)]).toEqual([405, 'MethodNotAllowed']);
  });
});
