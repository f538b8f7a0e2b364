/** Checkpoints: the parts of their files in the object storage, and the row that makes them count. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import type { Db } from '../platform/db/connect.ts';
import { type Trx, transaction } from '../platform/db/transaction.ts';
import { ApiError, invalidValue } from '../platform/errors.ts';
import type { JobRef } from '../platform/jobs/job-kind.ts';
import { abandonPrefix } from '../platform/object-storage/abandoned-prefixes.ts';
import type { ObjectStorage } from '../platform/object-storage/object-storage.ts';
import { TRAINING_PREFIX } from '../platform/object-storage/prefixes.ts';
import { requireQuota } from '../platform/storage-limits/quotas.ts';
import { uuidv7 } from '../platform/uuid.ts';

/** One PUT. A part that fails costs this much again. */
const PART_BYTES = 64 * 1024 * 1024;
/** The adapter, and what a server of models needs beside it. */
const PUBLISHED = new Set(['adapter_config.json', 'adapter_model.safetensors', 'chat_template.jinja']);
const TOKENIZER = /^(tokenizer|special_tokens|added_tokens|vocab|merges)[^/]*$/;

/** Files of a checkpoint that become part of the model version; the card and the manifest are written by the server. */
export const isPublished = (path: string) => PUBLISHED.has(path) || TOKENIZER.test(path);

export interface StoredPart {
  readonly key: string;
  readonly size_bytes: number;
}

export interface CheckpointFile {
  readonly path: string;
  readonly size_bytes: number;
  /** In hexadecimal; the trainer says so, and the one that resumes verifies it. */
  readonly sha256: string;
  readonly parts: readonly StoredPart[];
}

export interface Checkpoint {
  readonly step: number;
  readonly attempt: number;
  readonly files: readonly CheckpointFile[];
}

export type AnnouncedFile = Omit<CheckpointFile, 'parts'>;

export const trainingPrefix = ({ organizationId, id }: JobRef) =>
  `${TRAINING_PREFIX}${organizationId}/${id}/`;

/** Stores the announced content of a checkpoint. Announcing it again restarts its upload. */
export async function announceCheckpoint(
  db: Db,
  job: JobRef,
  { step, attempt, files: announced }: { step: number; attempt: number; files: readonly AnnouncedFile[] },
): Promise<readonly CheckpointFile[]> {
  const { organizationId, id } = job;
  const size = announced.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  await requireQuota(db, organizationId, 'objects', size);
  // A link that is used late never reaches the parts of another announcement.
  const prefix = `${trainingPrefix(job)}${attempt}/${step}/${uuidv7()}/`;
  const files = announced.map((file, index) => ({ ...file, parts: toParts(`${prefix}${index}/`, file) }));
  const digest = createHash('sha256')
    .update(JSON.stringify(announced.map(({ path, sha256 }) => `${sha256} ${path}`).toSorted()))
    .digest('hex');
  const isServable = announced.some(({ path }) => path === 'adapter_model.safetensors');
  await transaction(db, async (trx) => {
    const before = await lockAnnounced(trx, job, { step, attempt });
    if (before) await abandonPrefix(trx, organizationId, prefixOf(before.files));
    const { rows } = await sql`
    INSERT INTO training_checkpoints AS c (organization_id, job_id, step, attempt, files, size_bytes, digest, is_servable)
    VALUES (${organizationId}, ${id}, ${step}, ${attempt}, ${JSON.stringify(files)}::jsonb, ${size}, ${digest}, ${isServable})
    ON CONFLICT (organization_id, job_id, step, attempt) DO UPDATE
      SET files = excluded.files, size_bytes = excluded.size_bytes, digest = excluded.digest, is_servable = excluded.is_servable
    WHERE c.completed_at IS NULL RETURNING 1`.execute(trx);
    if (rows.length === 0) throw invalidValue(['body', 'step'], `checkpoint ${step} is complete already`);
  });
  return files;
}

/** Finds a checkpoint that was announced before and is not complete. */
async function lockAnnounced(
  trx: Trx,
  { organizationId, id }: JobRef,
  { step, attempt }: Pick<Checkpoint, 'step' | 'attempt'>,
): Promise<Pick<Checkpoint, 'files'> | undefined> {
  const { rows } = await sql<Pick<Checkpoint, 'files'>>`
    SELECT files FROM training_checkpoints
     WHERE organization_id = ${organizationId} AND job_id = ${id} AND step = ${step} AND attempt = ${attempt}
       AND completed_at IS NULL FOR UPDATE`.execute(trx);
  return rows[0];
}

