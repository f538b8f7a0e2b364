/** Correctly signed requests with unusual content in queries, headers and bodies. */
import { Readable } from 'node:stream';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { BUCKET, REGION, startTestGateway } from '../../../test/gateways.ts';
import { codeOf, sendRaw } from '../../../test/raw-http.ts';
import {
  addHeader,
  presignRequest,
  signChunked,
  signRequest,
  withBody,
  withHeader,
} from '../../../test/s3-requests.ts';

const gateway = await startTestGateway();
const { ask, port, root, store } = gateway;
const host = `127.0.0.1:${port}`;
const read = async (key: string) => (await ask({ path: `/${BUCKET}/${key}` })).body;

describe('queries', () => {
  test('a query may encode a space as a plus', async () => {
    await ask({ method: 'PUT', path: `/${BUCKET}/a%20b%2Bc`, body: 'x' });
    const listed = await ask({ path: `/${BUCKET}`, query: 'list-type=2&prefix=a+b%2B' });
    expect(listed.body).toContain('<Key>a b+c</Key>');
    const named = await ask({ path: `/${BUCKET}/a%20b%2Bc`, query: 'response-content-type=text/x;+a=b' });
    expect(named.headers['content-type']).toBe('text/x; a=b');
  });

  test.each(['constructor', '__proto__', 'toString'])(
    'a query may contain a parameter named %s',
    async (name) => {
      const response = await ask({ path: `/${BUCKET}`, query: `${name}=&cors=` });
      expect([response.status, codeOf(response)]).toEqual([404, 'NoSuchCORSConfiguration']);
    },
  );

  test('a query with NUL in a parameter name is refused', async () => {
    const response = await ask({ path: `/${BUCKET}`, query: 'a%00b=' });
    expect([response.status, codeOf(response)]).toEqual([400, 'InvalidArgument']);
  });

  const put = (key: string, query: Record<string, string>) =>
    sendRaw(
      port,
      withBody(
        presignRequest({
          method: 'PUT',
          host,
          region: REGION,
          bucket: BUCKET,
          key,
          credentials: root,
          expiresInSeconds: 60,
          query,
        }),
        'content',
      ),
    );

  test.each([
    ['X-Amz-Meta-a b', '1'],
    ['X-Amz-Meta-a:b', '1'],
    ['X-Amz-Meta-ä', '1'],
    ['X-Amz-Meta-a\r\nb', '1'],
    ['X-Amz-Meta-a\0b', '1'],
    ['X-Amz-Meta-a', 'b\r\nset-cookie: c'],
    ['X-Amz-Meta-a', '\u007f'],
  ])('a query cannot set the header %j: %j', async (name, value) => {
    const response = await put('no-header', { [name]: value });
    expect([response.status, codeOf(response)]).toEqual([400, 'InvalidArgument']);
    expect(await store.index.find('no-header')).toBeUndefined();
  });

  test('a query can set a header to any value that a header can contain', async () => {
    expect((await put('header', { 'X-Amz-Meta-a': 'ü b' })).status).toBe(200);
    const { headers, status } = await ask({ path: `/${BUCKET}/header` });
    expect([status, headers['x-amz-meta-a']]).toEqual([200, Buffer.from('ü b').toString('latin1')]);
  });
});

describe('chunked bodies', () => {
  const letters = (count: number, size: number) => Array.from({ length: count }, () => 'x'.repeat(size));
  const trailer = ['x-amz-checksum-crc32', 'AAAAAA=='] as const;
  const request = { method: 'PUT', host, credentials: root };

  test('chunks of a kilobyte, as clients send streams, are accepted', async () => {
    const pieces = Array.from({ length: 11_000 }, (_, index) => Buffer.alloc(1_024, index % 251));
    const s3 = gateway.client(root);
    const Body = Readable.from(pieces);
    await s3.send(
      new PutObjectCommand({ Bucket: BUCKET, Key: 'pieces', Body, ContentLength: 11_000 * 1_024 }),
    );
    expect((await store.index.find('pieces'))?.sizeBytes).toBe(11_000 * 1_024);
  });

  test('chunks of one byte are accepted occasionally, but not throughout', async () => {
    const few = { chunks: letters(9_000, 1), isSigned: false };
    const put = (content: typeof few) =>
      sendRaw(port, signChunked({ ...request, path: `/${BUCKET}/tiny` }, content));
    expect((await put(few)).status).toBe(200);
    expect(await read('tiny')).toBe('x'.repeat(9_000));
    const many = await put({ ...few, chunks: letters(20_000, 1) });
    expect([many.status, codeOf(many)]).toEqual([403, 'InvalidChunkSizeError']);
    expect(await gateway.listUnowned()).toEqual([]);
  });

  test('chunking does not circumvent the size limit of a small body', async () => {
    const length = 3 * 1024 ** 2;
    const long = signChunked(
      {
        ...request,
        method: 'POST',
        path: `/${BUCKET}`,
        query: 'delete=',
        headers: { 'x-amz-decoded-content-length': String(length) },
      },
      { chunks: letters(2, 10), isSigned: false, trailer },
    );
    expect(codeOf(await sendRaw(port, long))).toBe('MaxMessageLengthExceeded');
  });
});

test('a copy with several sources is refused', async () => {
  const joined = signRequest({
    method: 'PUT',
    host,
    credentials: root,
    path: `/${BUCKET}/copied`,
    headers: { 'x-amz-copy-source': 'drydock/a,drydock/b' },
  });
  const twice = addHeader(
    withHeader(joined, 'x-amz-copy-source', 'drydock/a'),
    'x-amz-copy-source',
    'drydock/b',
  );
  expect(codeOf(await sendRaw(port, joined))).toBe('NoSuchKey');
  expect(codeOf(await sendRaw(port, twice))).toBe('InvalidURI');
});

test('an XML body without a length is refused', async () => {
  const body = '<Delete><Object><Key>a</Key></Object></Delete>';
  const signed = signRequest({
    method: 'POST',
    host,
    credentials: root,
    path: `/${BUCKET}`,
    query: 'delete=',
    headers: { 'content-length': undefined, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
  });
  const unsized = withHeader(signed, 'transfer-encoding', 'chunked');
  const chunked = Buffer.from(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
  const response = await sendRaw(port, { ...unsized, body: chunked });
  expect([response.status, codeOf(response)]).toEqual([411, 'MissingContentLength']);
});
