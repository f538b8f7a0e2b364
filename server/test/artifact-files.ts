/** Writes content for versions that are already in the tables into the object storage, as publishing does. */
import { transaction } from '../src/platform/db/transaction.ts';
import { adoptBlobs, beginUpload, endUpload, keepBlobs, stageBlob } from '../src/registry/blobs.ts';
import type { TestServer } from './harness.ts';

export async function addFiles(
  { db, storage, owner }: TestServer,
  organizationId: string,
  versionId: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const upload = await beginUpload(db, organizationId, owner.id);
  for (const [path, content] of Object.entries(files)) {
    const blob = await stageBlob(storage, upload, Buffer.from(content));
    await transaction(db, async (trx) => {
      await adoptBlobs(trx, upload, [blob]);
      await keepBlobs(trx, organizationId, [blob.sha256]);
      const { size_bytes } = blob;
      const sha256 = Buffer.from(blob.sha256, 'hex');
      const values = { organization_id: organizationId, version_id: versionId, path, sha256, size_bytes };
      await trx.insertInto('artifact_files').values(values).execute();
    });
  }
  await endUpload(db, storage, upload);
}
