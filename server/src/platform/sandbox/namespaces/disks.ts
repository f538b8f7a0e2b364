/**
 * Disks: what a runtime wrote, which outlives its sandboxes.
 *
 * As root, each belongs to a user of its own, so that a sandbox that got out of its own file system would still not read
 * another's. Whose it is is written in its owner. What is in it was put there by a guest: nothing here follows its links.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { chownSync, mkdirSync, statSync } from 'node:fs';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../http/errors.ts';
import { runProgram } from '../../process/run-program.ts';
import { OUTER_ENVIRONMENT } from './host-environment.ts';
import { isMarkOfLiving, readOwnMark } from './process-table.ts';
import { type HostFiles, toDiskFolders } from './root-file-system.ts';
import { readUidRange, type UidRange } from './uid-range.ts';

export interface Disk {
  readonly folder: string;
  /** Who its sandbox is for the host. */
  readonly uid: number;
}

const REMOVAL_TIMEOUT_MS = 600_000;
/** A name that no id has: made and not yet whole, or on its way out. */
const UNFINISHED = '.unfinished-';

export class Disks {
  private readonly folder: string;
  private readonly folders: readonly string[];
  private readonly range: UidRange | undefined;
  /** Of this folder; that two servers of one machine choose the same is as good as impossible. */
  private readonly uids = new Set<number>();

  constructor(folder: string, host: HostFiles) {
    this.folder = folder;
    this.folders = toDiskFolders(host);
    this.range = process.getuid?.() === 0 ? readUidRange() : undefined;
  }

  /** Removes what a killed process left half made or half removed. */
  async open(): Promise<void> {
    for (const name of await readdir(this.folder)) {
      if (name.startsWith(UNFINISHED)) {
        // Another process may be on the same folder, and about to finish it.
        if (!isMarkOfLiving(name.slice(UNFINISHED.length))) await this.destroy(join(this.folder, name));
      } else this.uids.add(statSync(join(this.folder, name)).uid);
    }
  }

  async list(): Promise<string[]> {
    return (await readdir(this.folder)).filter((name) => !name.startsWith(UNFINISHED));
  }

  /** The one of this id, made when there is none. */
  async provide(diskId: string): Promise<Disk> {
    const folder = join(this.folder, diskId);
    const found = statSync(folder, { throwIfNoEntry: false });
    if (found) return { folder, uid: found.uid };
    const uid = this.chooseUid();
    const draft = this.toUnfinished();
    for (const path of [draft, ...this.folders.map((name) => join(draft, name))]) {
      mkdirSync(path, { mode: path === draft || path.endsWith('/workspace') ? 0o700 : 0o755 });
      if (this.range) chownSync(path, uid, uid);
    }
    await rename(draft, folder);
    return { folder, uid };
  }

  /** Gone at once for whoever looks, and from the file system when this resolves. */
  async remove(diskId: string): Promise<void> {
    const folder = join(this.folder, diskId);
    const found = statSync(folder, { throwIfNoEntry: false });
    if (!found) return;
    const draft = this.toUnfinished();
    await rename(folder, draft);
    this.uids.delete(found.uid);
    await this.destroy(draft);
  }

  private chooseUid(): number {
    if (!this.range) return process.getuid?.() ?? 0;
    if (this.uids.size >= this.range.count) {
      throw new ApiError(
        'sandbox_provider_error',
        'This host has no user left for another disk. Delete runtimes.',
      );
    }
    for (;;) {
      const uid = this.range.first + randomInt(this.range.count);
      if (this.uids.has(uid)) continue;
      this.uids.add(uid);
      return uid;
    }
  }

  private toUnfinished(): string {
    return join(this.folder, `${UNFINISHED}${readOwnMark()}-${randomBytes(8).toString('hex')}`);
  }

  /** By programs: a hundred thousand files would keep this process from everything else. */
  private async destroy(folder: string): Promise<void> {
    // Who is not root can empty a folder only where its modes allow it, and may change them since it is the owner.
    if (!this.range) await run('chmod', ['-R', 'u+rwX', '--', folder]);
    const { exitCode, stderr } = await run('rm', ['-rf', '--one-file-system', '--', folder]);
    if (exitCode === 0) return;
    throw new ApiError('sandbox_provider_error', `A disk could not be removed: ${stderr.trim().slice(-300)}`);
  }
}

function run(command: string, args: readonly string[]) {
  return runProgram({ command, args, cwd: '/', env: OUTER_ENVIRONMENT, timeoutMs: REMOVAL_TIMEOUT_MS });
}
