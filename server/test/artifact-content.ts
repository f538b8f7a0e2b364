/** Inserts artifacts with content directly into tables and object storage, for tests of their deletion and restoration. */
import type { Db } from '../src/platform/db/connect.ts';
import { transaction } from '../src/platform/db/transaction.ts';
import type { ObjectStorage } from '../src/platform/object-storage/object-storage.ts';
import { adoptBlobs, beginUpload, endUpload, keepBlobs, stageBlob } from '../src/registry/blobs.ts';
import type { ArtifactFile } from '../src/registry/draft.ts';
import type { Kind } from '../src/registry/kinds.ts';
import { insertArtifact } from './artifact-rows.ts';

interface Place {
  readonly db: Db;
  readonly storage: ObjectStorage;
}

export interface ArtifactContent {
  readonly organizationId: string;
  readonly createdBy: string;
  readonly kind: Kind;
  readonly name: string;
  readonly version?: string;
  readonly isPublic?: boolean;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** Splits of a dataset: each is a file with the results of its analysis. */
  readonly splits?: readonly SplitContent[];
}

interface SplitContent {
  readonly name: string;
  readonly path: string;
  readonly format: 'jsonl' | 'csv' | 'parquet';
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly row_count: number;
}

/** @returns the id of the version, and its files by path */
export async function insertContent({ db, storage }: Place, content: ArtifactContent) {
  const { organizationId, createdBy, splits = [], version = '1.0.0' } = content;
  const upload = await beginUpload(db, organizationId, createdBy);
  const files = new Map<string, ArtifactFile>();
  for (const [path, bytes] of Object.entries(content.files)) {
    const staged = await stageBlob(storage, upload, Buffer.from(bytes));
    await transaction(db, (trx) => adoptBlobs(trx, upload, [staged]));
    files.set(path, { path, sha256: staged.sha256, size_bytes: staged.size_bytes });
  }
  await endUpload(db, storage, upload);
  const details = { splits: splits.map((split) => Object.assign({}, split, files.get(split.path))) };
  const { versionIds } = await insertArtifact(db, { ...content, versions: [{ version, details }] });
  const [versionId = ''] = versionIds;
  const rows = [...files.values()].map(({ path, sha256, size_bytes }) => ({
    organization_id: organizationId,
    version_id: versionId,
    path,
    sha256: Buffer.from(sha256, 'hex'),
    size_bytes,
  }));
  await transaction(db, async (trx) => {
    await trx.insertInto('artifact_files').values(rows).execute();
    await keepBlobs(
      trx,
      organizationId,
      [...files.values()].map(({ sha256 }) => sha256),
    );
  });
  return { versionId, files };
}
