/** Runs a SQL query into a file: in the background, for its creator, with the permissions that the creator has when it starts. */
import { join } from 'node:path';
import { sql } from 'kysely';
import { findMembership } from '../../accounts/service.ts';
import { BoundError } from '../../platform/analytics/data-file.ts';
import type { LocalFiles } from '../../platform/analytics/local-files.ts';
import { openPlainFile } from '../../platform/analytics/plain-file.ts';
import { KilledError, SqlError, writeParquet } from '../../platform/analytics/sql-query.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import {
  completed,
  defineJob,
  failed,
  type JobDefinition,
  type JobRef,
  type Outcome,
  type Work,
} from '../../platform/jobs/job-kind.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import type { SqlViewer } from '../../platform/sql-tables/sql-table.ts';
import { StorageLimitError } from '../../platform/storage-limits/storage-limit-error.ts';
import { maySeeAllUsage, type SqlTables } from '../asking.ts';
import { earlierKeys, keyOf, LINK_HOURS } from './files.ts';
import { EXPORT } from './store.ts';

export interface ExportOptions {
  readonly db: Db;
  readonly storage: ObjectStorage;
  readonly local: Pick<LocalFiles, 'work'>;
  readonly sql: SqlTables;
  readonly bounds?: Partial<ExportBounds>;
}

export interface ExportBounds {
  readonly timeoutMs: number;
  readonly maxFileBytes: number;
}

/** A job step may take an hour, which includes the upload of the file. */
const BOUNDS: ExportBounds = { timeoutMs: 40 * 60_000, maxFileBytes: 16 * 1024 ** 3 };

export function exportJob(options: ExportOptions): JobDefinition {
  return defineJob(EXPORT, {
    // Each process keeps a slot free for other organizations.
    concurrency: 3,
    maxPerOrganization: 2,
    step: (work) => run(options, work),
  });
}

type Step = Work<never>;

async function run(options: ExportOptions, work: Step): Promise<Outcome<never>> {
  const request = await getRequest(options.db, work);
  const viewer = await findViewer(options.db, work, request);
  if (!viewer) return failed('You may export nothing from this workspace any more.');
  await options.storage.delete(earlierKeys(work, work.attempt));
  try {
    const made = await makeFile(options, work, request, viewer);
    return completed((trx) => keepFile(trx, work, made));
  } catch (error) {
    work.signal.throwIfAborted();
    if (error instanceof SqlError || error instanceof StorageLimitError) return failed(error.message);
    if (error instanceof BoundError && !(error instanceof KilledError))
      return failed(`The query ${error.message}.`);
    throw error;
  }
}

type ExportRequest = Awaited<ReturnType<typeof getRequest>>;

function getRequest(db: Db, { organizationId, id }: JobRef) {
  return db
    .selectFrom('exports')
    .select(['workspace_id', 'created_by', 'is_limited', 'project_id', 'query', 'max_rows'])
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

/** Reads the current permissions of the creator, who may have lost some since the request. */
async function findViewer(
  db: Db,
  { organizationId }: JobRef,
  { workspace_id: workspaceId, created_by: userId, is_limited, project_id: projectId }: ExportRequest,
): Promise<SqlViewer | undefined> {
  const membership = await findMembership(db, { organizationId, workspaceId }, userId);
  if (!membership || membership.workspaceRole === 'reader') return undefined;
  const seesAllUsage = maySeeAllUsage(membership.role, is_limited);
  return { organizationId, workspaceId, userId, seesAllUsage, projectId };
}

interface Made {
  readonly objectKey: string;
  readonly sizeBytes: number;
  readonly rowCount: number;
  readonly rowsRead: number;
}

/** The file is written to the local disk first, because DuckDB runs in a process without network access. */
function makeFile(
  { storage, local, sql: { tables, rowsFor }, bounds }: ExportOptions,
  work: Step,
  { query, max_rows: maxRows }: ExportRequest,
  viewer: SqlViewer,
): Promise<Made> {
  const { timeoutMs, maxFileBytes } = { ...BOUNDS, ...bounds };
  let rowsRead = 0;
  return work.follow(
    (trx) => saveRowsRead(trx, work, rowsRead),
    (signal) =>
      local.work.within(async (folder) => {
        const path = join(folder, 'export.parquet');
        const { row_count: rowCount } = await writeParquet({
          work: local.work,
          query,
          tables,
          source: rowsFor(viewer),
          maxRows,
          bounds: { timeoutMs },
          path,
          maxTargetBytes: maxFileBytes,
          onProgress: (read) => {
            rowsRead = read;
          },
          isNiced: true,
          signal,
        });
        const objectKey = keyOf(work, work.attempt);
        const sizeBytes = await putFile(storage, { path, objectKey, signal });
        return { objectKey, sizeBytes, rowCount, rowsRead };
      }),
  );
}

const saveRowsRead = (trx: Trx, { organizationId, id }: JobRef, rowsRead: number) =>
  trx
    .updateTable('exports')
    .set({ rows_read: rowsRead })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();

/** @returns the size of the file */
async function putFile(
  storage: ObjectStorage,
  {
    path,
    objectKey,
    signal,
  }: { readonly path: string; readonly objectKey: string; readonly signal: AbortSignal },
): Promise<number> {
  const file = await openPlainFile(path);
  const content = file.createReadStream({ signal, autoClose: false });
  try {
    const { size: sizeBytes } = await file.stat();
    const stored = await storage.put(objectKey, content, {
      sizeBytes,
      contentType: 'application/vnd.apache.parquet',
    });
    if (stored.sizeBytes !== sizeBytes)
      throw new Error(`${objectKey} holds ${stored.sizeBytes} bytes instead of ${sizeBytes}`);
    return sizeBytes;
  } finally {
    content.destroy();
    await file.close();
  }
}

/** Runs in the transaction that completes the job: from its commit on there is a link with this lifetime. */
async function keepFile(trx: Trx, { organizationId, id }: JobRef, made: Made): Promise<void> {
  await trx
    .updateTable('exports')
    .set({
      object_key: made.objectKey,
      file_size_bytes: made.sizeBytes,
      row_count: made.rowCount,
      rows_read: made.rowsRead,
      expires_at: sql`now() + make_interval(hours => ${LINK_HOURS})`,
    })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();
}
