import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { describe, expect, test } from 'vitest';
import { type PresignRequest, presignUrl } from './presign.ts';

const credentials = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG' };
const signingDate = new Date('2026-02-03T04:05:06Z');

const base: PresignRequest = {
  method: 'GET',
  endpoint: 'http://localhost:9000',
  region: 'us-east-1',
  bucket: 'drydock',
  key: 'a.txt',
  credentials,
  expiresInSeconds: 900,
  signedAtMilliseconds: signingDate.getTime(),
};

function toClient(request: PresignRequest) {
  return new S3Client({
    region: request.region,
    endpoint: request.endpoint,
    forcePathStyle: true,
    credentials: { ...request.credentials },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

describe('presigned URLs equal those of the AWS SDK', () => {
  test.each([
    ['a plain key', base],
    ['an odd key', { ...base, key: "a b//ü+%41&?#='(x)!*~/日本/%2F/." }],
    ['a session', { ...base, credentials: { ...credentials, sessionToken: 'abc/def+ghi==' } }],
    ['another port and region', { ...base, endpoint: 'https://s3.example.com:8443', region: 'eu-west-3' }],
    ['the usual port', { ...base, endpoint: 'https://s3.example.com:443' }],
    ['an endpoint with a path', { ...base, endpoint: 'http://localhost:9000/storage/' }],
  ] satisfies [string, PresignRequest][])(
    'a presigned URL for %s equals that of the AWS SDK',
    async (_name, request) => {
      const command = { Bucket: request.bucket, Key: request.key };
      const options = { expiresIn: request.expiresInSeconds, signingDate };
      const client = toClient(request);
      const get = await getSignedUrl(client, new GetObjectCommand(command), options);
      expect(presignUrl({ ...request, query: { 'x-id': 'GetObject' } })).toBe(get);
      const put = await getSignedUrl(client, new PutObjectCommand(command), options);
      expect(presignUrl({ ...request, method: 'PUT', query: { 'x-id': 'PutObject' } })).toBe(put);
    },
  );

  test('a presigned URL with response headers equals that of the AWS SDK', async () => {
    const disposition = `attachment; filename="x y.txt"; filename*=UTF-8''%C3%BC.txt`;
    const theirs = await getSignedUrl(
      toClient(base),
      new GetObjectCommand({
        Bucket: 'drydock',
        Key: 'a.txt',
        ResponseContentDisposition: disposition,
        ResponseContentType: 'text/plain; charset=utf-8',
      }),
      { expiresIn: 900, signingDate },
    );
    const query = {
      'x-id': 'GetObject',
      'response-content-disposition': disposition,
      'response-content-type': 'text/plain; charset=utf-8',
    };
    expect(presignUrl({ ...base, query })).toBe(theirs);
  });
});

test.each([0, -1, 604_801, Number.NaN])('a validity of %s seconds is refused', (expiresInSeconds) => {
  expect(() => presignUrl({ ...base, expiresInSeconds })).toThrow(RangeError);
});
