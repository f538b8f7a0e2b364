/** Finds the files with which a model version can be served, and fetches them. */

import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError } from '../../platform/errors.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { getModelVersion, listFiles, parseReference, readFiles } from '../../registry/service.ts';

export interface ModelVersion {
  readonly ownerId: string;
  readonly versionId: string;
}

/**
 * @returns the version, and its base version if it is an adapter
 * @throws {ApiError} `conflict_error` for a version without anything to serve, or whose base is gone
 */
export async function findServable(
  db: Db,
  organizationId: string,
  {
    model,
    version,
    version_id,
  }: { readonly model: string; readonly version: string; readonly version_id: string },
): Promise<{ own: ModelVersion; base: ModelVersion | undefined }> {
  const own = { ownerId: organizationId, versionId: version_id };
  const paths = new Set((await listFiles(db, own)).map(({ path }) => path));
  const name = `${model}@${version}`;
  if (paths.size === 0) throw new ApiError('conflict_error', `Model "${name}" was deleted.`);
  if (!paths.has('adapter_config.json')) {
    if (paths.has('config.json')) return { own, base: undefined };
    throw new ApiError('conflict_error', `Model "${name}" has neither config.json nor adapter_config.json.`);
  }
  const reference = await findBaseReference(db, own);
  const parsed = reference === undefined ? undefined : parseReference(reference);
  if (!parsed)
    throw new ApiError(
      'conflict_error',
      `Model "${name}" is an adapter, and its base_model is not a version of the registry; publish its base, and name it in model.yaml.`,
    );
  const viewer = { organizationId, role: 'member' as const };
  const place = parsed.owner === undefined ? parsed.name : `${parsed.owner}/${parsed.name}`;
  const base = await getModelVersion(db, viewer, place, parsed.version).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.type === 'not_found_error')) throw error;
    throw new ApiError(
      'conflict_error',
      `Model "${name}" is an adapter of "${reference}", which does not exist any more.`,
    );
  });
  return { own, base };
}

async function findBaseReference(db: Db, { ownerId, versionId }: ModelVersion): Promise<string | undefined> {
  const { rows } = await sql<{ base_model: string | null }>`
    SELECT details ->> 'base_model' AS base_model FROM artifact_versions
     WHERE organization_id = ${ownerId} AND id = ${versionId}`.execute(db);
  return rows[0]?.base_model ?? undefined;
}

/**
 * Fetches the files of a version into a folder, for programs that read them from the disk.
 *
 * A folder appears under its name only when it is whole, so a process that is killed leaves nothing that could be mistaken for it.
 */
export async function fetchModel(
  { db, storage }: { readonly db: Db; readonly storage: ObjectStorage },
  folder: string,
  version: ModelVersion,
): Promise<string> {
  const whole = join(folder, version.versionId);
  if (existsSync(whole)) return whole;
  const draft = join(folder, `.${uuidv7()}`);
  await mkdir(draft, { recursive: true });
  try {
    for await (const { path, content } of readFiles(db, storage, version)) {
      const target = join(draft, path);
      await mkdir(dirname(target), { recursive: true });
      await pipeline(content, createWriteStream(target));
    }
    // Another process may have written the same files in between.
    await rename(draft, whole).catch((error: unknown) => {
      if (!existsSync(whole)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return whole;
}
