/** Copies within the bucket, and deletions. */
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { BUCKET, failure, startTestGateway } from '../../../../test/gateways.ts';
import { encodeUriPath } from '../../../platform/object-storage/sigv4/uri-encoding.ts';

const gateway = await startTestGateway();
const s3 = gateway.client(gateway.root);
const at = (Key: string) => ({ Bucket: BUCKET, Key });

const put = (Key: string, Body: string, more = {}) =>
  s3.send(new PutObjectCommand({ ...at(Key), Body, ...more }));
const read = async (Key: string) => {
  const { Body } = await s3.send(new GetObjectCommand(at(Key)));
  return Body?.transformToString();
};

describe('copies of objects', () => {
  const copy = (Key: string, CopySource: string, more = {}) =>
    s3.send(new CopyObjectCommand({ ...at(Key), CopySource, ...more }));

  test('a copy has the content and metadata of its source, for any key', async () => {
    const key = 'from/ü+ %2F&?.txt';
    await put(key, 'content', { ContentType: 'text/x', Metadata: { a: 'b' }, ChecksumAlgorithm: 'SHA1' });
    for (const source of [
      `drydock/${encodeURIComponent(key)}`,
      encodeURIComponent(`drydock/${key}`),
      `/drydock/${encodeUriPath(key)}?versionId=null`,
    ]) {
      const { CopyObjectResult } = await copy('copied', source);
      expect(CopyObjectResult?.ChecksumSHA1).toBeDefined();
    }
    // Encoded as some clients do: characters that HTTP can transport are left as they are.
    const plain = Buffer.from(`drydock/${key.replace('%', '%25').replace('?', '%3F')}`).toString('latin1');
    const headers = { 'x-amz-copy-source': plain };
    expect((await gateway.ask({ method: 'PUT', path: '/drydock/copied', headers })).status).toBe(200);
    await gateway.store.index.delete([key]);
    expect(await read('copied')).toBe('content');
    const head = await s3.send(new HeadObjectCommand({ ...at('copied'), ChecksumMode: 'ENABLED' }));
    expect(head).toMatchObject({ ContentType: 'text/x', Metadata: { a: 'b' } });
  });

  test('a copy can replace the metadata; a copy onto itself must', async () => {
    await put('self', 'content', { ContentType: 'text/x', Metadata: { a: 'b' } });
    expect(await failure(copy('self', 'drydock/self'))).toBe('InvalidRequest');
    await copy('self', 'drydock/self', { MetadataDirective: 'REPLACE', Metadata: { c: 'd' } });
    const head = await s3.send(new HeadObjectCommand(at('self')));
    expect(head.Metadata).toEqual({ c: 'd' });
    expect(head.ContentType).toBe('binary/octet-stream');
    expect(await read('self')).toBe('content');
    expect(await failure(copy('self', 'drydock/self', { MetadataDirective: 'KEEP' }))).toBe(
      'InvalidArgument',
    );
  });

  test('a copy gets the requested checksum', async () => {
    await put('unsummed', 'hello', { ChecksumAlgorithm: 'CRC32' });
    const { CopyObjectResult } = await copy('summed too', 'drydock/unsummed', {
      ChecksumAlgorithm: 'SHA256',
    });
    expect(CopyObjectResult?.ChecksumSHA256).toBe('LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=');
    expect(await failure(copy('x', 'drydock/unsummed', { ChecksumAlgorithm: 'MD5' }))).toBe('InvalidRequest');
  });

  test('a copy observes conditions on source and target', async () => {
    const { ETag = '' } = await put('source', '1');
    const past = new Date(0);
    const future = new Date(Date.now() + 3_600_000);
    const outcomes = [
      [{ CopySourceIfMatch: ETag }, 'none'],
      [{ CopySourceIfMatch: '"other"' }, 'PreconditionFailed'],
      [{ CopySourceIfNoneMatch: ETag }, 'PreconditionFailed'],
      [{ CopySourceIfModifiedSince: future }, 'PreconditionFailed'],
      [{ CopySourceIfModifiedSince: past }, 'none'],
      [{ CopySourceIfUnmodifiedSince: past }, 'PreconditionFailed'],
      [{ CopySourceIfMatch: ETag, CopySourceIfUnmodifiedSince: past }, 'none'],
      [{ IfNoneMatch: '*' }, 'PreconditionFailed'],
      [{ IfMatch: '"other"' }, 'PreconditionFailed'],
    ] as const;
    for (const [conditions, code] of outcomes)
      expect([conditions, await failure(copy('target', 'drydock/source', conditions))]).toEqual([
        conditions,
        code,
      ]);
  });

  test.each([
    ['drydock/absent', 'NoSuchKey'],
    ['other/key', 'NoSuchBucket'],
    ['drydock', 'InvalidArgument'],
    ['drydock/', 'InvalidArgument'],
    ['/', 'InvalidArgument'],
    ['drydock/a/../b', 'InvalidURI'],
    ['drydock/%ff', 'InvalidURI'],
    ['drydock/a?versionId=1', 'InvalidArgument'],
  ])('a copy from %s fails with %s', async (source, code) => {
    expect(await failure(copy('target', source))).toBe(code);
  });
});

describe('deletions of objects', () => {
  test('deletion of an unknown key succeeds', async () => {
    await put('deleted', 'x');
    await s3.send(new DeleteObjectCommand(at('deleted')));
    await s3.send(new DeleteObjectCommand(at('deleted')));
    expect(await failure(read('deleted'))).toBe('NoSuchKey');
    expect(await failure(s3.send(new DeleteObjectCommand({ ...at('x'), IfMatch: '"x"' })))).toBe(
      'NotImplemented',
    );
  });

  test('DeleteObjects reports every key, or only failures in quiet mode', async () => {
    const keys = ['many/1', 'many/<2>&"\u0001\r\n', 'many/absent'];
    for (const key of keys.slice(0, 2)) await put(key, 'x');
    const Objects = [...keys, 'many/../x'].map((Key) => ({ Key }));
    const command = (Quiet: boolean) =>
      new DeleteObjectsCommand({ Bucket: BUCKET, Delete: { Objects, Quiet } });
    const { Deleted, Errors } = await s3.send(command(false));
    expect(Deleted?.map(({ Key }) => Key)).toEqual(keys);
    expect(Errors).toMatchObject([{ Key: 'many/../x', Code: 'InvalidURI' }]);
    expect(await failure(read('many/1'))).toBe('NoSuchKey');
    expect((await s3.send(command(true))).Deleted).toBeUndefined();
  });

  test('DeleteObjects accepts a thousand of the longest keys', async () => {
    const Objects = Array.from({ length: 1_000 }, (_, index) => ({
      Key: `${String(index).padStart(4, '0')}${'"'.repeat(100)}${'x'.repeat(920)}`,
    }));
    await put(Objects[999]?.Key ?? '', 'x');
    const send = (objects: typeof Objects) =>
      s3.send(new DeleteObjectsCommand({ Bucket: BUCKET, Delete: { Objects: objects } }));
    expect(await failure(send([...Objects, { Key: 'x' }]))).toBe('MalformedXML');
    const large = Objects.map(() => ({ Key: '"'.repeat(1_000) }));
    expect(await failure(send(large))).toBe('MaxMessageLengthExceeded');
    expect((await send(Objects)).Deleted).toHaveLength(1_000);
    expect(await failure(read(Objects[999]?.Key ?? ''))).toBe('NoSuchKey');
  });
});