/** The folder of one announcement; it holds the parts of all of its files, and nothing else. */
export function prefixOf(files: readonly CheckpointFile[]): string {
  const key = files[0]?.parts[0]?.key;
  if (key === undefined) throw new Error('every checkpoint has a file, and every file has a part');
  return key.split('/').slice(0, -2).concat('').join('/');
}

/** A file that is empty has one empty part, so that every file can be found. */
function toParts(prefix: string, { size_bytes }: AnnouncedFile): StoredPart[] {
  const count = Math.max(1, Math.ceil(size_bytes / PART_BYTES));
  return Array.from({ length: count }, (_, index) => ({
    key: `${prefix}${index}`,
    size_bytes: Math.min(PART_BYTES, size_bytes - index * PART_BYTES),
  }));
}

/** @throws {ApiError} `validation_error` where a part has not arrived, or has another size */
export async function requireParts(
  { db, storage }: { readonly db: Db; readonly storage: ObjectStorage },
  job: JobRef,
  { step, attempt }: Pick<Checkpoint, 'step' | 'attempt'>,
): Promise<void> {
  const { organizationId, id } = job;
  const { rows } = await sql<Pick<Checkpoint, 'files'>>`
    SELECT files FROM training_checkpoints
     WHERE organization_id = ${organizationId} AND job_id = ${id} AND step = ${step} AND attempt = ${attempt}`.execute(
    db,
  );
  const [checkpoint] = rows;
  if (!checkpoint)
    throw invalidValue(['body', 'records'], `checkpoint ${step} was not announced with POST …/checkpoints`);
  for (const { path, parts } of checkpoint.files)
    for (const { key, size_bytes } of parts) {
      const found = await storage.find(key);
      if (found?.sizeBytes !== size_bytes)
        throw invalidValue(
          ['body', 'records'],
          `checkpoint ${step}: a part of "${path}" has ${found ? `${found.sizeBytes} bytes instead of ${size_bytes}` : 'not arrived'}; upload it again`,
        );
    }
}

/** Makes a checkpoint count. */
export async function completeCheckpoint(
  trx: Trx,
  { organizationId, id }: JobRef,
  { step, attempt, metrics }: { step: number; attempt: number; metrics: Readonly<Record<string, number>> },
): Promise<void> {
  await sql`
    UPDATE training_checkpoints SET completed_at = now(), metrics = ${JSON.stringify(metrics)}::jsonb
     WHERE organization_id = ${organizationId} AND job_id = ${id} AND step = ${step} AND attempt = ${attempt}
       AND completed_at IS NULL`.execute(trx);
}

/** @param step the last one by default */
export async function findCheckpoint(
  db: Db,
  { organizationId, id }: JobRef,
  step: number | null = null,
): Promise<Checkpoint | undefined> {
  const { rows } = await sql<Checkpoint>`
    SELECT step, attempt, files FROM training_checkpoints
     WHERE organization_id = ${organizationId} AND job_id = ${id} AND completed_at IS NOT NULL
       AND (${step}::integer IS NULL OR step = ${step})
     ORDER BY step DESC, attempt DESC LIMIT 1`.execute(db);
  return rows[0];
}

/** Lets a retried job begin with the last checkpoint of the job before. They share its objects. */
export async function inheritCheckpoint(
  trx: Trx,
  organizationId: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  await sql`
    INSERT INTO training_checkpoints (organization_id, job_id, step, attempt, files, size_bytes, digest, metrics, is_servable,
                                      created_at, completed_at)
    SELECT organization_id, ${to}, step, 0, files, size_bytes, digest, metrics, is_servable, created_at, completed_at
      FROM training_checkpoints
     WHERE organization_id = ${organizationId} AND job_id = ${from} AND completed_at IS NOT NULL
     ORDER BY step DESC, attempt DESC LIMIT 1`.execute(trx);
}

/** Reads a file of a checkpoint, part after part. */
export async function openFile(storage: ObjectStorage, file: CheckpointFile): Promise<Readable> {
  return Readable.from(readParts(storage, file), { objectMode: false });
}

async function* readParts(
  storage: ObjectStorage,
  { path, sha256, parts }: CheckpointFile,
): AsyncGenerator<Buffer> {
  const digest = createHash('sha256');
  for (const { key } of parts) {
    const opened = await storage.open(key);
    if (!opened) throw new ApiError('object_storage_error', `A part of "${path}" is missing.`);
    for await (const chunk of opened.body as AsyncIterable<Buffer>) {
      digest.update(chunk);
      yield chunk;
    }
  }
  if (digest.digest('hex') !== sha256)
    throw new ApiError('conflict_error', `"${path}" is not what the trainer announced.`);
}
