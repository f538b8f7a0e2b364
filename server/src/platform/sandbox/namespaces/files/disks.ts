/**
 * Disks hold what a runtime wrote, and outlive its sandboxes. When the server runs as root, each disk belongs to a user of its own, so that
 * a sandbox that escapes its file system still cannot read another disk. That user is recorded in the disk's owner. The content comes from
 * a sandbox: nothing here follows its links.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { statSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../../errors.ts';
import { runProgram } from '../../../process/run-program.ts';
import { isMarkOfLiving, readOwnMark } from '../../process-table.ts';
import { OUTER_ENVIRONMENT } from '../host-environment.ts';
import { CapabilityStore } from './capability-store.ts';
import { type HostFiles, toDiskFolders } from './root-file-system.ts';
import { readUidRange, type UidRange } from './uid-range.ts';

export interface Disk {
  readonly folder: string;
  /** User of the disk's sandbox on the host. */
  readonly uid: number;
}

const REMOVAL_TIMEOUT_MS = 600_000;
/** Delay after the last new disk, so that the sandbox it was created for can start first. */
const REST_MS = 100;
/** Time during which removals are collected. */
const REMOVAL_MS = 200;
/** Prefix that no id has: a disk being created or removed. */
const UNFINISHED = '.unfinished-';
const WORKSPACE = 'workspace';

export class Disks {
  private readonly folder: string;
  private readonly spares: string;
  private readonly folders: readonly string[];
  private readonly range: UidRange | undefined;
  /** Users assigned in this folder; a collision between two servers of one machine is practically impossible. */
  private readonly uids = new Set<number>();
  /** The next new disk, created in advance. */
  private spare: Promise<Disk | undefined> | undefined;
  private rest: NodeJS.Timeout | undefined;
  /** Folders waiting for removal. Only `close` waits for it. */
  private doomed: string[] = [];
  private isRemovalDue = false;
  private removal: Promise<void> = Promise.resolve();

  /** @param spares folder for the disk created in advance, which has no owner yet; on the same file system */
  constructor(folder: string, spares: string, host: HostFiles) {
    this.folder = folder;
    this.spares = spares;
    this.folders = toDiskFolders(host);
    this.range = process.getuid?.() === 0 ? readUidRange() : undefined;
  }

  /** Removes what a killed process left half created or half removed. */
  async open(): Promise<void> {
    for (const folder of [this.folder, this.spares]) {
      for (const name of await readdir(folder)) {
        // Another process may use the same folder and still be working on the disk.
        if (name.startsWith(UNFINISHED) && !isMarkOfLiving(name.slice(UNFINISHED.length)))
          await this.destroy(join(folder, name));
      }
    }
    for (const name of await this.list()) this.uids.add(statSync(join(this.folder, name)).uid);
  }

  async list(): Promise<string[]> {
    return (await readdir(this.folder)).filter((name) => !name.startsWith(UNFINISHED));
  }

  /** Returns the disk with this id, and creates it when it does not exist. */
  async provide(diskId: string): Promise<Disk> {
    const folder = join(this.folder, diskId);
    const found = statSync(folder, { throwIfNoEntry: false });
    if (found) return { folder, uid: found.uid };
    const { folder: draft, uid } = (await this.takeSpare()) ?? (await this.make());
    await rename(draft, folder);
    this.prepareSpare();
    return { folder, uid };
  }

  private prepareSpare(): void {
    clearTimeout(this.rest);
    const make = () => {
      this.spare ??= this.make().catch(() => undefined);
    };
    this.rest = setTimeout(make, REST_MS).unref();
  }

  /** Removes the disk created in advance. */
  async close(): Promise<void> {
    clearTimeout(this.rest);
    const spare = await this.takeSpare();
    if (spare) await this.destroy(spare.folder);
    await this.removeDoomed();
  }

  private takeSpare(): Promise<Disk | undefined> | undefined {
    const { spare } = this;
    this.spare = undefined;
    return spare;
  }

