/** One authenticated request and its reply, as passed to the operations. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { EmbeddedStore } from '../../../platform/object-storage/embedded/embedded-store.ts';
import type { ChecksumAlgorithm } from '../../../platform/object-storage/embedded/stored-object.ts';
import type { Authenticated, Caller } from '../authentication/authenticate.ts';
import type { Target as PolicyTarget, S3Action } from '../authentication/policy.ts';
import { missingLength, type Payload, type PayloadRequest, readPayload } from '../payload/payload.ts';
import { S3Error } from '../s3-error.ts';
import type { Reply } from './reply.ts';
import type { Target } from './request-target.ts';

interface ExchangeOptions {
  readonly request: IncomingMessage;
  readonly reply: Reply;
  readonly target: Target;
  readonly headers: IncomingHttpHeaders;
  readonly authenticated: Authenticated;
  readonly bucket: string;
  readonly region: string;
  readonly store: EmbeddedStore;
}

interface PayloadOptions {
  readonly maxBytes: number;
  /** Algorithm of the required checksum; the request must not bring another. */
  readonly algorithm?: ChecksumAlgorithm | undefined;
  readonly request?: PayloadRequest | undefined;
}

export class Exchange {
  readonly reply: Reply;
  readonly store: EmbeddedStore;
  readonly bucket: string;
  readonly region: string;
  /** Empty if the request concerns the bucket. */
  readonly key: string;
  readonly query: ReadonlyMap<string, string>;
  /** Includes headers that a presigned URL holds in its query. */
  readonly headers: IncomingHttpHeaders;
  readonly caller: Caller;
  private readonly request: IncomingMessage;
  private readonly authenticated: Authenticated;

  constructor({ request, reply, target, headers, authenticated, bucket, region, store }: ExchangeOptions) {
    this.request = request;
    this.reply = reply;
    this.headers = headers;
    this.query = target.query;
    this.key = target.key ?? '';
    this.authenticated = authenticated;
    this.caller = authenticated.caller;
    this.bucket = bucket;
    this.region = region;
    this.store = store;
  }

  require(action: S3Action, on: PolicyTarget): void {
    if (!this.caller.may(action, on)) throw accessDenied();
  }

  header(name: string): string | undefined {
    return this.headers[name] as string | undefined;
  }

  /** Starts reading the body, after everything that can be checked before it. */
  readPayload({ maxBytes, algorithm, request = this.request }: PayloadOptions): Payload {
    const payload = readPayload(request, this.authenticated, { maxBytes, extraAlgorithm: algorithm });
    const declared = payload.declaredAlgorithm;
    if (algorithm !== undefined && declared !== undefined && declared !== algorithm)
      throw new S3Error(
        'InvalidRequest',
        `The upload was begun with ${algorithm}, and ${declared} was sent.`,
      );
    this.reply.welcomeBody();
    return payload;
  }

  /** Reads the whole body, for operations with small ones. */
  async readBody(maxBytes: number, request?: PayloadRequest): Promise<Buffer> {
    const lengths = ['content-length', 'x-amz-decoded-content-length'].map((name) => this.headers[name]);
    if (lengths[0] === undefined) throw missingLength();
    if (lengths.some((length) => Number(length) > maxBytes))
      throw new S3Error('MaxMessageLengthExceeded', `The body may have ${maxBytes} bytes at most.`, {
        MaxMessageLengthBytes: String(maxBytes),
      });
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.readPayload({ maxBytes, request }).body) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  /** Reads a body when the checksums in the headers are not those of the body but of the resulting object. */
  readBodyUnsummed(maxBytes: number): Promise<Buffer> {
    const { request } = this;
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !name.startsWith('x-amz-checksum-')),
    );
    return this.readBody(maxBytes, { headers, iterator: (options) => request.iterator(options) });
  }
}

export const accessDenied = () =>
  new S3Error(
    'AccessDenied',
    'These credentials do not allow this operation. They only give access to objects below their prefix, and not to other prefixes, the list of buckets or new buckets.',
  );
