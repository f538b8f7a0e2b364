/** Returns rows of a published dataset. */
import type { Readable } from 'node:stream';
import { readRows } from '../../platform/analytics/analytics.ts';
import { BoundError } from '../../platform/analytics/data-file.ts';
import { withCopy } from '../../platform/analytics/local-files.ts';
import type { OrgScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { invalidValue } from '../../platform/errors.ts';
import { getFoundVersion } from '../artifacts/find-version.ts';
import type { ExaminerOptions } from './examine.ts';
import type { RowsQuery } from './schema.ts';
import { chooseSplit, splitsOf } from './split.ts';

export interface RowOptions extends ExaminerOptions {
  readonly db: Db;
  readonly openBlob: (organizationId: string, sha256: string) => Promise<Readable>;
}

export interface RowsPlace {
  readonly name: string;
  readonly version: string;
}

/** @returns the response as JSON text, because parsing megabytes of rows would be wasted */
export async function listRows(
  options: RowOptions,
  scope: OrgScope,
  { name, version }: RowsPlace,
  query: RowsQuery,
  signal: AbortSignal,
): Promise<string> {
  const { db, work, openBlob } = options;
  const found = await getFoundVersion(db, scope, 'dataset', name, version);
  const split = chooseSplit(splitsOf(found.details), query.split, ['query', 'split']);
  const { path, sha256, size_bytes, format, row_count, columns } = split;
  const { offset, limit, search } = query;
  // Id of the organization that owns the dataset, which may differ from the caller's.
  const owner = found.organization_id;
  const content = { owner, sha256, size_bytes, open: () => openBlob(owner, sha256) };
  // Outsiders share one queue rather than that of the members.
  const by = scope.role === null ? scope.principal.userId : scope.organizationId;
  try {
    const { rows, total } = await withCopy(options, { purpose: 'rows', by, content, signal }, (copy) =>
      readRows({
        work,
        signal,
        source: { path: copy, format, row_count, columns },
        offset,
        limit,
        search: search || undefined,
      }),
    );
    return `{"columns":${JSON.stringify(columns)},"rows":${rows},"total":${total}}`;
  } catch (error) {
    if (error instanceof BoundError)
      throw invalidValue(['query', causeOf(error, query)], `${path} ${error.message}`);
    // The read ended because the client disconnected or the caller lost permission.
    if (signal.aborted) throw signal.reason;
    throw error;
  }
}

/** Returns the parameter that exceeds the limit. */
function causeOf({ bound }: BoundError, { search }: RowsQuery): keyof RowsQuery {
  if (bound !== 'time') return 'limit';
  return search ? 'search' : 'offset';
}
