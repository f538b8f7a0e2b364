/** What the embedded store knows of an object, and what is said when one is kept. */
import type { OtherHeaders } from '../object-storage.ts';

export const CHECKSUM_ALGORITHMS = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const;
export type ChecksumAlgorithm = (typeof CHECKSUM_ALGORITHMS)[number];
/** Of all bytes, or of the parts' checksums. */
export type ChecksumType = 'FULL_OBJECT' | 'COMPOSITE';

export interface Checksum {
  readonly algorithm: ChecksumAlgorithm;
  readonly type: ChecksumType;
  /** Base64; of a composite one followed by `-` and the count of parts. */
  readonly value: string;
}

/** An immutable file of the store. */
export interface Blob {
  readonly id: string;
  readonly sizeBytes: number;
}

/** One that was just written: it has no owner until the index refers to it. */
export interface WrittenBlob extends Blob {
  /** Hex. */
  readonly md5: string;
}

/** Headers that are served as they were given, by their names in lower case. */
export type ServedHeaders = OtherHeaders & { readonly 'content-type'?: string };

export interface Description {
  readonly headers: ServedHeaders;
  /** Without `x-amz-meta-`, names in lower case. */
  readonly metadata: Readonly<Record<string, string>>;
}

export interface NewObject extends Description {
  readonly key: string;
  /** In their order; none for an empty object. */
  readonly blobs: readonly Blob[];
  /** Without its quotes. */
  readonly etag: string;
  readonly checksum: Checksum | undefined;
}

export interface StoredObject extends NewObject {
  readonly sizeBytes: number;
  readonly updatedAt: Date;
}

/** Under which a write takes place: nothing there yet, or exactly this there. */
export type WriteCondition = { readonly ifNoneMatch: '*' } | { readonly ifMatch: string };

/** The condition of a write did not hold: nothing was changed. */
export class ConditionFailed extends Error {}
export class NoSuchUpload extends Error {}
/** The content was written so long ago that it may be taken for lost: nothing was changed. */
export class TooLate extends Error {}
/** A part was put again, or is not there, since it was read: nothing was changed. */
export class PartChanged extends Error {}
