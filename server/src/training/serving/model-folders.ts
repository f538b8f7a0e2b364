/** Folders with the files of model versions, for programs that read them from the disk. */
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Db } from '../../platform/db/connect.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { readFiles } from '../../registry/service.ts';
import type { ModelVersion } from './servable.ts';

/** A folder appears under its name only when it is whole, so a process that is killed leaves nothing that could be mistaken for it. */
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
