/** Whose a folder of objects is, in a file in it: to a copy of the database, what the other has put since is rubbish. */
import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../errors.ts';
import { isMissing, syncFolder } from './blob-files.ts';

const OWNER_FILE = 'owner';

/** The first who comes writes it, durably; everyone else has to be the same. */
export async function requireOwner(folder: string, identity: string): Promise<void> {
  const owner = (await findOwner(folder)) ?? (await writeOwner(folder, identity));
  if (owner !== identity) throw isOthers(folder, owner, identity);
}

/** @returns undefined where nobody has said so */
export async function findOwner(folder: string): Promise<string | undefined> {
  try {
    return (await readFile(join(folder, OWNER_FILE), 'utf8')).trim();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** It gets its name when it is whole, and only where none has it: of two at once one wins. @returns who did */
async function writeOwner(folder: string, identity: string): Promise<string> {
  const draft = join(folder, `${OWNER_FILE}.${randomUUID()}`);
  await writeFile(draft, `${identity}\n`, { flag: 'wx', mode: 0o600, flush: true });
  try {
    await link(draft, join(folder, OWNER_FILE));
  } catch (error) {
    // A file system without links: the last wins there.
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
