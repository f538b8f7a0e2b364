/** Changes the capabilities of a disk through its engine only: by a helper container without access to the sandbox. */
import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { toCapabilityMounts } from '../container-plan.ts';
import type { Engine } from '../engine/engine.ts';
import { CAPABILITY_FOLDERS, type Ownership } from '../ownership.ts';
import type { RunningContainer } from '../running-container.ts';
import { runHelper } from '../sandbox-image.ts';
import { toArchive } from './capability-archive.ts';
import { type CapabilityStore, newUploadName, STAGING, type StoreChange, toSwap } from './store-change.ts';

const TIMEOUT_MS = 300_000;
const { capabilities: LINKS, versions: VERSIONS } = CAPABILITY_FOLDERS;

export class EngineCapabilityStore implements CapabilityStore {
  readonly #engine: Engine;
  readonly #ownership: Ownership;
  readonly #sandbox: RunningContainer;
  readonly #image: string;

  constructor(engine: Engine, ownership: Ownership, sandbox: RunningContainer, image: string) {
    this.#engine = engine;
    this.#ownership = ownership;
    this.#sandbox = sandbox;
    this.#image = image;
  }

  /** Asks the engine, so that the sandbox cannot interfere. */
  async isThere(name: string): Promise<boolean> {
    const found = await this.#engine.find((docker, abortSignal) => {
      const path = `${VERSIONS}/${name}`;
      return docker.getContainer(this.#sandbox.container).infoArchive({ path, abortSignal });
    });
    return found !== undefined;
  }

  async change(change: StoreChange): Promise<{ readonly code: number; readonly text: string }> {
    const upload = newUploadName();
    return await runHelper(
      this.#engine,
      this.#ownership,
      {
        Image: this.#image,
        Entrypoint: ['sh'],
        Cmd: toSwap(LINKS, VERSIONS, upload, change),
        HostConfig: { Mounts: toCapabilityMounts(this.#ownership, this.#sandbox.diskId, false) },
      },
      { timeoutMs: TIMEOUT_MS, before: (container) => this.#upload(container, upload, change) },
    );
  }

  #upload(container: Docker.Container, upload: string, { missing, bindings, signal }: StoreChange) {
    return this.#engine.call((_docker, late) => {
      const parts = toArchive({ staging: STAGING, coming: upload, folders: missing, bindings }, signal);
      const archive = Readable.from(parts, { objectMode: false });
      return container.putArchive(archive, { path: VERSIONS, abortSignal: AbortSignal.any([late, signal]) });
    }, TIMEOUT_MS);
  }
}
