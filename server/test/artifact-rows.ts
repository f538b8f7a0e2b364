/** Inserts artifacts without content directly into the tables, for tests that read thousands of them. */
import { createHash } from 'node:crypto';
import type { Db } from '../src/platform/db/connect.ts';
import { transaction } from '../src/platform/db/transaction.ts';
import { uuidv7 } from '../src/platform/uuid.ts';
import type { Listing } from '../src/registry/draft.ts';
import { refreshArtifact } from '../src/registry/head.ts';
import type { Kind } from '../src/registry/kinds.ts';
import { isPrerelease, precedenceOf } from '../src/registry/version.ts';

export interface ArtifactRows {
  readonly organizationId: string;
  readonly createdBy: string;
  readonly kind: Kind;
  readonly name: string;
  readonly isPublic?: boolean;
  readonly versions: readonly VersionRow[];
}

export interface VersionRow {
  readonly version: string;
  readonly listing?: Partial<Listing>;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly manifest?: Readonly<Record<string, unknown>>;
  readonly file_size_bytes?: number;
  readonly created_at?: string;
  readonly isDeleted?: boolean;
}

const NOTHING: Listing = {
  summary: null,
  tags: null,
  license: null,
  task_categories: null,
  framework: null,
  size_category: null,
  difficulty: null,
  source: null,
};

/** @returns the id of the artifact, and those of its versions in the given order */
export async function insertArtifact(db: Db, artifact: ArtifactRows) {
  const { organizationId, createdBy, kind, name, isPublic = false } = artifact;
  const id = uuidv7();
  const versions = artifact.versions.map((version) => ({ ...version, id: uuidv7() }));
  await transaction(db, async (trx) => {
    const own = { organization_id: organizationId, created_by: createdBy };
    await trx
      .insertInto('artifacts')
      .values({ ...own, id, kind, name, is_public: isPublic })
      .execute();
    for (const { version, listing, details, manifest = {}, isDeleted, ...row } of versions) {
      const values = {
        ...own,
        id: row.id,
        artifact_id: id,
        version,
        precedence: precedenceOf(version),
        is_prerelease: isPrerelease(version),
        digest: createHash('sha256').update(`${name}@${version}`).digest(),
        manifest: JSON.stringify(manifest),
        details: JSON.stringify({ listing: { ...NOTHING, ...listing }, ...details }),
        file_count: 0,
        file_size_bytes: row.file_size_bytes ?? 0,
        ...(row.created_at && { created_at: row.created_at }),
        deleted_at: isDeleted ? new Date().toISOString() : null,
      };
      await trx.insertInto('artifact_versions').values(values).execute();
    }
    await refreshArtifact(trx, organizationId, id);
  });
  return { id, versionIds: versions.map((version) => version.id) };
}
