/**
 * Changes the capabilities of a disk directly when its volumes are folders of this machine that this process may write to: no container is
 * needed.
 */
import { access, chmod, constants, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../../../process/run-program.ts';
import { OUTER_ENVIRONMENT } from '../../namespaces/host-environment.ts';
import { unpackFiles } from '../../unpacking.ts';
import type { Engine } from '../engine/engine.ts';
import type { Ownership } from '../ownership.ts';
import { type CapabilityStore, newUploadName, STAGING, type StoreChange, toSwap } from './store-change.ts';

const TIMEOUT_MS = 300_000;
const FOLDER_MODE = 0o755;

export class FolderCapabilityStore implements CapabilityStore {
  readonly #links: string;
  readonly #versions: string;

  /** @returns undefined when this process lacks permission */
  static async open(
    engine: Engine,
    ownership: Ownership,
    diskId: string,
  ): Promise<FolderCapabilityStore | undefined> {
    const find = async (folder: 'capabilities' | 'versions') => {
      const name = ownership.volumeName(diskId, folder);
      return await engine.call(async (docker, abortSignal) => {
        return (await docker.getVolume(name).inspect({ abortSignal })).Mountpoint;
      });
    };
    const [links, versions] = await Promise.all([find('capabilities'), find('versions')]);
    const mayWrite = await Promise.all([links, versions].map((path) => access(path, constants.W_OK))).then(
      () => true,
      () => false,
    );
    return mayWrite ? new FolderCapabilityStore(links, versions) : undefined;
  }

  private constructor(links: string, versions: string) {
    this.#links = links;
    this.#versions = versions;
  }

  async isThere(name: string): Promise<boolean> {
    return await access(join(this.#versions, name)).then(
      () => true,
      () => false,
    );
  }

  async change(change: StoreChange): Promise<{ readonly code: number; readonly text: string }> {
    const staging = join(this.#versions, STAGING);
    await mkdir(staging, { recursive: true, mode: 0o700 });
    const upload = newUploadName();
    try {
      await this.#upload(join(staging, upload), change);
      const { exitCode, stderr } = await runProgram({
        command: 'sh',
        args: toSwap(this.#links, this.#versions, upload, change),
        cwd: '/',
        env: { ...OUTER_ENVIRONMENT, LC_ALL: 'C' },
        timeoutMs: TIMEOUT_MS,
      });
      return { code: exitCode ?? 1, text: stderr };
    } catch (error) {
      await rm(join(staging, upload), { recursive: true, force: true });
      throw error;
    }
  }

  async #upload(upload: string, { missing, bindings, signal }: StoreChange): Promise<void> {
    await mkdir(join(upload, 'store'), { recursive: true });
    for (const { digest, files } of missing) {
      const folder = join(upload, 'store', digest);
      await mkdir(folder);
      await chmod(folder, FOLDER_MODE); // independent of the umask of this process
      await unpackFiles(folder, files(), signal);
    }
    await writeFile(join(upload, 'bindings.json'), bindings);
    signal.throwIfAborted();
  }
}
