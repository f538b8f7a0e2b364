/**
 * Capabilities on a disk: each version is stored once and completely, and links define which versions are visible. A sandbox sees `links`
 * as /capabilities and `versions` where the links lead, both read-only. A version is written in `staging`, which no sandbox sees, and
 * appears by one rename; one link is then replaced by another, again by one rename. The old target of a link stays until the next start,
 * since commands may be using it.
 */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ApiError } from '../../../errors.ts';
import { runProgram } from '../../../process/run-program.ts';
import { readBootId } from '../../process-table.ts';
import type { CapabilityFolder } from '../../sandbox-provider.ts';
import { unpackFiles } from '../../unpacking.ts';
import { OUTER_ENVIRONMENT } from '../host-environment.ts';
import { CAPABILITY_FOLDER, VERSIONS_FOLDER } from './root-file-system.ts';

const REMOVAL_TIMEOUT_MS = 600_000;
const BINDINGS = 'bindings.json';
const NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;
const DIGEST = /^[0-9a-f]{64}$/;

export class CapabilityStore {
  private readonly folder: string;

  /** @param disk its folder */
  constructor(disk: string) {
    this.folder = join(disk, CAPABILITY_FOLDER);
  }

  /** Creates the folders on a new disk, or on a disk of a server without capability support. Sandboxes cannot modify anything in them. */
  make(): void {
    this.makeFolder('.', 0o755);
    this.makeFolder('links', 0o755);
    // Cannot be listed: only versions that a link leads to are visible.
    this.makeFolder('versions', 0o711);
    this.makeFolder('staging', 0o700);
    if (!existsSync(this.at('links', BINDINGS))) this.writeBindings('[]\n');
    if (!existsSync(this.at('boot'))) writeFileSync(this.at('boot'), readBootId());
  }

  /**
   * Runs before a sandbox starts on the disk, when it is not in use: removes versions without a link, and partial writes of a killed
   * process. Removes everything after a reboot, since the last writes may not have reached the disk.
   */
  async tidy(): Promise<void> {
    this.make();
    if (readFileSync(this.at('boot'), 'utf8') !== readBootId()) {
      this.show([], '[]\n');
      writeFileSync(this.at('boot'), readBootId());
    }
    const shown = new Set(this.readLinks().values());
    for (const name of readdirSync(this.at('versions'))) {
      if (!shown.has(name)) renameSync(this.at('versions', name), this.toDraft());
    }
    await this.clearStaging();
  }

  /** @param requireRoom called before anything is unpacked */
  async set(
    folders: readonly CapabilityFolder[],
    bindings: string,
    requireRoom: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    for (const { path, digest } of folders) checkNames(path, digest);
    await this.clearStaging();
    for (const { digest, files } of folders) {
      if (existsSync(this.at('versions', digest))) continue;
      await requireRoom();
      await this.unpack(digest, files(), signal);
    }
    signal.throwIfAborted();
    this.show(folders, bindings);
  }

  private async unpack(
    digest: string,
    files: ReturnType<CapabilityFolder['files']>,
    signal: AbortSignal,
  ): Promise<void> {
    const draft = this.toDraft();
    mkdirSync(draft);
    chmodSync(draft, 0o755);
    try {
      await unpackFiles(draft, files, signal);
      renameSync(draft, this.at('versions', digest));
    } catch (error) {
      await remove([draft]);
      throw error;
    }
  }

  /** Orders the steps so that the bindings file never names a capability that is not visible. */
  private show(folders: readonly Pick<CapabilityFolder, 'path' | 'digest'>[], bindings: string): void {
    const before = this.readLinks();
    const after = new Map(folders.map(({ path, digest }) => [path, digest]));
    const gone = [...before.keys()].filter((path) => !after.has(path));
    // A name may have become the folder of an owner, or vice versa.
    const inTheWay = gone.filter((path) => [...after.keys()].some((other) => isBelow(other, path)));
    for (const path of inTheWay) this.unlink(path);
    for (const [path, digest] of after) {
      if (before.get(path) !== digest) this.link(path, digest);
    }
    this.writeBindings(bindings);
    for (const path of gone.filter((each) => !inTheWay.includes(each))) this.unlink(path);
  }

  private link(path: string, digest: string): void {
    const place = this.at('links', path);
    if (!existsSync(dirname(place))) this.makeFolder(join('links', dirname(path)), 0o755);
    const draft = this.toDraft();
    symlinkSync(join(VERSIONS_FOLDER, digest), draft);
    renameSync(draft, place);
  }

  private unlink(path: string): void {
    unlinkSync(this.at('links', path));
    const owner = dirname(path);
    if (owner !== '.' && readdirSync(this.at('links', owner)).length === 0)
      rmdirSync(this.at('links', owner));
  }

  /** Returns the digest of each visible version by its path. */
  private readLinks(): Map<string, string> {
    const links = new Map<string, string>();
    const read = (path: string) => links.set(path, basename(readlinkSync(this.at('links', path))));
    for (const entry of readdirSync(this.at('links'), { withFileTypes: true })) {
      if (entry.isSymbolicLink()) read(entry.name);
      else if (entry.isDirectory()) {
        for (const name of readdirSync(this.at('links', entry.name))) read(join(entry.name, name));
      }
    }
    return links;
  }

  private writeBindings(text: string): void {
    const place = this.at('links', BINDINGS);
    if (existsSync(place) && readFileSync(place, 'utf8') === text) return;
    const draft = this.toDraft();
    writeFileSync(draft, text);
    chmodSync(draft, 0o444);
    renameSync(draft, place);
  }

  private makeFolder(name: string, mode: number): void {
    const path = this.at(name);
    if (existsSync(path)) return;
    mkdirSync(path);
    chmodSync(path, mode); // independent of the umask of this process
  }

  private async clearStaging(): Promise<void> {
    await remove(readdirSync(this.at('staging')).map((name) => this.at('staging', name)));
  }

  private toDraft(): string {
    return this.at('staging', randomBytes(8).toString('hex'));
  }

  private at(...names: string[]): string {
    return join(this.folder, ...names);
  }
}

const isBelow = (path: string, folder: string) =>
  path.startsWith(`${folder}/`) || folder.startsWith(`${path}/`);

function checkNames(path: string, digest: string): void {
  const names = path.split('/');
  const isPath = names.length <= 2 && names.every((name) => NAME.test(name)) && path !== BINDINGS;
  if (!isPath || !DIGEST.test(digest)) throw new Error('no path or digest of a capability');
}

/** Uses a program, since deleting many files would block this process. */
async function remove(paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const { exitCode, stderr } = await runProgram({
    command: 'rm',
    args: ['-rf', '--one-file-system', '--', ...paths],
    cwd: '/',
    env: OUTER_ENVIRONMENT,
    timeoutMs: REMOVAL_TIMEOUT_MS,
  });
  if (exitCode === 0) return;
  const detail = `What was left of a capability could not be removed: ${stderr.trim().slice(-300)}`;
  throw new ApiError('sandbox_provider_error', detail);
}
