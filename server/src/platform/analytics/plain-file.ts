/** Opens a file left by an untrusted process, which may be a link to another file or a device. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Reads through the returned handle only, since the path may change later.
 * @throws for a link, a pipe, or anything else
 */
export async function openPlainFile(path: string): Promise<FileHandle> {
  // Does not block on a pipe without a writer.
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = await file.stat();
    if (!stat.isFile() || stat.nlink !== 1) throw new Error(`${path} is not a plain file with one name.`);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
