/** What is about to be published: verified files in the object storage, a manifest, and what was found out about them. */
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Kind } from './kinds.ts';

/** A file of a version: its content is, or is about to be, a blob of the organization. */
export interface ArtifactFile {
  readonly path: string;
  /** In hexadecimal. */
  readonly sha256: string;
  readonly size_bytes: number;
}

/** What lists show and filter by. */
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
  /** `artifact_versions.details`, in the form of the kind. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** The way to the content of files that are not published yet. */
export interface Reading {
  readonly organizationId: string;
  /** By the digest. The stream is to be read to its end, or destroyed. */
  readonly open: (sha256: string) => Promise<Readable>;
  readonly signal: AbortSignal;
}

/** What an examination may look at. */
export interface Examined<Manifest> extends Reading {
  readonly manifest: Manifest;
  /** All files but the manifest itself, by path. */
  readonly files: ReadonlyMap<string, ArtifactFile>;
}

/**
 * A kind, as publishing sees it. `examine` throws `ApiError('validation_error')` for what is wrong with the user's files,
 * with `loc` `['body', <path>]` and, for data files, the line in `msg`.
 */
export interface KindOfArtifact<Manifest> {
  readonly kind: Kind;
  readonly manifest: z.ZodType<Manifest>;
  readonly examine: (draft: Examined<Manifest>) => Promise<Findings>;
}
