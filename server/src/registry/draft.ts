/** A version before it is published: verified files in the object storage, a manifest, and the results of the examination. */
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Kind } from './kinds.ts';

/** A file of a version, whose content is a blob of the organization or is about to become one. */
export interface ArtifactFile {
  readonly path: string;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly size_bytes: number;
}

/** Fields that lists show and filter by. */
export interface Listing {
  readonly summary: string | null;
  readonly tags: readonly string[] | null;
  readonly license: string | null;
  readonly task_categories: readonly string[] | null;
  readonly framework: string | null;
  readonly size_category: string | null;
  readonly difficulty: string | null;
  readonly source: string | null;
}

export interface Findings {
  readonly listing: Listing;
  /** `artifact_versions.details`, in the format of the kind. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** Access to the content of files that are not published yet. */
export interface Reading {
  readonly organizationId: string;
  /** Opens content by its digest. The stream must be read to its end or destroyed. */
  readonly open: (sha256: string) => Promise<Readable>;
  readonly signal: AbortSignal;
}

/** Input of an examination. */
export interface Examined<Manifest> extends Reading {
  readonly manifest: Manifest;
  /** All files except the manifest itself, by path. */
  readonly files: ReadonlyMap<string, ArtifactFile>;
}

/**
 * A kind of artifact, from the perspective of publishing. `examine` throws `ApiError('validation_error')` for invalid files, with `loc`
 * `['body', <path>]` and, for data files, the line in `msg`.
 */
export interface KindOfArtifact<Manifest> {
  readonly kind: Kind;
  readonly manifest: z.ZodType<Manifest>;
  readonly examine: (draft: Examined<Manifest>) => Promise<Findings>;
}
