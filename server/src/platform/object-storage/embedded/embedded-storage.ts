/** The object storage port on top of the embedded store: uses its files and index directly, without the gateway. */
import { Readable } from 'node:stream';
import { ApiError, notFound } from '../../errors.ts';
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
import { toSessionPolicy } from '../session-policy.ts';
import { presignUrl } from '../sigv4/presign.ts';
import type { EmbeddedStore } from './embedded-store.ts';
import type { Sessions } from './sessions.ts';
import type { StoredObject } from './stored-object.ts';

const PAGE = 1_000;
const UPLOADS_PAGE = 20;

export interface EmbeddedStorageOptions {
  readonly store: EmbeddedStore;
  readonly sessions: Sessions;
  readonly bucket: string;
  readonly region: string;
  /** URL of the gateway for clients. */
  readonly endpoint: string;
}

export class EmbeddedStorage implements ObjectStorage {
  readonly bucket: string;
  private readonly store: EmbeddedStore;
  private readonly sessions: Sessions;
  private readonly region: string;
  readonly endpoint: string;

  constructor({ store, sessions, bucket, region, endpoint }: EmbeddedStorageOptions) {
    this.store = store;
    this.sessions = sessions;
    this.bucket = bucket;
    this.region = region;
    this.endpoint = endpoint;
  }

  async put(
    key: string,
    body: Readable | Uint8Array,
    { contentType, headers: others, metadata = {} }: ObjectAttributes = {},
  ): Promise<ObjectInfo> {
    const given = new GivenBody(body instanceof Uint8Array ? [body] : body);
    const headers = { ...others, ...(contentType !== undefined && { 'content-type': contentType }) };
    const putting = this.store.putObject({ key, body: given, headers, metadata });
    return toInfo(await explain(putting, (error) => given.failure?.error === error));
  }

  async find(key: string): Promise<ObjectInfo | undefined> {
    const object = await explain(this.store.index.find(key));
    return object && toInfo(object);
  }

  async open(key: string, range?: ByteRange): Promise<OpenObject | undefined> {
    const found = await explain(this.store.openObject(key, (object) => range && toRange(object, range)));
    if (!found) return undefined;
    const { object, body } = found;
    return { info: toInfo(object), body: Buffer.isBuffer(body) ? Readable.from([body]) : body };
  }

  async copy(from: string, to: string): Promise<ObjectInfo> {
    const copied = await explain(this.store.copyObject(from, (source) => ({ ...source, key: to })));
    if (!copied) throw notFound(`Object "${from}"`);
    return toInfo(copied);
  }

  async delete(keys: readonly string[]): Promise<void> {
    for (let start = 0; start < keys.length; start += PAGE)
      await explain(this.store.index.delete(keys.slice(start, start + PAGE)));
  }

  /** Aborts multipart uploads first, so that none of them becomes an object afterwards. */
  async deleteUnder(prefix: string): Promise<number> {
    const { index, uploads } = this.store;
    await inPages(UPLOADS_PAGE, () => explain(uploads.abortUnder(prefix, UPLOADS_PAGE)));
    return inPages(PAGE, () => explain(index.deleteUnder(prefix, PAGE)));
  }

  async *list(prefix: string): AsyncGenerator<ObjectInfo> {
    for (let after: string | undefined; ; ) {
      const page = await explain(this.store.index.list({ prefix, after, limit: PAGE }));
      for (const { key, sizeBytes, etag, updatedAt } of page.objects)
        yield { key, sizeBytes, etag, updatedAt };
      if (page.next === undefined) return;
      after = page.next;
    }
  }

  async presignGet(
    key: string,
    { expiresInSeconds, filename, contentType }: PresignOptions,
  ): Promise<string> {
    return this.presign('GET', key, expiresInSeconds, {
      ...(filename !== undefined && { 'response-content-disposition': toAttachment(filename) }),
      ...(contentType !== undefined && { 'response-content-type': contentType }),
    });
  }

  async presignPut(key: string, { expiresInSeconds, sizeBytes }: PutLinkOptions): Promise<string> {
    const headers = { 'content-length': String(sizeBytes) };
    return this.presign('PUT', key, expiresInSeconds, {}, headers);
  }

  async issueCredentials(grant: StorageGrant, seconds: number): Promise<StorageCredentials> {
    const session = this.sessions.issue(toSessionPolicy(this.bucket, grant), seconds);
    return { ...session, region: this.region, endpoint: this.endpoint };
  }

  async check(): Promise<void> {
    await explain(this.store.files.check());
  }

  /** Closes nothing: the database is owned by the process that opened it. */
  async close(): Promise<void> {}

  private presign(
    method: 'GET' | 'PUT',
    key: string,
    expiresInSeconds: number,
    query: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): string {
    const { endpoint, region, bucket } = this;
    const credentials = this.sessions.own;
    return presignUrl({
      method,
      endpoint,
      region,
      bucket,
      key,
      credentials,
      expiresInSeconds,
      query,
      headers,
    });
  }
}

/** Records whether the body itself failed, which is not an error of the store. */
class GivenBody implements AsyncIterable<Uint8Array> {
  failure: { readonly error: unknown } | undefined;
  private readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

  constructor(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
    this.body = body;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      yield* this.body;
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }
}

async function explain<T>(work: Promise<T>, isOthers: (error: unknown) => boolean = () => false): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof ApiError || isOthers(cause)) throw cause;
    throw new ApiError('object_storage_error', 'The object storage failed.', { cause });
  }
}

async function inPages(size: number, deletePage: () => Promise<number>): Promise<number> {
  for (let all = 0; ; ) {
    const deleted = await deletePage();
    all += deleted;
    if (deleted < size) return all;
  }
}

function toRange({ key, sizeBytes }: StoredObject, { start, end = sizeBytes - 1 }: ByteRange) {
  if (start >= sizeBytes)
    throw new ApiError('object_storage_error', `Object "${key}" ends before byte ${start}.`);
  return { start, end: Math.min(end, sizeBytes - 1) };
}

function toInfo({ key, sizeBytes, etag, updatedAt, headers, metadata }: StoredObject): ObjectInfo {
  return { key, sizeBytes, etag, updatedAt, contentType: headers['content-type'], metadata };
}
