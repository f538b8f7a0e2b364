/** The SDK's clients, set up for servers of any make and age. */
import { createHash } from 'node:crypto';
import { S3Client } from '@aws-sdk/client-s3';
import { STSClient } from '@aws-sdk/client-sts';
import type { OutsideOptions } from './outside-options.ts';

const CONNECTION_TIMEOUT_MS = 5_000;
/** A server that copies within itself says nothing until it is done. */
export const MAX_SILENCE_MS = 60_000;
/** Streams that are being read hold one each, and a request waits for one no longer than for a connection. */
const MAX_SOCKETS = 256;
const MAX_ATTEMPTS = 3;

export function createS3Client(options: OutsideOptions, maxSilenceMs = MAX_SILENCE_MS): S3Client {
  const client = new S3Client({
    ...toSettings(options, options.endpoint, maxSilenceMs),
    forcePathStyle: options.endpoint !== undefined,
    // Older servers do not know the checksums that the SDK adds by itself; the signature covers the content anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // It would cost a new connection for every upload, and parts are too small to be worth asking first.
    expectContinueHeader: false,
  });
  if (options.endpoint !== undefined) sendContentMd5(client);
  return client;
}

export function createStsClient(options: OutsideOptions, maxSilenceMs = MAX_SILENCE_MS): STSClient {
  return new STSClient(toSettings(options, options.stsEndpoint ?? options.endpoint, maxSilenceMs));
}

function toSettings(
  { region, accessKeyId, secretAccessKey }: OutsideOptions,
  endpoint: string | undefined,
  maxSilenceMs: number,
) {
  const agent = { keepAlive: true, maxSockets: MAX_SOCKETS };
  return {
    region,
    ...(endpoint !== undefined && { endpoint }),
    ...(accessKeyId !== undefined &&
      secretAccessKey !== undefined && { credentials: { accessKeyId, secretAccessKey } }),
    retryMode: 'standard',
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      socketTimeout: maxSilenceMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
  };
}

interface HttpRequest {
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array;
}

/** DeleteObjects must come with a checksum; the one that every server knows is not the one that the SDK chooses. */
function sendContentMd5(client: S3Client): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (commandName !== 'DeleteObjectsCommand') return next(args);
        const { headers, body } = args.request as HttpRequest;
        for (const name of Object.keys(headers))
          if (/^x-amz-(sdk-)?checksum-/i.test(name)) delete headers[name];
        headers['content-md5'] = createHash('md5').update(body).digest('base64');
        return next(args);
      },
    { step: 'build', priority: 'low', name: 'sendContentMd5' },
  );
}
