/** Signatures of the examples published by AWS, and other valid forms of requests. */
import { createHmac, hash } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { presignRequest, type RequestToSign, signRequest } from '../../../../test/s3-requests.ts';
import { createSigner } from '../../../platform/auth/signing.ts';
import { Sessions } from '../../../platform/object-storage/embedded/sessions.ts';
import { toSessionPolicy } from '../../../platform/object-storage/session-policy.ts';
import { S3Error } from '../s3-error.ts';
import { Authenticator } from './authenticate.ts';

/** Account, bucket and time of the examples in the S3 documentation. */
const EXAMPLE = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const HOST = ['Host', 'examplebucket.s3.amazonaws.com'];
const MOMENT = Date.UTC(2013, 4, 24);
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

const sessions = new Sessions({ signer: createSigner('k'), region: 'us-east-1', accounts: [EXAMPLE] });
const authenticator = new Authenticator({ sessions, bucket: 'examplebucket' });

const toAuthorization = (signedHeaders: string, signature: string) =>
  `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=${signedHeaders},Signature=${signature}`;

afterEach(() => {
  vi.useRealTimers();
});

describe('examples of the S3 documentation', () => {
  test.each([
    [
      'GetObject with a range',
      'GET',
      '/test.txt',
      '',
      [...HOST, 'Range', 'bytes=0-9', 'x-amz-content-sha256', EMPTY, 'x-amz-date', '20130524T000000Z'],
      toAuthorization(
        'host;range;x-amz-content-sha256;x-amz-date',
        'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
      ),
    ],
    [
      'PutObject with a key that needs encoding and a Date header',
      'PUT',
      '/test$file.text',
      '',
      [
        ...HOST,
        'Date',
        'Fri, 24 May 2013 00:00:00 GMT',
        'x-amz-date',
        '20130524T000000Z',
        'x-amz-storage-class',
        'REDUCED_REDUNDANCY',
        'x-amz-content-sha256',
        '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
      ],
      toAuthorization(
        'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
        '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
      ),
    ],
    [
      'a query without a value',
      'GET',
      '/',
      'lifecycle',
      [...HOST, 'x-amz-date', '20130524T000000Z', 'x-amz-content-sha256', EMPTY],
      toAuthorization(
        'host;x-amz-content-sha256;x-amz-date',
        'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
      ),
    ],
    [
      'ListObjects',
      'GET',
      '/',
      'max-keys=2&prefix=J',
      [...HOST, 'x-amz-date', '20130524T000000Z', 'x-amz-content-sha256', EMPTY],
      toAuthorization(
        'host;x-amz-content-sha256;x-amz-date',
        '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
      ),
    ],
  ])('%s', (_name, method, rawPath, rawQuery, headers, authorization) => {
    vi.useFakeTimers({ now: MOMENT });
    const rawHeaders = [...headers, 'Authorization', authorization];
    const { caller } = authenticator.authenticate({ method, rawPath, rawQuery, rawHeaders });
    expect(caller.accessKeyId).toBe(EXAMPLE.accessKeyId);
  });

  test('authenticate accepts the example of a presigned URL', () => {
    vi.useFakeTimers({ now: MOMENT + 3600_000 });
    const rawQuery =
      'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404';
    const { payload } = authenticator.authenticate({
      method: 'GET',
      rawPath: '/test.txt',
      rawQuery,
      rawHeaders: HOST,
    });
    expect(payload).toEqual({ kind: 'unsigned' });
  });
});

const request: RequestToSign = { host: 'localhost:9000', path: '/examplebucket/a', credentials: EXAMPLE };
const link = {
  method: 'GET',
  host: request.host,
  region: 'us-east-1',
  bucket: 'b',
  key: 'k',
  credentials: EXAMPLE,
} as const;
const accepts = (head: Parameters<Authenticator['authenticate']>[0]) =>
  authenticator.authenticate(head).caller.accessKeyId === EXAMPLE.accessKeyId;

