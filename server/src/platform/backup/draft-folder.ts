/** A folder that gets its name when all of it is on disk: after a kill, no partial folder looks like a complete one. */
import { lstat, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isAlive } from '../db/postmaster-file.ts';
import { syncFolder } from '../object-storage/embedded/blobs/blob-files.ts';
import { BackupError } from './manifest.ts';

const MARK = '.incomplete-';

export async function makeDraft(folder: string): Promise<string> {
  const found = await lstat(folder).catch(() => undefined);
  // The finished folder takes this name; without the check that would fail at the very end.
  if (found?.isSymbolicLink()) throw new BackupError(`${folder} is a link; name the folder itself.`);
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    if (error.code === 'ENOTDIR') throw new BackupError(`${folder} is a file; name a folder.`);
    throw error;
  });
  if (names.length > 0) {
    throw new BackupError(`${folder} is not empty. Name a folder that is empty or does not exist yet.`);
  }
  await makeFolderAround(folder);
  await removeAbandoned(folder);
  const draft = `${folder}${MARK}${process.pid}`;
  await mkdir(draft, { mode: 0o700 });
  return draft;
}

/** Creates one folder, not a whole path: if nothing of a path exists, it is probably mistyped. */
async function makeFolderAround(folder: string): Promise<void> {
  try {
    await mkdir(dirname(folder));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== 'EEXIST')
      throw new BackupError(`${dirname(folder)} cannot be made (${code}); make it first.`, { cause });
  }
}

/** Removes what killed backups to the same folder left behind. */
async function removeAbandoned(folder: string): Promise<void> {
  const beginning = basename(folder) + MARK;
  for (const name of await readdir(dirname(folder))) {
    const pid = name.startsWith(beginning) ? Number(name.slice(beginning.length)) : Number.NaN;
    if (Number.isInteger(pid) && (pid === process.pid || !isAlive(pid)))
      await rm(join(dirname(folder), name), { recursive: true, force: true });
  }
}

export async function writeDurably(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: 'wx', mode: 0o600, flush: true });
}

export async function publishDraft(draft: string, folder: string): Promise<void> {
  await syncFolders(draft);
  try {
    await rename(draft, folder);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new BackupError(
      `${folder} cannot take the finished backup (${code}). Name a folder that does not exist yet, on the same disk as the one around it.`,
      { cause },
    );
  }
  await syncFolder(dirname(folder));
}

/** Syncs the folder and its subfolders, so that the names of all files are on disk. */
export async function syncFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await syncFolders(join(folder, entry.name));
  await syncFolder(folder);
}
