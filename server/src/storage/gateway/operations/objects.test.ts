/** Operations on objects, with @aws-sdk/client-s3 and with plain signed requests. */
import {
  GetObjectAclCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { BUCKET, failure, startTestGateway } from '../../../../test/gateways.ts';
import { codeOf } from '../../../../test/raw-http.ts';

const gateway = await startTestGateway();
const s3 = gateway.client(gateway.root);
const at = (Key: string) => ({ Bucket: BUCKET, Key });

const put = (Key: string, Body: string | Buffer, more = {}) =>
  s3.send(new PutObjectCommand({ ...at(Key), Body, ...more }));
const read = async (Key: string) => {
  const { Body } = await s3.send(new GetObjectCommand(at(Key)));
  return Body?.transformToString();
};
const { ask } = gateway;

describe('object keys', () => {
  test.each([
    'plain.txt',
    'a folder/with a slash at its end/',
    'ünïcödé/日本語/🚢',
    'a+b c%20d%2Fe%25',
    '"quotes" & <tags> \'x\'',
    '//two//slashes',
    '/leading',
    '?query#fragment;params=1,2:3@4$5!6*7(8)',
    'control\u0001\t\n\r\u007fcharacters',
    '...dots/..x/x..',
    `long/${'x'.repeat(1019)}`,
    'é'.repeat(512),
  ])('the key %j is stored byte for byte', async (key) => {
    await put(key, key);
    expect(await read(key)).toBe(key);
    const object = await gateway.store.index.find(key);
    expect(object?.key).toBe(key);
  });

  test.each([
    ['/drydock/a/../b', 'InvalidURI'],
    ['/drydock/..', 'InvalidURI'],
    ['/drydock/./a', 'InvalidURI'],
    ['/drydock/a/%2e%2E', 'InvalidURI'],
    ['/drydock/a%2F..%2Fb', 'InvalidURI'],
    ['/drydock/a%00b', 'InvalidArgument'],
    ['/drydock/%ff', 'InvalidURI'],
    ['/drydock/%c0%ae', 'InvalidURI'],
    ['/drydock/%ed%a0%80', 'InvalidURI'],
    ['/drydock/%zz', 'InvalidURI'],
    [`/drydock/${'x'.repeat(1025)}`, 'KeyTooLongError'],
    [`/drydock/${'%C3%A9'.repeat(513)}`, 'KeyTooLongError'],
    ['//drydock/a', 'InvalidURI'],
  ])('the key %s is refused', async (path, code) => {
    const response = await ask({ method: 'PUT', path, body: 'x' });
    expect(response.status).toBe(400);
    expect(codeOf(response)).toBe(code);
  });
});

describe('reads of objects', () => {
  test('every response is safe to open in a browser, whatever was stored', async () => {
    await put('page', '<script>', {
      ContentType: 'text/html',
      ContentDisposition: 'inline; filename="a;b.html"',
      CacheControl: 'max-age=5',
      ContentLanguage: 'de',
      ContentEncoding: 'identity',
      Expires: new Date(0),
      Metadata: { Answer: '42' },
    });
    const { headers, status } = await ask({ path: '/drydock/page' });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html',
      'content-disposition': 'attachment; filename="a;b.html"',
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      'cache-control': 'max-age=5',
      'content-language': 'de',
      'content-encoding': 'identity',
      'x-amz-meta-answer': '42',
      'content-length': '8',
    });
    expect(headers['expires']).toBe('Thu, 01 Jan 1970 00:00:00 GMT');
    expect(headers['x-amz-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test.each([
    ['inline', 'attachment'],
    ['attachment', 'attachment'],
    ['ATTACHMENT; filename=x', 'attachment; filename=x'],
    ['attachment;filename="ü"', 'attachment;filename="ü"'],
    ['inline, attachment; filename=x', 'attachment; filename=x'],
    ['filename=x.html', 'attachment'],
  ])('the disposition %s is served as %s', async (given, served) => {
    const query = `response-content-disposition=${encodeURIComponent(given)}`;
    await put('disposed', 'x');
    const { headers } = await ask({ path: '/drydock/disposed', query });
    expect(headers['content-disposition']).toBe(served);
  });

  test('a link can set response headers, but not to values that a header cannot contain', async () => {
    await put('served', 'x', { ContentType: 'text/html' });
    const query = (text: string) => ask({ path: '/drydock/served', query: text });
    const { headers } = await query(
      'response-content-type=text%2Fplain&response-cache-control=no-store&response-expires=0',
    );
    expect(headers).toMatchObject({
      'content-type': 'text/plain',
      'cache-control': 'no-store',
      expires: '0',
    });
    const split = await query('response-content-type=a%0D%0Aset-cookie:%20b=c');
    expect([split.status, codeOf(split)]).toEqual([400, 'InvalidArgument']);
    expect(codeOf(await query('response-content-language=%E2%82%AC'))).toBe('InvalidArgument');
  });

  test('metadata by the server that exceeds what headers can contain is sent encoded', async () => {
    await gateway.store.putObject({
      key: 'own',
      body: [Buffer.from('x')],
      headers: { 'content-type': 'text/plain; name=日本' },
      metadata: { name: '日本\n' },
    });
    const { headers } = await ask({ path: '/drydock/own' });
    expect(headers['x-amz-meta-name']).toBe(`=?UTF-8?B?${Buffer.from('日本\n').toString('base64')}?=`);
  });

  test('HEAD of an unknown object returns 404 without a body', async () => {
    const got = await ask({ path: '/drydock/absent' });
    expect([got.status, codeOf(got)]).toEqual([404, 'NoSuchKey']);
    expect(got.headers['content-type']).toBe('application/xml');
    const head = await ask({ method: 'HEAD', path: '/drydock/absent' });
    expect([head.status, head.headers['content-length'], head.body]).toEqual([404, '0', '']);
  });

  test('an empty object has neither content nor a file', async () => {
    await ask({ method: 'PUT', path: '/drydock/empty' });
    expect((await gateway.store.index.find('empty'))?.blobs).toEqual([]);
    expect(await read('empty')).toBe('');
    const ranged = await ask({ path: '/drydock/empty', headers: { range: 'bytes=0-' } });
    expect([ranged.status, codeOf(ranged)]).toEqual([416, 'InvalidRange']);
  });

  test('a large object is read whole and in ranges, over several reads', async () => {
    const content = Buffer.from(Array.from({ length: 700_000 }, (_, index) => index % 251));
    await put('large', content);
    const whole = await s3.send(new GetObjectCommand(at('large')));
    expect(Buffer.compare(Buffer.from((await whole.Body?.transformToByteArray()) ?? []), content)).toBe(0);
    const part = await s3.send(new GetObjectCommand({ ...at('large'), Range: 'bytes=65000-690000' }));
    expect(part.ContentRange).toBe('bytes 65000-690000/700000');
    const bytes = Buffer.from((await part.Body?.transformToByteArray()) ?? []);
    expect(Buffer.compare(bytes, content.subarray(65_000, 690_001))).toBe(0);
  });
});

describe('range requests', async () => {
  await put('range', '0123456789');

  test.each([
    ['bytes=2-5', 206, '2345', 'bytes 2-5/10'],
    ['bytes=2-', 206, '23456789', 'bytes 2-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=-30', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=8-99999999999999999999999', 206, '89', 'bytes 8-9/10'],
    ['bytes=0-0', 206, '0', 'bytes 0-0/10'],
    ['bytes=0-1,4-5', 200, '0123456789', undefined],
    ['bytes=5-2', 200, '0123456789', undefined],
    ['bytes=-', 200, '0123456789', undefined],
    ['bytes=a-b', 200, '0123456789', undefined],
    ['lines=1-2', 200, '0123456789', undefined],
  ])('%s', async (range, status, body, contentRange) => {
    const response = await ask({ path: '/drydock/range', headers: { range } });
    expect([response.status, response.body, response.headers['content-range']]).toEqual([
      status,
      body,
      contentRange,
    ]);
    const head = await ask({ method: 'HEAD', path: '/drydock/range', headers: { range } });
    expect([head.status, head.headers['content-length']]).toEqual([status, String(body.length)]);
  });

  test.each(['bytes=10-', 'bytes=10-20', 'bytes=-0', 'bytes=99999999999999999999-'])(
    'the range %s returns 416',
    async (range) => {
      const response = await ask({ path: '/drydock/range', headers: { range } });
      expect([response.status, codeOf(response)]).toEqual([416, 'InvalidRange']);
      expect(response.headers['content-range']).toBe('bytes */10');
    },
  );

  test('If-Range returns the whole object when it has changed', async () => {
    const ask206 = (ifRange: string) =>
      ask({ path: '/drydock/range', headers: { range: 'bytes=1-1', 'if-range': ifRange } });
    const { headers } = await ask({ path: '/drydock/range' });
    expect((await ask206(headers['etag'] ?? '')).status).toBe(206);
    expect((await ask206(headers['last-modified'] ?? '')).status).toBe(206);
    expect((await ask206('"other"')).body).toBe('0123456789');
    expect((await ask206('Thu, 01 Jan 1970 00:00:00 GMT')).status).toBe(200);
  });
});

describe('conditional reads', async () => {
  const { ETag: etag = '' } = await put('condition', 'x');
  const past = 'Thu, 01 Jan 1970 00:00:00 GMT';
  const future = new Date(Date.now() + 3_600_000).toUTCString();

  test.each([
    [{ 'if-match': etag }, 200],
    [{ 'if-match': etag.slice(1, -1) }, 200],
    [{ 'if-match': `"a", ${etag}` }, 200],
    [{ 'if-match': '*' }, 200],
    [{ 'if-match': '"other"' }, 412],
    [{ 'if-none-match': etag }, 304],
    [{ 'if-none-match': `W/${etag}` }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': '"other"' }, 200],
    [{ 'if-modified-since': past }, 200],
    [{ 'if-modified-since': future }, 304],
    [{ 'if-modified-since': 'nonsense' }, 200],
    [{ 'if-unmodified-since': past }, 412],
    [{ 'if-unmodified-since': future }, 200],
    [{ 'if-match': etag, 'if-unmodified-since': past }, 200],
    [{ 'if-none-match': etag, 'if-modified-since': past }, 304],
    [{ 'if-none-match': '"other"', 'if-modified-since': future }, 200],
    [{ 'if-match': etag, 'if-none-match': etag }, 304],
  ])('a read with %j returns %i', async (headers, status) => {
    const response = await ask({ path: '/drydock/condition', headers });
    expect(response.status).toBe(status);
    if (status === 304) expect([response.body, response.headers['etag']]).toEqual(['', etag]);
    if (status === 412) expect(codeOf(response)).toBe('PreconditionFailed');
    const head = await ask({ method: 'HEAD', path: '/drydock/condition', headers });
    expect(head.status).toBe(status);
  });
});

describe('conditional writes', () => {
  test('only one write with If-None-Match creates a key', async () => {
    await put('once', '1', { IfNoneMatch: '*' });
    expect(await failure(put('once', '2', { IfNoneMatch: '*' }))).toBe('PreconditionFailed');
    expect(await read('once')).toBe('1');
    expect(await gateway.listUnowned()).toEqual([]);
  });

  test('the body of a refused write is not requested', async () => {
    await put('not again', '1');
    const { ETag = '' } = await put('not that', '1');
    for (const [key, header, value, code] of [
      ['not again', 'if-none-match', '*', 'PreconditionFailed'],
      ['not that', 'if-match', `"${ETag.slice(2)}`, 'PreconditionFailed'],
      ['not there', 'if-match', ETag, 'NoSuchKey'],
    ] as const) {
      const response = await ask({
        method: 'PUT',
        path: `/drydock/${encodeURIComponent(key)}`,
        headers: { expect: '100-continue', 'content-length': '5', [header]: value },
      });
      expect(codeOf(response)).toBe(code);
    }
  });

  test('a write with If-Match replaces only the known version', async () => {
    const { ETag } = await put('matched', '1');
    await put('matched', '2', { IfMatch: ETag });
    expect(await failure(put('matched', '3', { IfMatch: ETag }))).toBe('PreconditionFailed');
    expect(await failure(put('unmatched', '3', { IfMatch: ETag }))).toBe('NoSuchKey');
    expect(await read('matched')).toBe('2');
  });

  test.each([{ IfNoneMatch: '"etag"' }, { IfMatch: '*' }, { IfMatch: '"a"', IfNoneMatch: '*' }])(
    'a write with %j is not supported',
    async (condition) => {
      expect(await failure(put('conditional', 'x', condition))).toBe('NotImplemented');
    },
  );
});

describe('checksums of objects', () => {
  test.each(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const)(
    'the checksum %s is stored and returned',
    async (algorithm) => {
      const name = `Checksum${algorithm}` as const;
      const { [name]: value, ChecksumType } = await put('summed', 'hello', { ChecksumAlgorithm: algorithm });
      expect(value).toMatch(/=$/);
      expect(ChecksumType).toBe('FULL_OBJECT');
      const head = await s3.send(new HeadObjectCommand({ ...at('summed'), ChecksumMode: 'ENABLED' }));
      expect([head[name], head.ChecksumType]).toEqual([value, 'FULL_OBJECT']);
      const plain = await s3.send(new HeadObjectCommand(at('summed')));
      expect(plain[name]).toBeUndefined();
      const part = await s3.send(
        new GetObjectCommand({ ...at('summed'), Range: 'bytes=0-1', ChecksumMode: 'ENABLED' }),
      );
      expect(part[name]).toBeUndefined();
    },
  );

  test('content with a wrong checksum is not stored', async () => {
    const wrong = put('wrong', 'hello', { ChecksumSHA256: Buffer.alloc(32).toString('base64') });
    expect(await failure(wrong)).toBe('BadDigest');
    expect(await failure(read('wrong'))).toBe('NoSuchKey');
    expect(await gateway.listUnowned()).toEqual([]);
  });
});

describe('unsupported features are refused', () => {
  test.each([
    { ACL: 'public-read' },
    { GrantRead: 'id=x' },
    { Tagging: 'a=b' },
    { ServerSideEncryption: 'AES256' },
    { SSECustomerAlgorithm: 'AES256' },
    { ObjectLockMode: 'GOVERNANCE' },
    { ObjectLockLegalHoldStatus: 'ON' },
    { WebsiteRedirectLocation: '/x' },
    { ExpectedBucketOwner: '123456789012' },
  ])('%j', async (more) => {
    expect(await failure(put('featured', 'x', more))).toBe('NotImplemented');
    expect(await failure(read('featured'))).toBe('NoSuchKey');
  });

  test('headers with the default meaning are accepted', async () => {
    await put('plain', 'x', { ACL: 'private', StorageClass: 'STANDARD', Tagging: '' });
    await put('plain', 'x', { ACL: 'bucket-owner-full-control' });
    expect(await failure(put('cold', 'x', { StorageClass: 'GLACIER' }))).toBe('InvalidStorageClass');
    expect(await failure(s3.send(new GetObjectCommand({ ...at('plain'), VersionId: 'x' })))).toBe(
      'InvalidArgument',
    );
    await s3.send(new GetObjectCommand({ ...at('plain'), VersionId: 'null' }));
  });

  test('an object has the access list of its owner and no tags', async () => {
    await put('described', 'x');
    const acl = await s3.send(new GetObjectAclCommand(at('described')));
    expect(acl.Grants).toMatchObject([{ Permission: 'FULL_CONTROL' }]);
    expect((await s3.send(new GetObjectTaggingCommand(at('described')))).TagSet).toEqual([]);
    expect(await failure(s3.send(new GetObjectTaggingCommand(at('absent'))))).toBe('NoSuchKey');
  });

  test('metadata is limited to two kilobytes', async () => {
    await put('described', 'x', { Metadata: { a: 'x'.repeat(2_047) } });
    expect(await failure(put('described', 'x', { Metadata: { a: 'x'.repeat(2_048) } }))).toBe(
      'MetadataTooLarge',
    );
  });
});
