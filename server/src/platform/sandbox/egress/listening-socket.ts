/** A unix socket at a path of any length, accessible to a single user, and put in place atomically. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { chmod, type FileHandle, lchown, lstat, open, rename, rm } from 'node:fs/promises';
import type { Server } from 'node:net';
import { basename, dirname, join } from 'node:path';

export class ListeningSocket {
  private readonly server: Server;
  private readonly folder: FileHandle;
  private readonly path: string;
  private readonly inode: bigint;

  private constructor(server: Server, folder: FileHandle, path: string, inode: bigint) {
    this.server = server;
    this.folder = folder;
    this.path = path;
    this.inode = inode;
  }

  static async open(server: Server, path: string, uid: number): Promise<ListeningSocket> {
    const folder = await open(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      // Socket addresses hold 107 bytes, and a data directory may lie deeper than that.
      const draft = `${basename(path)}.${randomBytes(8).toString('hex')}`;
      server.listen(`/proc/self/fd/${folder.fd}/${draft}`);
      await once(server, 'listening');
      const inode = await place(join(dirname(path), draft), path, uid);
      return new ListeningSocket(server, folder, path, inode);
    } catch (error) {
      server.close();
      await folder.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await new Promise((closed) => this.server.close(closed));
    await this.folder.close();
    const found = await lstat(this.path, { bigint: true }).catch(() => undefined);
    // Another process may have put its own socket there.
    if (found?.ino === this.inode) await rm(this.path, { force: true });
  }
}

async function place(draft: string, path: string, uid: number): Promise<bigint> {
  try {
    await chmod(draft, 0o600);
    if (uid !== process.getuid?.()) await lchown(draft, uid, uid);
    const { ino } = await lstat(draft, { bigint: true });
    await rename(draft, path);
    return ino;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