describe('accepted requests', () => {
  test('authenticate accepts a Date header instead of x-amz-date', () => {
    const headers = { 'x-amz-date': undefined, date: new Date().toUTCString() };
    expect(accepts(signRequest({ ...request, headers }))).toBe(true);
  });

  test.each([-14, 14])('authenticate accepts a clock that is %d minutes off', (minutes) => {
    const signedAtMilliseconds = Date.now() + minutes * 60_000;
    expect(accepts(signRequest({ ...request, signedAtMilliseconds }))).toBe(true);
  });

  test('authenticate accepts an unsigned Content-Type and other unsigned headers', () => {
    const headers = { 'content-type': 'a/b', 'user-agent': 'x', 'x-forwarded-for': '1.2.3.4' };
    const unsigned = Object.keys(headers);
    expect(accepts(signRequest({ ...request, headers, unsigned }))).toBe(true);
  });

  test('authenticate accepts an Authorization header without spaces after its commas', () => {
    const { rawHeaders, ...rest } = signRequest(request);
    expect(accepts({ ...rest, rawHeaders: rawHeaders.map((text) => text.replaceAll(', ', ',')) })).toBe(true);
  });

  test('authenticate accepts a path with more or less percent-encoding than was signed', () => {
    const signed = signRequest({ ...request, path: '/examplebucket/a%28b%29~%C3%BC' });
    expect(accepts({ ...signed, rawPath: '/examplebucket/%61(b)%7e%c3%bc' })).toBe(true);
  });

  test('authenticate accepts a link in its last second and refuses it in the next', () => {
    vi.useFakeTimers({ now: MOMENT });
    const head = presignRequest({ ...link, expiresInSeconds: 60 });
    vi.setSystemTime(MOMENT + 59_999);
    expect(accepts(head)).toBe(true);
    vi.setSystemTime(MOMENT + 60_000);
    expect(() => accepts(head)).toThrow('has expired');
  });

  test('authenticate accepts non-ASCII header values, which are signed as the bytes sent', () => {
    const amzDate = '20130524T000000Z';
    const canonical = `PUT\n/\n\nhost:h\nx-amz-content-sha256:${EMPTY}\nx-amz-date:${amzDate}\nx-amz-meta-a:voilà à\n\nhost;x-amz-content-sha256;x-amz-date;x-amz-meta-a\n${EMPTY}`;
    const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
    const key = ['20130524', 'us-east-1', 's3', 'aws4_request'].reduce(
      hmac,
      Buffer.from(`AWS4${EXAMPLE.secretAccessKey}`),
    );
    const text = `AWS4-HMAC-SHA256\n${amzDate}\n20130524/us-east-1/s3/aws4_request\n${hash('sha256', canonical, 'hex')}`;
    const signature = hmac(key, text).toString('hex');
    const asSent = Buffer.from('  voilà   à ').toString('latin1');
    const authorization = toAuthorization('host;x-amz-content-sha256;x-amz-date;x-amz-meta-a', signature);
    vi.useFakeTimers({ now: MOMENT });
    expect(
      accepts({
        method: 'PUT',
        rawPath: '/',
        rawQuery: '',
        rawHeaders: [
          'Host',
          'h',
          'X-Amz-Content-Sha256',
          EMPTY,
          'X-Amz-Date',
          amzDate,
          'X-Amz-Meta-A',
          asSent,
          'Authorization',
          authorization,
        ],
      }),
    ).toBe(true);
  });
});

describe('permissions of callers', () => {
  const policy = toSessionPolicy('examplebucket', { prefix: 'ws/1/', access: 'read' });
  const session = sessions.issue(policy, 3600);

  test("a caller with session credentials is limited to the session's policy", () => {
    const { caller } = authenticator.authenticate(signRequest({ ...request, credentials: session }));
    expect(caller).toMatchObject({ accessKeyId: session.accessKeyId, isRestricted: true });
    expect(caller.may('s3:GetObject', { key: 'ws/1/a' })).toBe(true);
    expect(caller.may('s3:PutObject', { key: 'ws/1/a' })).toBe(false);
    expect(caller.may('s3:GetObject', { key: 'ws/2/a' })).toBe(false);
  });

  test("a caller with the server's own key is unrestricted", () => {
    const { caller } = authenticator.authenticate(signRequest({ ...request, credentials: sessions.own }));
    expect(caller.isRestricted).toBe(false);
    expect(caller.may('s3:DeleteObject', { key: 'ws/2/a' })).toBe(true);
  });
});

describe('refusals', () => {
  const detailsOf = (head: Parameters<Authenticator['authenticate']>[0]) => {
    try {
      authenticator.authenticate(head);
    } catch (error) {
      if (error instanceof S3Error) return error.details;
    }
    return undefined;
  };

  test('a refusal names the headers that were not signed', () => {
    const head = signRequest({
      ...request,
      headers: { 'x-amz-acl': 'private' },
      unsigned: ['x-amz-acl', 'host'],
    });
    expect(detailsOf(head)).toEqual({ HeadersNotSigned: 'host, x-amz-acl' });
  });

  test('a refusal names the right region', () => {
    const head = signRequest({ ...request, region: 'eu-west-1' });
    expect(detailsOf(head)).toEqual({ Region: 'us-east-1' });
    // Some clients parse the region from the message.
    expect(() => authenticator.authenticate(head)).toThrow("expecting 'us-east-1'");
  });

  test('a refusal shows what should have been signed, and nothing of the secret', () => {
    const credentials = { ...EXAMPLE, secretAccessKey: 'wrong' };
    const details = detailsOf(signRequest({ ...request, credentials }));
    expect(details).toMatchObject({ AWSAccessKeyId: EXAMPLE.accessKeyId });
    expect(details?.['CanonicalRequest']).toMatch(/^PUT\n\/examplebucket\/a\n/);
    expect(JSON.stringify(details)).not.toContain(EXAMPLE.secretAccessKey);
  });

  test('a refusal of an expired link shows its expiry and the current time', () => {
    vi.useFakeTimers({ now: MOMENT });
    const head = presignRequest({ ...link, expiresInSeconds: 60, signedAtMilliseconds: MOMENT - 3600_000 });
    expect(detailsOf(head)).toEqual({
      'X-Amz-Expires': '60',
      Expires: '2013-05-23T23:01:00.000Z',
      ServerTime: '2013-05-24T00:00:00.000Z',
    });
  });
});
