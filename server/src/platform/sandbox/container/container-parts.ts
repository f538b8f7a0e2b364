/** Finds and removes what a sandbox has at its engine. */
import { setTimeout as wait } from 'node:timers/promises';
import type Docker from 'dockerode';
import { ApiError } from '../../errors.ts';
import { isMarkOfLiving } from '../process-table.ts';
import { type Engine, EngineError } from './engine/engine.ts';
import { LABEL, type Ownership, TRIAL } from './ownership.ts';
import { removeContainer } from './sandbox-image.ts';

/** Time for up to a hundred thousand files. */
const DISK_TIMEOUT_MS = 600_000;
const REMOVAL_ROUNDS = 100;
const REMOVAL_PAUSE_MS = 100;

/** Lists the containers of this host, running or not. */
export async function listContainers(engine: Engine, ownership: Ownership): Promise<Docker.ContainerInfo[]> {
  const filters = { label: [ownership.hostLabel] };
  return await engine.call((docker, abortSignal) => {
    return docker.listContainers({ all: true, filters, abortSignal });
  });
}

export async function listVolumes(engine: Engine, { volumePrefix }: Ownership): Promise<string[]> {
  const filters = { name: [volumePrefix] };
  const found = await engine.call((docker, abortSignal) => docker.listVolumes({ filters, abortSignal }));
  return (found.Volumes ?? []).map(({ Name }) => Name).filter((name) => name.startsWith(volumePrefix));
}

export async function removeDiskVolumes(engine: Engine, ownership: Ownership, diskId: string): Promise<void> {
  for (const { name } of listDiskVolumes(ownership, diskId)) await removeVolume(engine, name);
}

/** Removes all other volumes. The engine creates them again from the image at the next start. */
export async function keepWorkspaceVolume(
  engine: Engine,
  ownership: Ownership,
  diskId: string,
): Promise<void> {
  const workspace = ownership.volumeName(diskId, 'workspace');
  const found = await engine.find((docker, abortSignal) =>
    docker.getVolume(workspace).inspect({ abortSignal }),
  );
  if (!found) {
    const detail = `The disk ${diskId} has no volume for /workspace at the container engine any more.`;
    throw new ApiError('sandbox_provider_error', detail);
  }
  const others = listDiskVolumes(ownership, diskId).filter(({ name }) => name !== workspace);
  await Promise.all(others.map(({ name }) => removeVolume(engine, name)));
}

const listDiskVolumes = (ownership: Ownership, diskId: string) => [
  ...ownership.diskVolumes(diskId),
  ...ownership.capabilityVolumes(diskId),
];

/** Retries, since the engine may still be busy with the volume for a killed process. */
async function removeVolume(engine: Engine, name: string): Promise<void> {
  for (let round = 0; ; round += 1) {
    try {
      await engine.find((docker, abortSignal) => {
        return docker.getVolume(name).remove({ abortSignal });
      }, DISK_TIMEOUT_MS);
      return;
    } catch (error) {
      const isInUse = error instanceof EngineError && error.engineStatus === 409;
      if (!isInUse || round >= REMOVAL_ROUNDS) throw error;
      await wait(REMOVAL_PAUSE_MS);
    }
  }
}

/** Removes what killed processes left from trials and changes. */
export async function removeLeftTrials(engine: Engine, ownership: Ownership): Promise<void> {
  const isLeft = (mark: string | undefined) => mark !== undefined && !isMarkOfLiving(mark);
  const ofTrial = (id: string | undefined) => (id?.startsWith(TRIAL) ? id.slice(TRIAL.length) : undefined);
  for (const { Id, Labels } of await listContainers(engine, ownership)) {
    const { [LABEL.sandbox]: sandbox, [LABEL.helper]: helper } = Labels;
    if (isLeft(sandbox === undefined ? helper : ofTrial(sandbox))) await removeContainer(engine, Id);
  }
  for (const name of await listVolumes(engine, ownership)) {
    if (isLeft(ofTrial(ownership.findDiskId(name)))) await removeVolume(engine, name);
  }
}
