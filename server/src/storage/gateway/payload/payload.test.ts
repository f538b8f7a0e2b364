/** Streamed content: documented examples, broken connections, and the decoded result. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { signingKeyFor } from '../../../platform/object-storage/sigv4/signature.ts';
import type { PayloadKind } from '../authentication/payload-kind.ts';
import { S3Error } from '../s3-error.ts';
import { type PayloadOptions, readPayload, toStoredContentEncoding } from './payload.ts';

const UNSIGNED: PayloadKind = { kind: 'unsigned' };
const UNLIMITED: PayloadOptions = { maxBytes: 2 ** 40 };

function toRequest(body: string | Buffer | Readable, headers: Record<string, string>) {
  const stream = body instanceof Readable ? body : Readable.from([Buffer.from(body)]);
  return Object.assign(stream, { headers });
}

async function collect(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(body));
}

const codeOf = async (work: Promise<unknown>) => {
  const error: unknown = await work.then(
    () => new Error('nothing was thrown'),
    (reason: unknown) => reason,
  );
  if (error instanceof S3Error) return error.code;
  throw error;
};

describe('chunk examples of the S3 documentation', () => {
  const scope = { date: '20130524', region: 'us-east-1', service: 's3' };
  const signing = (seedSignature: string) => ({
    signingKey: signingKeyFor('wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', scope),
    amzDate: '20130524T000000Z',
    scope,
    seedSignature,
  });
  const content = Buffer.alloc(66_560, 'a');
  const toBody = (first: string, second: string, end: string) =>
    Buffer.concat([
      Buffer.from(`10000;chunk-signature=${first}\r\n`),
      content.subarray(0, 65_536),
      Buffer.from(`\r\n400;chunk-signature=${second}\r\n`),
      content.subarray(65_536),
      Buffer.from(`\r\n0;chunk-signature=${end}`),
    ]);

  test('the signed example is decoded', async () => {
    const body = toBody(
      'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648',
      '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497',
      'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9\r\n\r\n',
    );
    expect(body.length).toBe(66_824);
    const seed = '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9';
    const payload: PayloadKind = { kind: 'chunked', signing: signing(seed), hasTrailer: false };
    const request = toRequest(body, { 'x-amz-decoded-content-length': '66560' });
    const read = readPayload(request, { payload }, { ...UNLIMITED, extraAlgorithm: 'CRC32C' });
    expect((await collect(read.body)).equals(content)).toBe(true);
    expect(read.checksum()).toEqual({ algorithm: 'CRC32C', value: 'sOO8/Q==' });
  });

  const trailers =
    'x-amz-checksum-crc32c:sOO8/Q==\r\nx-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n';
  test.each([
    ['as documented', `\r\n${trailers}\r\n`],
    ['after an empty line', `\r\n\r\n${trailers}`],
    ['with plain line feeds', `\r\n${trailers.replaceAll('\r', '')}\n`],
    ['without a last line break', `\r\n${trailers.trimEnd()}`],
  ])('the example signed with a trailer is decoded, %s', async (_name, end) => {
    const body = toBody(
      'b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2',
      '1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7',
      `2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992${end}`,
    );
    const seed = '106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e';
    const payload: PayloadKind = { kind: 'chunked', signing: signing(seed), hasTrailer: true };
    const request = toRequest(body, {
      'x-amz-decoded-content-length': '66560',
      'x-amz-trailer': 'x-amz-checksum-crc32c',
    });
    const read = readPayload(request, { payload }, UNLIMITED);
    expect((await collect(read.body)).equals(content)).toBe(true);
    expect(read.checksum()).toEqual({ algorithm: 'CRC32C', value: 'sOO8/Q==' });
  });
});

describe('checksums of payloads', () => {
  const headers = { 'content-length': '5', 'x-amz-checksum-crc32': 'NhCmhg==' };

  test('a declared checksum is available at the end of the content, and no other is computed', async () => {
    const read = readPayload(
      toRequest('hello', headers),
      { payload: UNSIGNED },
      { ...UNLIMITED, extraAlgorithm: 'SHA1' },
    );
    expect(read).toMatchObject({ declaredAlgorithm: 'CRC32', decodedLength: 5 });
    expect(read.checksum()).toBeUndefined();
    await collect(read.body);
    expect(read.checksum()).toEqual({ algorithm: 'CRC32', value: 'NhCmhg==' });
  });

  test('a checksum that is not declared is computed only on request', async () => {
    const plain = readPayload(
      toRequest('hello', { 'content-length': '5' }),
      { payload: UNSIGNED },
      UNLIMITED,
    );
    await collect(plain.body);
    expect([plain.declaredAlgorithm, plain.checksum()]).toEqual([undefined, undefined]);
  });

  test('headers about checksums are not checksums', async () => {
    const about = {
      'x-amz-checksum-algorithm': 'SHA1',
      'x-amz-checksum-type': 'COMPOSITE',
      'x-amz-checksum-mode': 'ENABLED',
    };
    const read = readPayload(toRequest('hello', { ...headers, ...about }), { payload: UNSIGNED }, UNLIMITED);
    expect(read.declaredAlgorithm).toBe('CRC32');
  });

  test('all checksums of a request are verified', async () => {
    const md5 = { 'content-md5': 'XUFAKrxLKna5cZ2REBfFkg==' };
    const good = readPayload(toRequest('hello', { ...headers, ...md5 }), { payload: UNSIGNED }, UNLIMITED);
    expect((await collect(good.body)).toString()).toBe('hello');
    const other = { ...headers, ...md5, 'x-amz-checksum-crc32': 'AAAAAA==' };
    const bad = readPayload(toRequest('hello', other), { payload: UNSIGNED }, UNLIMITED);
    expect(await codeOf(collect(bad.body))).toBe('BadDigest');
  });
});

test('an empty body is verified as well', async () => {
  const empty = readPayload(
    toRequest(Readable.from([]), { 'content-length': '0' }),
    { payload: UNSIGNED },
    UNLIMITED,
  );
  expect((await collect(empty.body)).length).toBe(0);
  const chunked: PayloadKind = { kind: 'chunked', signing: undefined, hasTrailer: true };
  const trailing = { 'x-amz-decoded-content-length': '0', 'x-amz-trailer': 'x-amz-checksum-crc32' };
  const body = '0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n';
  const read = readPayload(toRequest(body, trailing), { payload: chunked }, UNLIMITED);
  expect((await collect(read.body)).length).toBe(0);
});

test('a chunk larger than the memory is streamed', async () => {
  const size = 2 ** 30;
  const piece = Buffer.alloc(2 ** 20);
  function* body() {
    yield Buffer.from(`${size.toString(16)}\r\n`);
    for (let sent = 0; sent < size; sent += piece.length) yield piece;
    yield Buffer.from('\r\n0\r\n\r\n');
  }
  const payload: PayloadKind = { kind: 'chunked', signing: undefined, hasTrailer: true };
  const request = toRequest(Readable.from(body()), { 'x-amz-decoded-content-length': String(size) });
  const before = process.memoryUsage().arrayBuffers;
  let length = 0;
  let most = 0;
  for await (const bytes of readPayload(request, { payload }, UNLIMITED).body) {
    length += bytes.length;
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  expect(length).toBe(size);
  expect(most).toBeLessThan(64 * 2 ** 20);
});

describe('connections', () => {
  async function serve(payload: PayloadKind) {
    const codes: Promise<string>[] = [];
    const server = createServer((request, response) => {
      const code = codeOf(collect(readPayload(request, { payload }, UNLIMITED).body));
      codes.push(code);
      void code.then((text) => response.writeHead(400, { connection: 'close' }).end(text));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    return { codes, server, socket };
  }

  test('a connection that breaks off leaves the content incomplete', async () => {
    const { codes, server, socket } = await serve(UNSIGNED);
    socket.write('PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf');
    await once(server, 'request');
    socket.destroy();
    expect(await codes[0]).toBe('IncompleteBody');
  });

  test('a connection that ends too early leaves the content incomplete', async () => {
    const { codes, server, socket } = await serve(UNSIGNED);
    socket.end('PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf');
    await once(server, 'request');
    expect(await codes[0]).toBe('IncompleteBody');
  });

  test('a connection still receives the response when its content is refused halfway', async () => {
    const { socket } = await serve({ kind: 'chunked', signing: undefined, hasTrailer: true });
    socket.write(
      'PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 10000\r\nX-Amz-Decoded-Content-Length: 9\r\n\r\nnonsense\r\n',
    );
    const [response] = (await once(socket, 'data')) as [Buffer];
    expect(response.toString()).toContain('InvalidRequest');
    socket.destroy();
  });
});

test.each([
  [undefined, undefined],
  ['gzip', 'gzip'],
  ['gzip, br', 'gzip, br'],
  ['aws-chunked', undefined],
  ['AWS-Chunked', undefined],
  ['aws-chunked,gzip', 'gzip'],
  ['gzip, aws-chunked', 'gzip'],
  ['aws-chunked, gzip, br', 'gzip,br'],
])('Content-Encoding %s is stored as %s', (given, kept) => {
  expect(toStoredContentEncoding(given)).toBe(kept);
});
