/** Exports as their creators see them; they are invisible to others. */

import { BoundError } from '../../platform/analytics/data-file.ts';
import type { LocalFiles } from '../../platform/analytics/local-files.ts';
import { checkQuery, SqlError } from '../../platform/analytics/sql-query.ts';
import { audit } from '../../platform/audit/audit.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { transactionFor } from '../../platform/db/transaction.ts';
import { explainViolation } from '../../platform/db/violations.ts';
import { invalidValue, notFound } from '../../platform/errors.ts';
import { offsetOf, toPage } from '../../platform/http/responses/pages.ts';
import type { JobKind } from '../../platform/jobs/job-kind.ts';
import { requestCancel } from '../../platform/jobs/job-row.ts';
import type { JobQueue } from '../../platform/jobs/queue.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { getProjectId, isLimited, type SqlTables } from '../asking.ts';
import { orderSweep } from './files.ts';
import type { ExportJobOf, ExportQuery, ExportRequestOf } from './schema.ts';

export const EXPORT: JobKind = { kind: 'exports.run', table: 'exports', ended: orderSweep };

export interface ExportStore {
  readonly db: Db;
  readonly storage: Pick<ObjectStorage, 'presignGet'>;
  readonly queue: Pick<JobQueue, 'enqueue'>;
  readonly local: Pick<LocalFiles, 'work' | 'turns'>;
  readonly sql: SqlTables;
}

/** Matches the caller's exports. A key limited to the workspace does not see files made with more access. */
function selectOwn(db: Db, scope: WorkspaceScope) {
  const own = db
    .selectFrom('exports')
    .where('organization_id', '=', scope.organizationId)
    .where('workspace_id', '=', scope.workspaceId)
    .where('created_by', '=', scope.principal.userId);
  return isLimited(scope) ? own.where('is_limited', '=', true) : own;
}

const COLUMNS = [
  'id',
  'status',
  'created_at',
  'completed_at',
  'error',
  'object_key',
  'expires_at',
  'file_size_bytes',
  'row_count',
  'rows_read',
] as const;

const selectShown = (db: Db, scope: WorkspaceScope) => selectOwn(db, scope).select(COLUMNS);

type ExportRow = Awaited<ReturnType<ReturnType<typeof selectShown>['executeTakeFirstOrThrow']>>;

async function toResponse({ storage }: Pick<ExportStore, 'storage'>, row: ExportRow): Promise<ExportJobOf> {
  const { id, status, created_at, completed_at, error, file_size_bytes, row_count, rows_read } = row;
  const link = await linkTo(storage, row);
  return {
    id,
    status,
    created_at,
    completed_at,
    error_message: error,
    presigned_url: link && link.url,
    url_expires_at: link && link.expiresAt,
    file_size_bytes,
    row_count,
    rows_read,
  };
}

/** Creates a new link each time, which expires together with the first. */
async function linkTo(storage: ExportStore['storage'], { id, object_key, expires_at }: ExportRow) {
  if (object_key === null || expires_at === null) return null;
  const expiresInSeconds = Math.floor((Date.parse(expires_at) - Date.now()) / 1_000);
  if (expiresInSeconds < 1) return null;
  const url = await storage.presignGet(object_key, { expiresInSeconds, filename: `export-${id}.parquet` });
  return { url, expiresAt: expires_at };
}

export async function createExport(
  store: ExportStore,
  scope: WorkspaceScope,
  { query, max_rows, project_id }: ExportRequestOf,
  signal: AbortSignal,
): Promise<ExportJobOf> {
  const { db, queue, local, sql } = store;
  const { organizationId, workspaceId, principal } = scope;
  const projectId = await getProjectId(db, scope, project_id);
  await requireSelect(local, sql, { query, owner: organizationId, signal });
  const id = uuidv7();
  const row = await transactionFor(db, scope, async (trx) => {
    const insert = trx.insertInto('exports').values({
      organization_id: organizationId,
      id,
      workspace_id: workspaceId,
      created_by: principal.userId,
      is_limited: isLimited(scope),
      project_id: projectId,
      query,
      max_rows,
    });
    const inserted = await explainViolation(insert.returning(COLUMNS).executeTakeFirstOrThrow(), {
      exports_workspace_fkey: () => notFound(`Workspace "${scope.workspaceKey}"`),
    });
    await queue.enqueue(trx, EXPORT, { organizationId, id });
    // Leaves out the query, which is private to its creator.
    const after = { workspace_id: workspaceId, project_id: projectId, max_rows };
    await audit(trx, scope, { action: 'export.created', resource: `exports/${id}`, after });
    return inserted;
  });
  return toResponse(store, row);
}

export async function listExports(store: ExportStore, scope: WorkspaceScope, page: ExportQuery) {
  const { db } = store;
  const { total } = await selectOwn(db, scope)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await selectShown(db, scope)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(offsetOf(page))
    .execute();
  return { exports: await Promise.all(rows.map((row) => toResponse(store, row))), ...toPage(total, page) };
}

async function getRow(db: Db, scope: WorkspaceScope, id: string): Promise<ExportRow> {
  const row = await selectShown(db, scope).where('id', '=', id).executeTakeFirst();
  if (!row) throw notFound(`Export "${id}"`);
  return row;
}

export async function getExport(store: ExportStore, scope: WorkspaceScope, id: string) {
  return toResponse(store, await getRow(store.db, scope, id));
}

/** Ends queued exports immediately and running ones within seconds. */
export async function cancelExport(store: ExportStore, scope: WorkspaceScope, id: string) {
  const { db } = store;
  const row = await transactionFor(db, scope, async (trx) => {
    const own = await getRow(trx, scope, id);
    await requestCancel(trx, EXPORT, { organizationId: scope.organizationId, id: own.id });
    await audit(trx, scope, { action: 'export.cancelled', resource: `exports/${own.id}` });
    return getRow(trx, scope, id);
  });
  return toResponse(store, row);
}

const CHECK_MS = 10_000;
/** Longer than the previous check may take. */
const MAX_WAIT_MS = 15_000;

async function requireSelect(
  { work, turns }: Pick<LocalFiles, 'work' | 'turns'>,
  { tables }: SqlTables,
  { query, owner, signal }: { readonly query: string; readonly owner: string; readonly signal: AbortSignal },
): Promise<void> {
  const check = { work, query, tables, bounds: { timeoutMs: CHECK_MS }, signal };
  try {
    await turns.check.take({ owner, signal, maxWaitMs: MAX_WAIT_MS }, () => checkQuery(check));
  } catch (error) {
    if (error instanceof SqlError) throw invalidValue(['body', 'query'], error.message, 'invalid_sql');
    if (error instanceof BoundError) throw invalidValue(['body', 'query'], error.message, 'too_costly');
    throw error;
  }
}
