/** What a download returns: a file as published, or a file that must be made from others first. */
import { createHash } from 'node:crypto';
import type { DataFormat } from '../../platform/analytics/data-file.ts';
import { chooseSplit, type Split } from '../datasets/split.ts';
import type { ArtifactFile } from '../draft.ts';
import type { DownloadRequest } from './schema.ts';

/** One data file, read with the columns that were found when it was published. */
export interface DataSource extends Omit<Split, 'name' | 'path'> {}

/** All files of a version including its manifest, in the order of their paths. */
export interface ArchiveSource {
  readonly files: readonly ArtifactFile[];
}

export type Making =
  | { readonly format: DataFormat; readonly source: DataSource }
  | { readonly format: 'archive'; readonly source: ArchiveSource };

export type DatasetContent =
  | { readonly stored: ArtifactFile }
  | { readonly making: Making }
  /** An archive with all files of the version. */
  | 'archive';

/** @throws ApiError when the request names no split or an unknown one */
export function chooseContent(splits: readonly Split[], { format, split }: DownloadRequest): DatasetContent {
  const name = split ?? undefined;
  const paths = new Set(splits.map(({ path }) => path));
  if (format === 'raw' && name === undefined && paths.size !== 1) return 'archive';
  const chosen = chooseSplit(splits, name, ['body', 'split']);
  if (format === 'raw' || format === chosen.format) return { stored: chosen };
  const { sha256, size_bytes, row_count, columns } = chosen;
  return { making: { format, source: { sha256, size_bytes, format: chosen.format, row_count, columns } } };
}

/** Version of the conversion: incremented when the same source yields different output than before. */
const MAKING = 1;

/** Returns the same digest for the same content and conversion, in any version. */
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
  // Split names may contain any characters.
  const stem = parts.join('-').replace(/[\p{C}/\\]/gu, '_');
  return extension === '' ? stem : `${stem}.${extension}`;
}

/** Returns what follows the last dot of the last path segment. */
export const extensionOf = (path: string): string => /[^/]\.([A-Za-z0-9]{1,16})$/.exec(path)?.[1] ?? '';
