/** Requests sent by the AWS SDK over a real connection: every form of signature that it uses is accepted. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import {
  type ChecksumAlgorithm,
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSigner } from '../../../platform/auth/signing.ts';
import { Sessions } from '../../../platform/object-storage/embedded/sessions.ts';
import { CHECKSUM_ALGORITHMS } from '../../../platform/object-storage/embedded/stored-object.ts';
import { toSessionPolicy } from '../../../platform/object-storage/session-policy.ts';
import { presignUrl } from '../../../platform/object-storage/sigv4/presign.ts';
import { type PayloadChecksum, readPayload } from '../payload/payload.ts';
import { S3Error } from '../s3-error.ts';
import { type Authenticated, Authenticator } from './authenticate.ts';

const Bucket = 'drydock';
const region = 'us-east-1';
const sessions = new Sessions({ signer: createSigner('one'), region });
const session = sessions.issue(toSessionPolicy(Bucket, { prefix: 'ws/1/', access: 'write' }), 900);
const authenticator = new Authenticator({ sessions, bucket: Bucket });

interface Seen {
  readonly kind: Authenticated['payload'];
  readonly accessKeyId: string;
  readonly content: string;
  readonly checksum: PayloadChecksum | undefined;
}

let seen: Seen[] = [];

const toHead = (request: IncomingMessage) => {
  const [rawPath = '', rawQuery = ''] = (request.url ?? '').split('?');
  return { method: request.method ?? '', rawPath, rawQuery, rawHeaders: request.rawHeaders };
};

async function inspect(request: IncomingMessage): Promise<Seen> {
  const authenticated = authenticator.authenticate(toHead(request));
  const { caller, payload: kind } = authenticated;
  if (request.method !== 'PUT' || request.headers['x-amz-copy-source'])
    return { kind, accessKeyId: caller.accessKeyId, content: '', checksum: undefined };
  const payload = readPayload(request, authenticated, { maxBytes: 2 ** 30 });
  const content = Buffer.concat(await Array.fromAsync(payload.body)).toString();
  return { kind, accessKeyId: caller.accessKeyId, content, checksum: payload.checksum() };
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    seen.push(await inspect(request));
    response.writeHead(200).end('<Result/>');
  } catch (error) {
    const [status, code] = error instanceof S3Error ? [error.status, error.code] : [500, String(error)];
    response.writeHead(status, { connection: 'close' }).end(`<Error><Code>${code}</Code></Error>`);
  }
}

const server = createServer((request, response) => void respond(request, response));

let endpoint = '';
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  seen = [];
});

const connect = (config: Partial<S3ClientConfig> = {}) =>
  new S3Client({ region, endpoint, forcePathStyle: true, credentials: session, maxAttempts: 1, ...config });

const Key = 'ws/1/a.txt';

describe('signed headers', () => {
  test.each([
    'plain.txt',
    'with space & more.txt',
    "ü/日本/\u{1f600}/'(x)!*~",
    'a//b/',
    'a+b=c%41%2F?#[]@:,;$',
    'control\u0001',
  ])('SDK requests for the key %j are accepted', async (name) => {
    const client = connect();
    const object = { Bucket, Key: `ws/1/${name}` };
    await client.send(
      new PutObjectCommand({ ...object, Body: 'x', Metadata: { a: '1', b: ' two  spaces ' } }),
    );
    await client.send(new HeadObjectCommand(object));
    await client.send(new GetObjectCommand({ ...object, Range: 'bytes=0-1' }));
    await client.send(new CopyObjectCommand({ ...object, CopySource: encodeURI(`${Bucket}/${object.Key}`) }));
    await client.send(new DeleteObjectCommand(object));
    expect(seen.map(({ accessKeyId }) => accessKeyId)).toEqual(Array(5).fill(session.accessKeyId));
  });

  test.each(['', 'ws/1/', 'ü +&=/%'])('SDK requests to list %j are accepted', async (Prefix) => {
    await connect().send(
      new ListObjectsV2Command({ Bucket, Prefix, Delimiter: '/', ContinuationToken: 'a+/=' }),
    );
    expect(seen).toHaveLength(1);
  });

  test("SDK requests with the server's own key are accepted", async () => {
    await connect({ credentials: sessions.own }).send(new HeadObjectCommand({ Bucket, Key }));
    expect(seen[0]?.accessKeyId).toBe(sessions.own.accessKeyId);
  });
});

describe('uploads by the SDK', () => {
  test.each(CHECKSUM_ALGORITHMS)('an upload with a %s header is accepted', async (algorithm) => {
    const ChecksumAlgorithm: ChecksumAlgorithm = algorithm;
    await connect().send(new PutObjectCommand({ Bucket, Key, Body: 'content', ChecksumAlgorithm }));
    expect(seen[0]).toMatchObject({ content: 'content', checksum: { algorithm }, kind: { kind: 'sha256' } });
  });

  test.each(CHECKSUM_ALGORITHMS)('a streamed upload with a trailing %s is accepted', async (algorithm) => {
    const ChecksumAlgorithm: ChecksumAlgorithm = algorithm;
    const Body = Readable.from(['con', 'tent'.repeat(50_000), '.']);
    const put = new PutObjectCommand({ Bucket, Key, Body, ContentLength: 200_004, ChecksumAlgorithm });
    await connect().send(put);
    expect(seen[0]).toMatchObject({
      content: `con${'tent'.repeat(50_000)}.`,
      checksum: { algorithm },
      kind: { kind: 'chunked', hasTrailer: true },
    });
  });

  test('an upload without a checksum is accepted', async () => {
    const client = connect({ requestChecksumCalculation: 'WHEN_REQUIRED' });
    await client.send(new PutObjectCommand({ Bucket, Key, Body: 'content' }));
    expect(seen[0]).toMatchObject({ content: 'content', checksum: undefined });
  });

  test('an upload with a wrong checksum is refused', async () => {
    const put = new PutObjectCommand({ Bucket, Key, Body: 'content', ChecksumCRC32: 'AAAAAA==' });
    await expect(connect().send(put)).rejects.toMatchObject({ name: 'BadDigest' });
  });
});

describe('presigned links', () => {
  test('links signed by the SDK are accepted', async () => {
    const client = connect();
    const get = await getSignedUrl(client, new GetObjectCommand({ Bucket, Key, ResponseContentType: 'a/b' }));
    expect((await fetch(get)).status).toBe(200);
    // The link contains the checksum of empty content, which S3 servers ignore.
    const put = await getSignedUrl(client, new PutObjectCommand({ Bucket, Key }));
    expect(put).toContain('x-amz-checksum-crc32=AAAAAA');
    expect((await fetch(put, { method: 'PUT', body: 'content' })).status).toBe(200);
    expect(seen[1]?.content).toBe('content');
  });

  test('links signed by the server are accepted', async () => {
    const link = {
      endpoint,
      region,
      bucket: Bucket,
      key: "ws/1/ü '(a+b)'.txt",
      credentials: sessions.own,
      expiresInSeconds: 60,
    };
    expect((await fetch(presignUrl({ ...link, method: 'GET' }))).status).toBe(200);
    expect(
      (await fetch(presignUrl({ ...link, method: 'PUT' }), { method: 'PUT', body: 'content' })).status,
    ).toBe(200);
    expect((await fetch(presignUrl({ ...link, method: 'GET' }), { method: 'DELETE' })).status).toBe(403);
  });
});
