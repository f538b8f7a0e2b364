/**
 * Records which database a folder of objects belongs to, in a file in it: a copy of the database would treat newer objects of the original
 * as orphans.
 */
import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../../errors.ts';
import { isMissing, syncFolder } from '../blobs/blob-files.ts';

const OWNER_FILE = 'owner';

/** The first caller writes the file, durably; all others must match it. */
export async function requireOwner(folder: string, identity: string): Promise<void> {
  const owner = (await findOwner(folder)) ?? (await writeOwner(folder, identity));
  if (owner !== identity) throw isOthers(folder, owner, identity);
}

/** @returns undefined when no owner is recorded */
export async function findOwner(folder: string): Promise<string | undefined> {
  try {
    return (await readFile(join(folder, OWNER_FILE), 'utf8')).trim();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * Renames the complete file, and only if there is none yet, so that one of two concurrent writers wins.
 * @returns the owner
 */
async function writeOwner(folder: string, identity: string): Promise<string> {
  const draft = join(folder, `${OWNER_FILE}.${randomUUID()}`);
  await writeFile(draft, `${identity}\n`, { flag: 'wx', mode: 0o600, flush: true });
  try {
    await link(draft, join(folder, OWNER_FILE));
  } catch (error) {
    // On a file system without links, the last writer wins.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rename(draft, join(folder, OWNER_FILE));
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(folder);
  return (await findOwner(folder)) ?? identity;
}

function isOthers(folder: string, owner: string, identity: string): ApiError {
  return new ApiError(
    'configuration_error',
    `The folder ${folder} holds the objects of another database: ${join(folder, OWNER_FILE)} names ` +
      `"${owner}", and this one is "${identity}". It is a copy of that database, or was moved.\n` +
      'If the other is still in use, neither may share the folder: make the copy with npm run backup and npm run restore, ' +
      'into an empty database and with a DRYDOCK_DATA_DIR of its own.\n' +
      `If the database was moved and the other is gone for good, delete the file ${join(folder, OWNER_FILE)} and start again.`,
  );
}