  /** Creates a disk that is not at its final path yet. */
  private async make(uid = this.chooseUid()): Promise<Disk> {
    const draft = this.toUnfinished(this.spares);
    for (const path of [draft, ...this.folders.map((name) => join(draft, name))]) {
      await mkdir(path, { mode: path === draft || path.endsWith(`/${WORKSPACE}`) ? 0o700 : 0o755 });
      if (this.range) await chown(path, uid, uid);
    }
    new CapabilityStore(draft).make();
    return { folder: draft, uid };
  }

  /** Removes the disk from the list at once, and its files soon after. */
  async remove(diskId: string): Promise<void> {
    const folder = join(this.folder, diskId);
    const found = statSync(folder, { throwIfNoEntry: false });
    if (!found) return;
    const draft = this.toUnfinished(this.folder);
    await rename(folder, draft);
    this.uids.delete(found.uid);
    this.removeLater(draft);
  }

  /**
   * The workspace itself is never moved, so that an interruption at any point loses nothing of it. The other folders are swapped with those
   * of a new disk of the same user: nothing is created where a sandbox could have put a link.
   */
  async keepOnlyWorkspace(diskId: string): Promise<void> {
    const folder = join(this.folder, diskId);
    const { uid } = statSync(folder, { throwIfNoEntry: false }) ?? noWorkspace(diskId);
    if (!statSync(join(folder, WORKSPACE), { throwIfNoEntry: false })) noWorkspace(diskId);
    const { folder: fresh } = await this.make(uid);
    const old = this.toUnfinished(this.folder);
    await mkdir(old, { mode: 0o700 });
    await this.moveOthers(folder, old);
    await this.moveOthers(fresh, folder);
    await rename(fresh, join(old, 'rest-of-new')); // so that one program removes both
    this.removeLater(old);
  }

  private async moveOthers(from: string, to: string): Promise<void> {
    for (const name of await readdir(from)) {
      if (name === WORKSPACE) continue;
      const path = join(from, name);
      // An ordinary user can move a folder only while its mode allows writing, which the sandbox may have changed.
      if (!this.range) await chmod(path, statSync(path).mode | 0o200);
      await rename(path, join(to, name));
    }
  }

  /**
   * Remains of a killed process or a failed removal are removed by the next process. Spawning a program blocks this process for some 10 ms,
   * so one program removes all folders collected within a moment.
   */
  private removeLater(folder: string): void {
    this.doomed.push(folder);
    if (this.isRemovalDue) return;
    this.isRemovalDue = true;
    setTimeout(() => void this.removeDoomed(), REMOVAL_MS).unref();
  }

  /** Runs one program at a time. */
  private removeDoomed(): Promise<void> {
    this.isRemovalDue = false;
    const folders = this.doomed;
    this.doomed = [];
    if (folders.length > 0)
      this.removal = this.removal.then(() => this.destroy(...folders)).catch(() => undefined);
    return this.removal;
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

  private toUnfinished(folder: string): string {
    return join(folder, `${UNFINISHED}${readOwnMark()}-${randomBytes(8).toString('hex')}`);
  }

  /** Uses programs, since deleting a hundred thousand files would block this process. */
  private async destroy(...folders: readonly string[]): Promise<void> {
    // An ordinary user can empty a folder only when its mode allows it, and may change the mode as the owner.
    if (!this.range) await run('chmod', ['-R', 'u+rwX', '--', ...folders]);
    const { exitCode, stderr } = await run('rm', ['-rf', '--one-file-system', '--', ...folders]);
    if (exitCode === 0) return;
    throw new ApiError('sandbox_provider_error', `A disk could not be removed: ${stderr.trim().slice(-300)}`);
  }
}

function noWorkspace(diskId: string): never {
  throw new ApiError('sandbox_provider_error', `The disk ${diskId} has no /workspace on this host any more.`);
}

function run(command: string, args: readonly string[]) {
  return runProgram({ command, args, cwd: '/', env: OUTER_ENVIRONMENT, timeoutMs: REMOVAL_TIMEOUT_MS });
}
