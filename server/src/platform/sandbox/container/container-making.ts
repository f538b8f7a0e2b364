/** How a sandbox comes to be, is found again by the next process, and goes. */
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { ApiError } from '../../errors.ts';
import { AllowList } from '../egress/allow-list.ts';
import { EgressProxy, hasProxy, toPlatform } from '../egress/proxy.ts';
import type { SandboxEvents, SandboxSpec, Sight } from '../sandbox-provider.ts';
import { toCreateOptions, USER_ID } from './container-plan.ts';
import { EngineError } from './engine.ts';
import { LivingContainer } from './living-container.ts';
import { LABEL } from './ownership.ts';
import { removeContainer } from './sandbox-image.ts';
import type { Workshop } from './workshop.ts';

/** What was made is removed again when it fails. */
export async function makeContainer(
  workshop: Workshop,
  spec: SandboxSpec,
  events: SandboxEvents,
): Promise<LivingContainer> {
  const { engine, ownership, egressFolders } = workshop;
  checkLimits(workshop, spec);
  const { id, diskId } = spec;
  if (hasProxy(spec) && workshop.noEgress) throw new ApiError('sandbox_provider_error', workshop.noEgress);
  const egressFolder = hasProxy(spec) ? join(egressFolders, id) : undefined;
  if (egressFolder !== undefined) await makeFolder(egressFolder);
  let proxy: EgressProxy | undefined;
  try {
    const container = await create(workshop, spec, egressFolder);
    proxy = await openProxy(workshop, spec, events);
    await engine.call((_docker, abortSignal) => container.start({ abortSignal }));
    const { environment } = await workshop.image(spec.hasWorkspace);
    return new LivingContainer({
      engine,
      id,
      diskId,
      container: container.id,
      environment,
      proxy,
      isPaused: false,
      joining: workshop.joining,
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
  await chmod(path, 0o755); // whatever the process's umask is
}

/** Its name is the claim: of two who start it at once one is refused. */
async function create(
  workshop: Workshop,
  spec: SandboxSpec,
  egressFolder: string | undefined,
): Promise<Docker.Container> {
  const attempt = async (isImageGone: boolean) => {
    const image = (await workshop.image(spec.hasWorkspace, isImageGone)).name;
    const options = toCreateOptions({ ...workshop, spec, image, egressFolder });
    return await workshop.engine.call((docker, abortSignal) => {
      return docker.createContainer({ ...options, abortSignal });
    });
  };
  try {
    return await attempt(false).catch((error: unknown) => {
      if (error instanceof EngineError && error.engineStatus === 404) return attempt(true);
      throw error;
    });
  } catch (error) {
    // Podman has no status of its own for it.
    const isTaken =
      error instanceof EngineError && (error.engineStatus === 409 || /already in use/.test(error.message));
    if (!isTaken) throw error;
    throw new ApiError('conflict_error', `The sandbox ${spec.id} is there already.`, { cause: error });
  }
}

function checkLimits({ limits }: Workshop, { limits: asked }: SandboxSpec): void {
  const { cpuCores: cpu, memoryMb: memory, pids } = asked;
  const wanted = { cpu, memory, pids };
  const unheld = (['cpu', 'memory', 'pids'] as const).filter(
    (limit) => wanted[limit] !== undefined && !limits.includes(limit),
  );
  if (unheld.length === 0) return;
  const detail = `The container engine does not hold a sandbox to a limit of ${unheld.join(' and ')}, which was tried. Use one that can, such as one that runs as root.`;
  throw new ApiError('sandbox_provider_error', detail);
}

async function openProxy(
  { egressFolders, network }: Workshop,
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

/**
 * As the engine lists it: one that is inspected may hold that up for as long as it likes, by stopping a command on its way in.
 */
async function listOne(
  { engine, ownership }: Workshop,
  id: string,
): Promise<Docker.ContainerInfo | undefined> {
  const filters = { label: [ownership.hostLabel, `${LABEL.sandbox}=${id}`] };
  const [found] = await engine.call((docker, abortSignal) => {
    return docker.listContainers({ all: true, filters, abortSignal });
  });
  return found;
}

/** As the engine sees it now. */
export async function seeContainer(workshop: Workshop, id: string): Promise<Sight> {
  const listed = await listOne(workshop, id);
  if (listed?.State === 'running' || listed?.State === 'paused') return { state: listed.State };
  const ended =
    listed &&
    (await workshop.engine.find((docker, abortSignal) =>
      docker.getContainer(listed.Id).inspect({ abortSignal }),
    ));
  const endedAt = new Date(ended?.State.FinishedAt ?? Number.NaN);
  // One that was never started has the year 1.
  return { state: 'gone', endedAt: endedAt.getTime() > 0 ? endedAt : undefined };
}

/** One that another process started; undefined when it has ended. What that ran in the foreground ends. */
export async function findContainer(
  workshop: Workshop,
  id: string,
  events: SandboxEvents,
): Promise<LivingContainer | undefined> {
  const found = await listOne(workshop, id);
  if (found?.State !== 'running' && found?.State !== 'paused') return undefined;
  const egressAllow: string[] = JSON.parse(found.Labels[LABEL.egress] ?? '[]');
  const hasPlatformAccess = found.Labels[LABEL.platform] === 'true';
  const { environment } = await workshop.image(true);
  const proxy = await openProxy(workshop, { id, egressAllow, hasPlatformAccess }, events);
  const sandbox = new LivingContainer({
    engine: workshop.engine,
    id,
    diskId: found.Labels[LABEL.disk] ?? '',
    container: found.Id,
    environment,
    proxy,
    isPaused: found.State === 'paused',
    joining: workshop.joining,
  });
  // A sandbox that has no room for it is taken up all the same.
  await sandbox.endLeftCommands().catch(() => undefined);
  return sandbox;
}

export async function killContainer({ engine, ownership }: Workshop, id: string): Promise<void> {
  await engine.find((docker, abortSignal) => {
    return docker.getContainer(ownership.containerName(id)).kill({ abortSignal });
  });
}

/** Nothing of it is left when this resolves, but its disk. */
export async function endContainer(
  { engine, ownership, egressFolders }: Workshop,
  id: string,
  sandbox: LivingContainer | undefined,
): Promise<void> {
  await removeContainer(engine, ownership.containerName(id));
  await sandbox?.finish();
  await rm(join(egressFolders, id), { recursive: true, force: true });
}
