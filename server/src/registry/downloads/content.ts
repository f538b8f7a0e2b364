/** What a download hands out: a file as it was published, or something that has to be made of files first. */
import { createHash } from 'node:crypto';
import type { DataFormat } from '../../platform/analytics/data-file.ts';
import { chooseSplit, type Split } from '../datasets/split.ts';
import type { ArtifactFile } from '../draft.ts';
import type { DownloadRequest } from './schema.ts';

/** One file of rows, read as the columns that were found when it was published. */
export interface DataSource extends Omit<Split, 'name' | 'path'> {}

/** All files of a version, its manifest too, in the order of their paths. */
export interface ArchiveSource {
  readonly files: readonly ArtifactFile[];
}

export type Making =
  | { readonly format: DataFormat; readonly source: DataSource }
  | { readonly format: 'archive'; readonly source: ArchiveSource };

export type DatasetContent =
  | { readonly stored: ArtifactFile }
  | { readonly making: Making }
  /** All files of the version. */
  | 'archive';

/** @throws ApiError where the request names no split, or one that there is none of */
export function chooseContent(splits: readonly Split[], { format, split }: DownloadRequest): DatasetContent {
  const name = split ?? undefined;
  const paths = new Set(splits.map(({ path }) => path));
  if (format === 'raw' && name === undefined && paths.size !== 1) return 'archive';
  const chosen = chooseSplit(splits, name, ['body', 'split']);
  if (format === 'raw' || format === chosen.format) return { stored: chosen };
  const { sha256, size_bytes, row_count, columns } = chosen;
  return { making: { format, source: { sha256, size_bytes, format: chosen.format, row_count, columns } } };
}

/** Counted up when the same source is made into something else than before. */
const MAKING = 1;

/** The same for what is made of the same content in the same way, whichever versions hold it. */
export function digestOf({ format, source }: Making): Buffer {
  const identity =
    format === 'archive'
      ? source.files.map(({ path, sha256 }) => [path, sha256])
      : [source.sha256, source.format, source.columns.map(({ name, type }) => [name, type])];
  return createHash('sha256')
    .update(JSON.stringify([MAKING, ...identity]))
    .digest();
}

export const digestsOf = ({ format, source }: Making): string[] =>
  format === 'archive' ? source.files.map(({ sha256 }) => sha256) : [source.sha256];

/** `name-version[-split].ext`. */
export function toFilename(parts: readonly string[], extension: string): string {
  // A split may be called anything.
  const stem = parts.join('-').replace(/[\p{C}/\\]/gu, '_');
  return extension === '' ? stem : `${stem}.${extension}`;
}

/** Of a path: what follows the last dot of its last part. */
export const extensionOf = (path: string): string => /[^/]\.([A-Za-z0-9]{1,16})$/.exec(path)?.[1] ?? '';
