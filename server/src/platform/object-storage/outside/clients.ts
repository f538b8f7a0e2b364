/** Clients of the AWS SDK, configured for servers of any vendor and age. */
import { createHash } from 'node:crypto';
import { S3Client } from '@aws-sdk/client-s3';
import { STSClient } from '@aws-sdk/client-sts';
import type { OutsideOptions } from './outside-options.ts';

const CONNECTION_TIMEOUT_MS = 5_000;
/** A server sends nothing while it copies an object internally. */
export const MAX_SILENCE_MS = 60_000;
/** A caller waits for credentials, and a token service needs little time. */
const TOKEN_SERVICE_MS = 5_000;
/** Each stream that is being read holds one, and a request waits for one only as long as for a connection. */
const MAX_SOCKETS = 256;
const MAX_ATTEMPTS = 3;
const TOKEN_SERVICE_ATTEMPTS = 2;

/** Creates a client for everything except reading content. */
export function createS3Client(options: OutsideOptions, maxSilenceMs = MAX_SILENCE_MS): S3Client {
  return createClient(options, { socketTimeout: maxSilenceMs });
}

/** Creates a client for reading content, whose reader may pause for any time once it has started. */
export function createReadingClient(options: OutsideOptions, maxSilenceMs = MAX_SILENCE_MS): S3Client {
  return createClient(options, {
    socketTimeout: 0,
    requestTimeout: maxSilenceMs,
    throwOnRequestTimeout: true,
  });
}

export function createStsClient(options: OutsideOptions, timeoutMs = TOKEN_SERVICE_MS): STSClient {
  const timeouts = { requestTimeout: timeoutMs, throwOnRequestTimeout: true };
  return new STSClient({
    ...toSettings(options, stsEndpointOf(options), timeouts),
    maxAttempts: TOKEN_SERVICE_ATTEMPTS,
  });
}

/** Many servers serve STS at the same address, but AWS has another host for it, which the SDK derives from the region. */
function stsEndpointOf({ endpoint, stsEndpoint }: OutsideOptions): string | undefined {
  if (stsEndpoint !== undefined || endpoint === undefined) return stsEndpoint;
  return /\.amazonaws\.com(\.cn)?$/.test(new URL(endpoint).hostname) ? undefined : endpoint;
}

interface Timeouts {
  readonly socketTimeout?: number;
  readonly requestTimeout?: number;
  readonly throwOnRequestTimeout?: boolean;
}

function createClient(options: OutsideOptions, timeouts: Timeouts): S3Client {
  const client = new S3Client({
    ...toSettings(options, options.endpoint, timeouts),
    maxAttempts: MAX_ATTEMPTS,
    forcePathStyle: options.endpoint !== undefined,
    // Older servers do not know the default checksums of the SDK; the signature covers the content anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Would cost a new connection for every upload, and parts are too small to benefit.
    expectContinueHeader: false,
  });
  if (options.endpoint !== undefined) sendContentMd5(client);
  return client;
}

function toSettings(
  { region, accessKeyId, secretAccessKey }: OutsideOptions,
  endpoint: string | undefined,
  timeouts: Timeouts,
) {
  const agent = { keepAlive: true, maxSockets: MAX_SOCKETS };
  return {
    region,
    ...(endpoint !== undefined && { endpoint }),
    // Otherwise AWS_ENDPOINT_URL or a file in the home directory would redirect objects.
    ignoreConfiguredEndpointUrls: true,
    ...(accessKeyId !== undefined &&
      secretAccessKey !== undefined && { credentials: { accessKeyId, secretAccessKey } }),
    retryMode: 'standard',
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      ...timeouts,
      httpAgent: agent,
      httpsAgent: agent,
    },
  };
}

interface HttpRequest {
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array;
}

/** DeleteObjects requires a checksum; the one that every server supports is not the default of the SDK. */
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
