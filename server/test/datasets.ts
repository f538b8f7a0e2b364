/** Places for the analysis of datasets, and files with content that no dataset may hold. */
import { Readable } from 'node:stream';
import { createLocalFiles } from '../src/platform/analytics/local-files.ts';
import type { Db } from '../src/platform/db/connect.ts';
import { transaction } from '../src/platform/db/transaction.ts';
import type { ObjectStorage } from '../src/platform/object-storage/object-storage.ts';
import { adoptBlobs, beginUpload, endUpload, keepBlobs, openBlob, stageBlob } from '../src/registry/blobs.ts';
import { findDataFormat, type SplitFile } from '../src/registry/datasets/split.ts';
import { openTestWork } from './work-folders.ts';

interface Place {
  readonly db: Db;
  readonly storage: ObjectStorage;
}

/** Creates the analytics that examine and show datasets. */
export async function analyticsOf({ db, storage }: Place) {
  return {
    ...createLocalFiles(await openTestWork()),
    db,
    openBlob: (organizationId: string, sha256: string) => openBlob(db, storage, organizationId, sha256),
  };
}

export type Analytics = Awaited<ReturnType<typeof analyticsOf>>;

/** Creates a reader for the analysis of stored files. */
export const readingOf = ({ openBlob: open }: Analytics, organizationId: string) => ({
  organizationId,
  open: (sha256: string) => open(organizationId, sha256),
  signal: new AbortController().signal,
});

/** @param files the content of each split, by its path */
export async function storeFiles(
  { db, storage }: Place,
  organizationId: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<SplitFile[]> {
  const upload = await beginUpload(db, organizationId, null);
  const splits: SplitFile[] = [];
  for (const [path, content] of Object.entries(files)) {
    const { sha256, size_bytes, ...blob } = await stageBlob(
      storage,
      upload,
      Readable.from([Buffer.from(content)]),
    );
    await transaction(db, async (trx) => {
      await adoptBlobs(trx, upload, [{ sha256, size_bytes, ...blob }]);
      await keepBlobs(trx, organizationId, [sha256]);
    });
    const name = path.replace(/\.[^.]*$/, '');
    splits.push({ name, path, format: findDataFormat(path) ?? 'jsonl', sha256, size_bytes });
  }
  await endUpload(db, storage, upload);
  return splits;
}
