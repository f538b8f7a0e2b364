/** The port of object storage: what the server needs of a store, either an S3 server or the embedded one. */
import type { Readable } from 'node:stream';

export interface ObjectStorage {
  readonly bucket: string;
  /** URL for clients; null if they find it by themselves. */
  readonly endpoint: string | null;
  /** Replaces the object. Returns once it is durable. */
  put(key: string, body: Readable | Uint8Array, attributes?: ObjectAttributes): Promise<ObjectInfo>;
  find(key: string): Promise<ObjectInfo | undefined>;
  /** Returns the content as a stream that the caller must read to its end or destroy; undefined when there is no such object. */
  open(key: string, range?: ByteRange): Promise<OpenObject | undefined>;
  /** Copies within the store, without transferring the content. */
  copy(from: string, to: string): Promise<ObjectInfo>;
  /** Deleting a key without an object succeeds. */
  delete(keys: readonly string[]): Promise<void>;
  /** @returns the number of deleted objects */
  deleteUnder(prefix: string): Promise<number>;
  /** Lists objects in the order of the keys' UTF-8 bytes. */
  list(prefix: string): AsyncIterable<ObjectInfo>;
  /** Returns a temporary link that lets anyone read the object; browsers download it instead of showing it. */
  presignGet(key: string, options: PresignOptions): Promise<string>;
  /** Returns a temporary link that lets anyone write the object, once or more, with exactly `sizeBytes` bytes each time. */
  presignPut(key: string, options: PutLinkOptions): Promise<string>;
  /** Issues credentials that the store itself limits to the grant. */
  issueCredentials(grant: StorageGrant, seconds: number): Promise<StorageCredentials>;
  /** Throws when the store cannot be used. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface ObjectAttributes {
  /** Size of the body if known: very large ones need larger parts in S3. */
  readonly sizeBytes?: number | undefined;
  readonly contentType?: string | undefined;
  readonly headers?: OtherHeaders | undefined;
  /** Metadata by lower-case names. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** Headers other than the content type that are served as given, by lower-case names. */
export type OtherHeaders = Readonly<
  Partial<
    Record<
      'cache-control' | 'content-disposition' | 'content-encoding' | 'content-language' | 'expires',
      string
    >
  >
>;

export interface ObjectInfo {
  readonly key: string;
  readonly sizeBytes: number;
  /** Etag without its quotes. */
  readonly etag: string;
  readonly updatedAt: Date;
  /** Unknown in lists. */
  readonly contentType?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** Both ends are inclusive; without an end, the range extends to the last byte. */
export interface ByteRange {
  readonly start: number;
  readonly end?: number | undefined;
}

export interface OpenObject {
  readonly info: ObjectInfo;
  readonly body: Readable;
}

export interface PutLinkOptions {
  readonly expiresInSeconds: number;
  readonly sizeBytes: number;
}

export interface PresignOptions {
  /** At most a week. */
  readonly expiresInSeconds: number;
  /** Filename of the download in a browser. */
  readonly filename?: string | undefined;
  readonly contentType?: string | undefined;
}

/** Access to objects under a prefix: reading, or also writing, deleting and listing. */
export interface StorageGrant {
  /** Must end with a slash. */
  readonly prefix: string;
  readonly access: 'read' | 'write';
}

export interface StorageCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  readonly region: string;
  /** Null if S3 clients find it by themselves. */
  readonly endpoint: string | null;
  readonly expiresAt: Date;
}
