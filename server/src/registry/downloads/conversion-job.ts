/** Converts stored content: rows to another format, or files to an archive. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { convertDataFile } from '../../platform/analytics/analytics.ts';
import { BoundError } from '../../platform/analytics/data-file.ts';
import { type LocalFiles, withCopy } from '../../platform/analytics/local-files.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import {
  completed,
  defineJob,
  failed,
  type JobDefinition,
  type Outcome,
  type Work,
} from '../../platform/jobs/job-kind.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import { requireQuota } from '../../platform/storage-limits/quotas.ts';
import { StorageLimitError } from '../../platform/storage-limits/storage-limit-error.ts';
import {
  adoptBlobs,
  beginUpload,
  endUpload,
  findBlobs,
  keepBlobs,
  openBlob,
  type StagedBlob,
  stageBlob,
  type Upload,
} from '../blobs.ts';
import { createArchive } from './archive.ts';
import { type ArchiveSource, type DataSource, digestsOf, type Making } from './content.ts';
import { CONVERSION } from './conversions.ts';

export interface ConversionOptions {
  readonly db: Db;
  readonly storage: ObjectStorage;
  readonly local: LocalFiles;
  /** Maximum size of a converted file in bytes; by default a multiple of its source. */
  readonly maxTargetBytes?: number;
}

/** Maximum growth factor: otherwise a Parquet file of 1 KB could become gigabytes of equal values. */
const MAX_GROWTH = 200;
/** A small file may always become this large. */
const ALWAYS_ALLOWED_BYTES = 64 * 1024 ** 2;
const MAX_TARGET_BYTES = 8 * 1024 ** 3;

/** @returns the maximum size of the result for a source of this size */
const maxTargetOf = (sourceBytes: number) =>
  Math.min(MAX_TARGET_BYTES, Math.max(ALWAYS_ALLOWED_BYTES, MAX_GROWTH * sourceBytes));

export function conversionJob(options: ConversionOptions): JobDefinition {
  return defineJob(CONVERSION, {
    // Each process keeps a slot free for other organizations.
    concurrency: 3,
    maxPerOrganization: 2,
    step: (job) => make(options, job),
  });
}

type Job = Pick<Work<never>, 'organizationId' | 'id' | 'signal' | 'log'>;

async function make(options: ConversionOptions, job: Job): Promise<Outcome<never>> {
  const { db, storage } = options;
  const making = await getMaking(db, job);
  const digests = new Set(digestsOf(making));
  const blobs = await findBlobs(db, job.organizationId, [...digests]);
  // No version uses the content any more, so no download will need it.
  if (blobs.size < digests.size)
    return toFailed(job, 'deleted', 'It was deleted.', (trx) => forget(trx, job));
  let upload: Upload | undefined;
  try {
    upload = await beginUpload(db, job.organizationId, null);
    const place = upload;
    const staged =
      making.format === 'archive'
        ? await stageArchive(options, job, place, making.source)
        : await stageConverted(options, job, place, making.source, making.format);
    return completed((trx) => keepResult(trx, job, place, staged));
  } catch (error) {
    // If this fails as well, the upload is swept when it expires.
    if (upload) await endUpload(db, storage, upload).catch(() => undefined);
    if (error instanceof BoundError) return toFailed(job, error.bound, `It ${error.message}.`);
    if (error instanceof StorageLimitError) return toFailed(job, 'storage', error.message);
    throw error;
  }
}

/** The caller only learns that the conversion failed: the log has the reason, and neither has any content. */
function toFailed(
  { organizationId, log }: Job,
  reason: string,
  text: string,
  write?: (trx: Trx) => Promise<void>,
) {
  log.warn({ organization_id: organizationId, reason }, 'a conversion has failed');
  return failed(text, write);
}

async function getMaking(db: Db, { organizationId, id }: Job): Promise<Making> {
  const { format, source } = await db
    .selectFrom('artifact_conversions')
    .select(['format', 'source'])
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return { format, source } as unknown as Making;
}

async function stageArchive(
  { db, storage }: ConversionOptions,
  { organizationId, signal }: Job,
  upload: Upload,
  { files }: ArchiveSource,
): Promise<StagedBlob> {
  const archived = files.map(({ path, sha256, size_bytes }) => ({
    path,
    size_bytes,
    open: () => openBlob(db, storage, organizationId, sha256),
  }));
  const sizeBytes = files.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  await requireQuota(db, organizationId, 'registry', sizeBytes);
  return stageBlob(storage, upload, createArchive(archived, signal), { sizeBytes });
}

/** Both files are on the local disk, because DuckDB runs in a process without network access. */
function stageConverted(
  { db, storage, local, maxTargetBytes }: ConversionOptions,
  { organizationId, signal }: Job,
  upload: Upload,
  { sha256, size_bytes, ...shape }: DataSource,
  format: Exclude<Making['format'], 'archive'>,
): Promise<StagedBlob> {
  const { work } = local;
  const open = () => openBlob(db, storage, organizationId, sha256);
  const content = { owner: organizationId, sha256, size_bytes, open };
  return withCopy(local, { purpose: 'convert', by: organizationId, content, signal }, (path) =>
    work.within(async (folder) => {
      const target = join(folder, `converted.${format}`);
      await convertDataFile({
        work,
        signal,
        source: { path, ...shape },
        target: { path: target, format },
        maxTargetBytes: maxTargetBytes ?? maxTargetOf(size_bytes),
      });
      const { size: sizeBytes } = await stat(target);
      await requireQuota(db, organizationId, 'registry', sizeBytes);
      return stageBlob(storage, upload, createReadStream(target, { signal }), { sizeBytes });
    }),
  );
}

/** Runs in the transaction that completes the job. */
async function keepResult(trx: Trx, job: Job, upload: Upload, staged: StagedBlob): Promise<void> {
  const { organizationId, id } = job;
  await adoptBlobs(trx, upload, [staged]);
  await keepBlobs(trx, organizationId, [staged.sha256]);
  await trx
    .updateTable('artifact_conversions')
    .set({ result_sha256: Buffer.from(staged.sha256, 'hex') })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();
  // Nothing more will be written: the next sweep removes the upload and its objects.
  await trx
    .updateTable('registry_uploads')
    .set({ sweep_at: sql`now()` })
    .where('organization_id', '=', organizationId)
    .where('id', '=', upload.id)
    .execute();
}

async function forget(trx: Trx, { organizationId, id }: Job): Promise<void> {
  await trx
    .deleteFrom('artifact_conversions')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();
}
