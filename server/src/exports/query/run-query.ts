/** Runs a SQL query while its caller waits. */
import { BoundError } from '../../platform/analytics/data-file.ts';
import type { LocalFiles } from '../../platform/analytics/local-files.ts';
import { queryRows, SqlError } from '../../platform/analytics/sql-query.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { invalidValue } from '../../platform/errors.ts';
import { getProjectId, type SqlTables, toViewer } from '../asking.ts';
import type { QueryRequestOf } from './schema.ts';

export interface QueryOptions {
  readonly db: Db;
  readonly local: Pick<LocalFiles, 'work' | 'turns'>;
  readonly sql: SqlTables;
}

const QUERY_MS = 30_000;
/** Callers that would wait longer for a turn are asked to retry later. */
const MAX_WAIT_MS = 10_000;

/** @returns the response as JSON text, because parsing megabytes of rows would be wasted */
export async function runQuery(
  { db, local, sql }: QueryOptions,
  scope: WorkspaceScope,
  { query, max_rows: maxRows, project_id }: QueryRequestOf,
  signal: AbortSignal,
): Promise<string> {
  const started = performance.now();
  const viewer = toViewer(scope, await getProjectId(db, scope, project_id));
  const turn = { owner: scope.organizationId, signal, maxWaitMs: MAX_WAIT_MS };
  try {
    const { columns, rows, row_count, truncated } = await local.turns.sql.take(turn, () =>
      queryRows({
        work: local.work,
        query,
        tables: sql.tables,
        source: sql.rowsFor(viewer),
        maxRows,
        bounds: { timeoutMs: QUERY_MS },
        signal,
      }),
    );
    const elapsed_ms = Math.round(performance.now() - started);
    return `{"columns":${JSON.stringify(columns)},"rows":${rows},"row_count":${row_count},"truncated":${truncated},"elapsed_ms":${elapsed_ms}}`;
  } catch (error) {
    // The query ended because the client disconnected or the caller lost permission.
    if (signal.aborted) throw signal.reason;
    if (error instanceof SqlError) throw invalidValue(['body', 'query'], error.message, 'invalid_sql');
    if (error instanceof BoundError) throw invalidValue(['body', 'query'], error.message, 'too_costly');
    throw error;
  }
}
