/** Hosts that the SDK contacts, regardless of the machine's own settings. */
import { HeadBucketCommand, type S3Client } from '@aws-sdk/client-s3';
import { GetCallerIdentityCommand, type STSClient } from '@aws-sdk/client-sts';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createReadingClient, createS3Client, createStsClient } from './clients.ts';
import type { OutsideOptions } from './outside-options.ts';

const AWS: OutsideOptions = {
  region: 'eu-west-1',
  bucket: 'objects',
  accessKeyId: 'k',
  secretAccessKey: 's',
};

async function s3Host(client: S3Client): Promise<string> {
  return hostOf(client, () => client.send(new HeadBucketCommand({ Bucket: 'objects' })));
}

async function stsHost(options: Partial<OutsideOptions>): Promise<string> {
  const client = createStsClient({ ...AWS, ...options });
  return hostOf(client, () => client.send(new GetCallerIdentityCommand({})));
}

/** Returns the host of a request without sending it. */
async function hostOf(client: S3Client | STSClient, send: () => Promise<unknown>): Promise<string> {
  onTestFinished(() => client.destroy());
  let host = '';
  const stop = () => (args: { readonly request?: unknown }) => {
    host = (args.request as { readonly hostname: string }).hostname;
    throw new Error('not sent');
  };
  (client as S3Client).middlewareStack.add(stop, { step: 'build', priority: 'low' });
  await expect(send()).rejects.toThrow('not sent');
  return host;
}

test('endpoints in the environment are ignored', async () => {
  for (const name of ['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL_STS'])
    vi.stubEnv(name, 'http://elsewhere.example');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await s3Host(createS3Client(AWS))).toBe('objects.s3.eu-west-1.amazonaws.com');
  expect(await s3Host(createReadingClient(AWS))).toBe('objects.s3.eu-west-1.amazonaws.com');
  expect(await stsHost({})).toBe('sts.eu-west-1.amazonaws.com');
});

test.each([
  ['http://127.0.0.1:9000', undefined, '127.0.0.1'],
  ['http://127.0.0.1:9000', 'http://sts.example', 'sts.example'],
  ['https://s3.eu-west-1.amazonaws.com', undefined, 'sts.eu-west-1.amazonaws.com'],
  ['https://s3.cn-north-1.amazonaws.com.cn', 'https://sts.example', 'sts.example'],
  ['https://s3.amazonaws.com.example', undefined, 's3.amazonaws.com.example'],
])(
  'an S3 endpoint %s and an STS endpoint %s give tokens from %s',
  async (endpoint, stsEndpoint, expected) => {
    expect(await stsHost({ endpoint, stsEndpoint })).toBe(expected);
  },
);
