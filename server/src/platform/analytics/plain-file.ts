/** Opens what a process that is not trusted has left as a file: it may be a way to another one, or to nowhere. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** To be read from here on: what has the path later may be another. @throws where it is a link, a pipe, or anything else */
export async function openPlainFile(path: string): Promise<FileHandle> {
  // Without waiting for whoever would write into a pipe.
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = await file.stat();
    if (!stat.isFile() || stat.nlink !== 1) throw new Error(`${path} is no plain file with one name.`);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
