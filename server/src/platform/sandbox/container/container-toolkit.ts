/** Everything needed to create sandboxes of an engine; its features were determined by a trial. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../errors.ts';
import type { Network } from '../egress/decision.ts';
import { toEngineProfile } from '../seccomp/engine-profile.ts';
import { removeLeftTrials } from './container-parts.ts';
import { Engine } from './engine/engine.ts';
import { type EngineSettings, findEngine } from './engine/engine-address.ts';
import { type Ownership, readOwnership } from './ownership.ts';
import { type ImageSettings, provideImage, type SandboxImage } from './sandbox-image.ts';
import { type Tried, tryContainer } from './trial.ts';

export interface ContainerSettings extends EngineSettings, ImageSettings {
  /** Runtime of the engine, such as `runsc`; undefined for its default. */
  readonly runtime: string | undefined;
}

export interface ContainerToolkit extends Tried {
  readonly engine: Engine;
  readonly ownership: Ownership;
  readonly runtime: string | undefined;
  /** Seccomp profile in the engine's format; undefined for its default. */
  readonly seccomp: string | undefined;
  /** True when the engine mounts memory owned by root at /var/tmp by itself. */
  readonly coversVarTmp: boolean;
  /** Parent of the folders with the proxy sockets of sandboxes that may reach hosts. */
  readonly egressFolders: string;
  readonly network: Partial<Network>;
  /**
   * Returns the image of sandboxes with or without a workspace.
   * @param isGone true when the image was removed from the engine
   */
  image(hasWorkspace: boolean, isGone?: boolean): Promise<SandboxImage>;
}

/** @throws {ApiError} that says what is missing, and what to do */
export async function openContainerToolkit(
  folder: string,
  settings: ContainerSettings,
  network: Partial<Network> = {},
): Promise<ContainerToolkit> {
  if (settings.image === undefined) throw notConfigured();
  const engine = await Engine.connect(findEngine(settings));
  try {
    const ownership = await readOwnership(join(folder, 'host-id'));
    await removeLeftTrials(engine, ownership);
    const egressFolders = join(folder, 'egress');
    await mkdir(egressFolders, { recursive: true });
    const seccomp = await writeProfile(engine, join(folder, 'seccomp.json'));
    const image = imageMaker(engine, ownership, settings);
    const { isPodman: coversVarTmp } = await engine.describe();
    const { runtime } = settings;
    const parts = { engine, ownership, runtime, seccomp, coversVarTmp, egressFolders, network, image };
    return { ...parts, ...(await tryContainer({ ...parts, image: (await image(true)).name })) };
  } catch (error) {
    engine.close();
    throw error;
  }
}

const notConfigured = () =>
  new ApiError(
    'sandbox_provider_error',
    'No image is configured for containers. Set DRYDOCK_CONTAINER_IMAGE to one that Docker or Podman has here, or at DRYDOCK_CONTAINER_HOST.',
  );

/** Builds each image on first use. */
function imageMaker(
  engine: Engine,
  ownership: Ownership,
  settings: ContainerSettings,
): ContainerToolkit['image'] {
  const images = new Map<boolean, Promise<SandboxImage>>();
  return (hasWorkspace, isGone = false) => {
    const known = isGone ? undefined : images.get(hasWorkspace);
    if (known) return known;
    const made = provideImage(engine, ownership, settings, hasWorkspace);
    images.set(hasWorkspace, made);
    made.catch(() => images.delete(hasWorkspace));
    return made;
  };
}

/** Docker takes the profile as text; Podman reads a file, which works on this machine only. */
async function writeProfile(engine: Engine, path: string): Promise<string | undefined> {
  const { architecture, isPodman } = await engine.describe();
  const known = /^(x86_64|amd64)$/.test(architecture)
    ? 'x64'
    : /^(aarch64|arm64)$/.test(architecture) && 'arm64';
  if (!known) return undefined;
  const profile = JSON.stringify(toEngineProfile(known));
  if (!isPodman) return profile;
  if (!engine.isLocal) return undefined;
  await writeFile(path, profile);
  return path;
}
