/** The object storage port on top of any S3 server. */
import { Readable } from 'node:stream';
import { GetObjectCommand, HeadBucketCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { STSClient } from '@aws-sdk/client-sts';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { ApiError } from '../../errors.ts';
import { toAttachment } from '../../http/responses/content-disposition.ts';
import type {
  ByteRange,
  ObjectAttributes,
  ObjectInfo,
  ObjectStorage,
  OpenObject,
  PresignOptions,
  PutLinkOptions,
  StorageCredentials,
  StorageGrant,
} from '../object-storage.ts';
import { createReadingClient, createS3Client, createStsClient, MAX_SILENCE_MS } from './clients.ts';
import { codeOf, explained, found } from './failures.ts';
import type { OutsideOptions } from './outside-options.ts';
import { Heads } from './reading/heads.ts';
import { listPages, toEtag } from './reading/listing.ts';
import { toSteadyBody } from './reading/steady-body.ts';
import { assumeRole } from './session-credentials.ts';
import { COPY_SIZES, type CopySizes, copyObject } from './writing/copying.ts';
import { abortUploadsBefore, deleteKeys, deleteUnder } from './writing/deletion.ts';
import { uploadBody } from './writing/uploading.ts';

/** Total timeout over all attempts, because a caller waits for the response. */
const CHECK_TIMEOUT_MS = 5_000;

/** Sizes and times that tests reduce. */
export interface Tuning {
  readonly copySizes?: CopySizes;
  readonly maxSilenceMs?: number;
}

export class OutsideStorage implements ObjectStorage {
  readonly bucket: string;
  readonly endpoint: string | null;
  readonly s3: S3Client;
  readonly heads: Heads;
  private readonly options: OutsideOptions;
  private readonly copySizes: CopySizes;
  private readonly maxSilenceMs: number;
  private readonly reading: S3Client;
  private readonly sts: STSClient;

  constructor(options: OutsideOptions, { copySizes = COPY_SIZES, maxSilenceMs }: Tuning = {}) {
    this.bucket = options.bucket;
    this.endpoint = options.endpoint ?? null;
    this.options = options;
    this.copySizes = copySizes;
    this.maxSilenceMs = maxSilenceMs ?? MAX_SILENCE_MS;
    this.s3 = createS3Client(options, maxSilenceMs);
    this.heads = new Heads(this);
    this.reading = createReadingClient(options, maxSilenceMs);
    this.sts = createStsClient(options, maxSilenceMs);
  }

  async put(
    key: string,
    body: Readable | Uint8Array,
    attributes: ObjectAttributes = {},
  ): Promise<ObjectInfo> {
    await uploadBody(this, key, body, attributes);
    return this.getInfo(key);
  }

  async find(key: string): Promise<ObjectInfo | undefined> {
    const head = await this.heads.find(key);
    return head && toInfo(key, head);
  }

  async open(key: string, range?: ByteRange): Promise<OpenObject | undefined> {
    const command = new GetObjectCommand({
      Bucket: this.bucket,
      Key: key,
      ...(range && { Range: `bytes=${range.start}-${range.end ?? ''}` }),
    });
    const response = await found(this.reading.send(command).catch(explainRange(key, range)));
    if (!response) return undefined;
    if (!(response.Body instanceof Readable)) throw new TypeError('the SDK answers with streams of Node');
    return { info: toInfo(key, response), body: toSteadyBody(response.Body, this.maxSilenceMs) };
  }

  async copy(from: string, to: string): Promise<ObjectInfo> {
    await copyObject(this, from, to, this.copySizes);
    return this.getInfo(to);
  }

  delete(keys: readonly string[]): Promise<void> {
    return deleteKeys(this, keys);
  }

  deleteUnder(prefix: string): Promise<number> {
    return deleteUnder(this, prefix);
  }

  async *list(prefix: string): AsyncGenerator<ObjectInfo> {
    for await (const page of listPages(this, prefix)) yield* page;
  }

  presignGet(key: string, { expiresInSeconds, filename, contentType }: PresignOptions): Promise<string> {
    const command = new GetObjectCommand({
      Bucket: this.bucket,
      Key: key,
      ResponseContentDisposition: filename === undefined ? 'attachment' : toAttachment(filename),
      ...(contentType !== undefined && { ResponseContentType: contentType }),
    });
    return explained(getSignedUrl(this.s3, command, { expiresIn: expiresInSeconds }));
  }

  presignPut(key: string, { expiresInSeconds, sizeBytes }: PutLinkOptions): Promise<string> {
    const command = new PutObjectCommand({ Bucket: this.bucket, Key: key, ContentLength: sizeBytes });
    const signableHeaders = new Set(['content-length', 'host']);
    return explained(getSignedUrl(this.s3, command, { expiresIn: expiresInSeconds, signableHeaders }));
  }

  async issueCredentials(grant: StorageGrant, seconds: number): Promise<StorageCredentials> {
    const { bucket, stsRoleArn: roleArn, region } = this.options;
    const session = await assumeRole(this.sts, { bucket, roleArn, grant, seconds });
    return { ...session, region, endpoint: this.endpoint };
  }

  /**
   * Aborts abandoned multipart uploads.
   * @returns the number of aborted uploads
   */
  abortUploadsBefore(prefixes: readonly string[], before: Date): Promise<number> {
    return abortUploadsBefore(this, prefixes, before);
  }

  async check(): Promise<void> {
    const abortSignal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
    await explained(this.s3.send(new HeadBucketCommand({ Bucket: this.bucket }), { abortSignal }));
  }

  async close(): Promise<void> {
    this.s3.destroy();
    this.reading.destroy();
    this.sts.destroy();
  }

  /** Reads a new object's metadata, since the response to a write lacks its time. */
  private async getInfo(key: string): Promise<ObjectInfo> {
    const info = await this.find(key);
    if (!info)
      throw new ApiError('object_storage_error', `Object "${key}" was deleted as soon as it was written.`);
    return info;
  }
}

function explainRange(key: string, range: ByteRange | undefined) {
  return (error: unknown): never => {
    if (!range || codeOf(error) !== 'InvalidRange') throw error;
    const detail = `Object "${key}" ends before byte ${range.start}.`;
    throw new ApiError('object_storage_error', detail, { cause: error });
  };
}

interface Described {
  readonly ContentLength?: number | undefined;
  /** For example `bytes 0-9/100`. */
  readonly ContentRange?: string | undefined;
  readonly ContentType?: string | undefined;
  readonly ETag?: string | undefined;
  readonly LastModified?: Date | undefined;
  readonly Metadata?: Readonly<Record<string, string>> | undefined;
}

function toInfo(key: string, response: Described): ObjectInfo {
  const total = response.ContentRange?.split('/')[1];
  return {
    key,
    sizeBytes: total === undefined ? (response.ContentLength ?? 0) : Number(total),
    etag: toEtag(response.ETag ?? ''),
    updatedAt: response.LastModified ?? new Date(0),
    contentType: response.ContentType,
    metadata: response.Metadata ?? {},
  };
}
