/** The port: what the server wants of an object store, whether that is any S3 or the embedded one. */
import type { Readable } from 'node:stream';

export interface ObjectStorage {
  readonly bucket: string;
  /** Where clients reach it; null where they look by themselves. */
  readonly endpoint: string | null;
  /** Replaces what was there. Returns once it is durable. */
  put(key: string, body: Readable | Uint8Array, attributes?: ObjectAttributes): Promise<ObjectInfo>;
  find(key: string): Promise<ObjectInfo | undefined>;
  /** The content, as a stream that the caller must read to its end or destroy; undefined when there is no such object. */
  open(key: string, range?: ByteRange): Promise<OpenObject | undefined>;
  /** Within the store, without the content passing through here. */
  copy(from: string, to: string): Promise<ObjectInfo>;
  /** A key without an object counts as deleted. */
  delete(keys: readonly string[]): Promise<void>;
  /** @returns how many were deleted */
  deleteUnder(prefix: string): Promise<number>;
  /** In the order of the keys' UTF-8 bytes. */
  list(prefix: string): AsyncIterable<ObjectInfo>;
  /** A link with which anyone can read the object for a while; a browser saves it, and does not show it. */
  presignGet(key: string, options: PresignOptions): Promise<string>;
  /** A link with which anyone can write the object for a while, once or more, with exactly `sizeBytes` bytes each time. */
  presignPut(key: string, options: PutLinkOptions): Promise<string>;
  /** Credentials of which the store itself makes sure that they reach nothing but what is granted. */
  issueCredentials(grant: StorageGrant, seconds: number): Promise<StorageCredentials>;
  /** Throws when the store cannot be used. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface ObjectAttributes {
  /** How much the body holds, where that is known: of what is very large, an S3 wants larger parts. */
  readonly sizeBytes?: number | undefined;
  readonly contentType?: string | undefined;
  readonly headers?: OtherHeaders | undefined;
  /** Names in lower case. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** Headers that are served as they were given, besides the content type, by names in lower case. */
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
  /** Without its quotes. */
  readonly etag: string;
  readonly updatedAt: Date;
  /** Not known from a list. */
  readonly contentType?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** Both ends included; without an end, to the last byte. */
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
  /** Under which name a browser saves it. */
  readonly filename?: string | undefined;
  readonly contentType?: string | undefined;
}

/** Objects under a prefix, to read or also to write, delete and list. */
export interface StorageGrant {
  /** Ends with a slash. */
  readonly prefix: string;
  readonly access: 'read' | 'write';
}

export interface StorageCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  readonly region: string;
  /** null: where an S3 client looks by itself. */
  readonly endpoint: string | null;
  readonly expiresAt: Date;
}
