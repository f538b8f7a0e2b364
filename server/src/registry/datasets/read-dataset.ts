/** Reads the rows of a published split within the server, page by page. */
import { readRows } from '../../platform/analytics/analytics.ts';
import { BoundError, type DataColumn } from '../../platform/analytics/data-file.ts';
import { type LocalFiles, withCopy } from '../../platform/analytics/local-files.ts';
import type { OrgScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import { getFoundVersion } from '../artifacts/find-version.ts';
import { openBlob } from '../blobs.ts';
import { chooseSplit, type Split, splitsOf } from './split.ts';

export type DatasetRow = Readonly<Record<string, unknown>>;

export interface DatasetStore {
  readonly db: Db;
  readonly storage: ObjectStorage;
  readonly local: Pick<LocalFiles, 'work' | 'copies' | 'turns'>;
}

export interface FoundSplit {
  readonly ownerId: string;
  readonly versionId: string;
  /** Hexadecimal digest of the version's files. */
  readonly digest: string;
  /** The exact version. */
  readonly version: string;
  readonly split: Split;
  readonly columns: readonly DataColumn[];
  readonly rowCount: number;
}

/** A page of a thousand rows takes one DuckDB process; a page of large rows is read again in tenths. */
const PAGE_ROWS = 1_000;

/**
 * @param loc of the split in the request
 * @throws {ApiError} `not_found_error` for a dataset or version that the viewer cannot see, `validation_error` for an unknown split
 */
export async function findSplit(
  db: Db,
  scope: OrgScope,
  { name, version, split: given }: { name: string; version: string; split?: string | null | undefined },
  loc: readonly string[],
): Promise<FoundSplit> {
  const found = await getFoundVersion(db, scope, 'dataset', name, version);
  const split = chooseSplit(splitsOf(found.details), given ?? undefined, loc);
  const { columns, row_count: rowCount } = split;
  const { organization_id: ownerId, id: versionId, digest } = found;
  return { ownerId, versionId, digest, version: found.version, split, columns, rowCount };
}

/**
 * Yields all rows in the order of the file.
 * @throws {BoundError} for a row that is larger than a page may be
 */
export async function* readSplit(
  { db, storage, local }: DatasetStore,
  { ownerId, split }: FoundSplit,
  by: string,
  signal: AbortSignal,
): AsyncGenerator<DatasetRow[]> {
  const { sha256, size_bytes, format, row_count, columns } = split;
  const content = { owner: ownerId, sha256, size_bytes, open: () => openBlob(db, storage, ownerId, sha256) };
  const { work } = local;
  for (let offset = 0, limit = PAGE_ROWS; offset < row_count; ) {
    const page = (path: string) =>
      readRows({ work, signal, source: { path, format, row_count, columns }, offset, limit });
    try {
      const { rows } = await withCopy(local, { purpose: 'rows', by, content, signal }, page);
      const parsed = JSON.parse(rows) as DatasetRow[];
      yield parsed;
      if (parsed.length === 0) return;
      offset += parsed.length;
    } catch (error) {
      if (!(error instanceof BoundError && error.bound === 'result_size' && limit > 1)) throw error;
      limit = Math.ceil(limit / 10);
    }
  }
}
