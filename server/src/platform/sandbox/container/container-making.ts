/** Creates, finds and removes the container of a sandbox. */
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { ApiError } from '../../errors.ts';
import { AllowList } from '../egress/allow-list.ts';
import { EgressProxy, hasProxy, toPlatform } from '../egress/proxy.ts';
import type { SandboxEvents, SandboxSpec, SandboxState } from '../sandbox-provider.ts';
import { toCreateOptions, USER_ID } from './container-plan.ts';
import type { ContainerToolkit } from './container-toolkit.ts';
import { EngineError } from './engine/engine.ts';
import { LABEL } from './ownership.ts';
import { RunningContainer } from './running-container.ts';
import { removeContainer } from './sandbox-image.ts';

/** Removes all that was created when it fails. */
export async function makeContainer(
  toolkit: ContainerToolkit,
  spec: SandboxSpec,
  events: SandboxEvents,
): Promise<RunningContainer> {
  const { engine, ownership, egressFolders } = toolkit;
  checkLimits(toolkit, spec);
  const { id, diskId } = spec;
  if (hasProxy(spec) && toolkit.noEgress) throw new ApiError('sandbox_provider_error', toolkit.noEgress);
  const egressFolder = hasProxy(spec) ? join(egressFolders, id) : undefined;
  if (egressFolder !== undefined) await makeFolder(egressFolder);
  let proxy: EgressProxy | undefined;
  try {
    const container = await create(toolkit, spec, egressFolder);
    proxy = await openProxy(toolkit, spec, events);
    await engine.call((_docker, abortSignal) => container.start({ abortSignal }));
    const { environment } = await toolkit.image(spec.hasWorkspace);
    return new RunningContainer({
      engine,
      id,
      diskId,
      container: container.id,
      environment,
      proxy,
      isPaused: false,
      joining: toolkit.joining,
    });
  } catch (error) {
    await proxy?.close();
    if (error instanceof ApiError && error.type === 'conflict_error') throw error;
    await removeContainer(engine, ownership.containerName(id));
    if (egressFolder !== undefined) await rm(egressFolder, { recursive: true, force: true });
    throw error;
  }
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await chmod(path, 0o755); // independent of the umask of this process
}

/** The container's name acts as a lock: one of two concurrent starts is refused. */
async function create(
  toolkit: ContainerToolkit,
  spec: SandboxSpec,
  egressFolder: string | undefined,
): Promise<Docker.Container> {
  const attempt = async (isImageGone: boolean) => {
    const image = (await toolkit.image(spec.hasWorkspace, isImageGone)).name;
    const options = toCreateOptions({ ...toolkit, spec, image, egressFolder });
    return await toolkit.engine.call((docker, abortSignal) => {
      return docker.createContainer({ ...options, abortSignal });
    });
  };
  try {
    return await attempt(false).catch((error: unknown) => {
      if (error instanceof EngineError && error.engineStatus === 404) return attempt(true);
      throw error;
    });
  } catch (error) {
    // Podman has no distinct status for a name conflict.
    const isTaken =
      error instanceof EngineError && (error.engineStatus === 409 || /already in use/.test(error.message));
    if (!isTaken) throw error;
    throw new ApiError('conflict_error', `The sandbox ${spec.id} exists already.`, { cause: error });
  }
}

function checkLimits({ limits }: ContainerToolkit, { limits: requested }: SandboxSpec): void {
  const { cpuCores: cpu, memoryMb: memory, pids } = requested;
  const wanted = { cpu, memory, pids };
  const unheld = (['cpu', 'memory', 'pids'] as const).filter(
    (limit) => wanted[limit] !== undefined && !limits.includes(limit),
  );
  if (unheld.length === 0) return;
  const detail = `The container engine does not hold a sandbox to a limit of ${unheld.join(' and ')}, which was tried. Use one that can, such as one that runs as root.`;
  throw new ApiError('sandbox_provider_error', detail);
}

async function openProxy(
  { egressFolders, network }: ContainerToolkit,
  spec: Pick<SandboxSpec, 'id' | 'egressAllow' | 'hasPlatformAccess'>,
  events: SandboxEvents,
): Promise<EgressProxy | undefined> {
  if (!hasProxy(spec)) return undefined;
  return await EgressProxy.open({
    socketPath: join(egressFolders, spec.id, 'proxy.sock'),
    uid: USER_ID,
    allow: new AllowList(spec.egressAllow),
    egress: (entry) => events.egress(spec.id, entry),
    platform: toPlatform(spec, events),
    ...network,
  });
}

/** Uses the list of the engine: a sandbox could delay an inspection forever by stopping a command that is being started. */
async function listOne(
  { engine, ownership }: ContainerToolkit,
  id: string,
): Promise<Docker.ContainerInfo | undefined> {
  const filters = { label: [ownership.hostLabel, `${LABEL.sandbox}=${id}`] };
  const [found] = await engine.call((docker, abortSignal) => {
    return docker.listContainers({ all: true, filters, abortSignal });
  });
  return found;
}

/** Returns the current state as seen by the engine. */
export async function inspectContainer(toolkit: ContainerToolkit, id: string): Promise<SandboxState> {
  const listed = await listOne(toolkit, id);
  if (listed?.State === 'running' || listed?.State === 'paused') return { state: listed.State };
  const ended =
    listed &&
    (await toolkit.engine.find((docker, abortSignal) =>
      docker.getContainer(listed.Id).inspect({ abortSignal }),
    ));
  const endedAt = new Date(ended?.State.FinishedAt ?? Number.NaN);
  // A container that was never started has the year 1 as its end.
  return { state: 'gone', endedAt: endedAt.getTime() > 0 ? endedAt : undefined };
}

/** Takes over a sandbox that another process started; undefined when it has ended. Ends the foreground commands of that process. */
export async function findContainer(
  toolkit: ContainerToolkit,
  id: string,
  events: SandboxEvents,
): Promise<RunningContainer | undefined> {
  const found = await listOne(toolkit, id);
  if (found?.State !== 'running' && found?.State !== 'paused') return undefined;
  const egressAllow: string[] = JSON.parse(found.Labels[LABEL.egress] ?? '[]');
  const hasPlatformAccess = found.Labels[LABEL.platform] === 'true';
  const { environment } = await toolkit.image(true);
  const proxy = await openProxy(toolkit, { id, egressAllow, hasPlatformAccess }, events);
  const sandbox = new RunningContainer({
    engine: toolkit.engine,
    id,
    diskId: found.Labels[LABEL.disk] ?? '',
    container: found.Id,
    environment,
    proxy,
    isPaused: found.State === 'paused',
    joining: toolkit.joining,
  });
  // A sandbox without free resources for this script is taken over nevertheless.
  await sandbox.endLeftCommands().catch(() => undefined);
  return sandbox;
}

export async function killContainer({ engine, ownership }: ContainerToolkit, id: string): Promise<void> {
  await engine.find((docker, abortSignal) => {
    return docker.getContainer(ownership.containerName(id)).kill({ abortSignal });
  });
}

/** Resolves when nothing is left of the sandbox except its disk. */
export async function endContainer(
  { engine, ownership, egressFolders }: ContainerToolkit,
  id: string,
  sandbox: RunningContainer | undefined,
): Promise<void> {
  await removeContainer(engine, ownership.containerName(id));
  await sandbox?.finish();
  await rm(join(egressFolders, id), { recursive: true, force: true });
}
