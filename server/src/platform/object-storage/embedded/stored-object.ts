/** Types of stored objects, and of what a write provides. */
import type { OtherHeaders } from '../object-storage.ts';

export const CHECKSUM_ALGORITHMS = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const;
export type ChecksumAlgorithm = (typeof CHECKSUM_ALGORITHMS)[number];
/** Checksum of all bytes, or of the parts' checksums. */
export type ChecksumType = 'FULL_OBJECT' | 'COMPOSITE';

export interface Checksum {
  readonly algorithm: ChecksumAlgorithm;
  readonly type: ChecksumType;
  /** Base64; a composite one is followed by `-` and the number of parts. */
  readonly value: string;
}

/** An immutable file of the store. */
export interface Blob {
  readonly id: string;
  readonly sizeBytes: number;
}

/** A new blob, which has no owner until the index refers to it. */
export interface WrittenBlob extends Blob {
  /** Hexadecimal. */
  readonly md5: string;
}

/** Headers that are served as given, by lower-case names. */
export type ServedHeaders = OtherHeaders & { readonly 'content-type'?: string };

export interface Description {
  readonly headers: ServedHeaders;
  /** Metadata by lower-case names without `x-amz-meta-`. */
  readonly metadata: Readonly<Record<string, string>>;
}

export interface NewObject extends Description {
  readonly key: string;
  /** Blobs in their order; none for an empty object. */
  readonly blobs: readonly Blob[];
  /** Etag without its quotes. */
  readonly etag: string;
  readonly checksum: Checksum | undefined;
}

export interface StoredObject extends NewObject {
  readonly sizeBytes: number;
  readonly updatedAt: Date;
}

/** Condition of a write: there is no object yet, or exactly this one. */
export type WriteCondition = { readonly ifNoneMatch: '*' } | { readonly ifMatch: string };

/** Thrown when the condition of a write is not met: nothing was changed. */
export class ConditionFailed extends Error {}
export class NoSuchUpload extends Error {}
/** Thrown when the content is so old that it may count as orphaned: nothing was changed. */
export class TooLate extends Error {}
/** Thrown when a part was replaced or deleted since it was read: nothing was changed. */
export class PartChanged extends Error {}
