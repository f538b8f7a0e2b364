/** Creates, uses, pauses and ends one sandbox when a host starts: the host only claims features that were observed. */
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type Docker from 'dockerode';
import { ApiError } from '../../errors.ts';
import { EGRESS_FOLDER } from '../namespaces/files/root-file-system.ts';
import { readOwnMark } from '../process-table.ts';
import type { Limit, SandboxSpec } from '../sandbox-provider.ts';
import { runScript } from './commands/container-command.ts';
import { findJoining, type Joining, TELL_NETWORK } from './commands/joined-network.ts';
import { removeDiskVolumes } from './container-parts.ts';
import { type ContainerPlan, toCreateOptions, USER_ID } from './container-plan.ts';
import { type Engine, EngineError } from './engine/engine.ts';
import { type Ownership, TRIAL } from './ownership.ts';
import { removeContainer } from './sandbox-image.ts';

export interface TrialOptions {
  readonly engine: Engine;
  readonly ownership: Ownership;
  readonly runtime: string | undefined;
  readonly seccomp: string | undefined;
  readonly coversVarTmp: boolean;
  readonly image: string;
  /** Parent of all egress folders. */
  readonly egressFolders: string;
}

export interface Tried {
  readonly limits: readonly Limit[];
  readonly canPause: boolean;
  /** Reason and remedy when no sandbox may reach hosts; undefined when they may. */
  readonly noEgress: string | undefined;
  /** Reason when ports in a sandbox cannot be reached; undefined when they can. */
  readonly noConnections: string | undefined;
  /** True when `::1` is available in a sandbox. */
  readonly hasLoopback6: boolean;
  /** Undefined when no process of this machine can join the network of a container. */
  readonly joining: Joining | undefined;
  /** Folder of the engine's volumes, if this process can see it. */
  readonly volumes: string | undefined;
}

const TRIED = { cpuCores: 0.5, memoryMb: 128, pids: 64 } as const;
/** Values as written by the kernel. */
const EXPECTED: Readonly<Record<Limit, string>> = {
  cpu: String(TRIED.cpuCores * 100_000),
  memory: String(TRIED.memoryMb * 1024 ** 2),
  pids: String(TRIED.pids),
};
const SCRIPT_TIMEOUT_MS = 20_000;

/** Script with `$1` the text to write on the disk. Prints the limits known to the kernel, the available programs, and the test data. */
const PROBE = `
tell() { [ -r "$2" ] && read -r first rest <"$2" && echo "$1 $first"; }
for root in /sys/fs/cgroup /sys/fs/cgroup/memory /sys/fs/cgroup/pids /sys/fs/cgroup/cpu; do
  tell memory "$root/memory.max"
  tell memory "$root/memory.limit_in_bytes"
  tell pids "$root/pids.max"
  tell cpu "$root/cpu.max"
  tell cpu "$root/cpu.cfs_quota_us"
done
${TELL_NETWORK}
command -v socat >/dev/null && echo 'socat there'
tell egress ${EGRESS_FOLDER}/trial
echo "$1" >/workspace/trial && echo 'disk written'
`;

/** @throws {ApiError} when no sandbox can be created at all */
export async function tryContainer(options: TrialOptions): Promise<Tried> {
  const { engine, ownership, egressFolders } = options;
  const id = `${TRIAL}${readOwnMark()}-${randomBytes(4).toString('hex')}`;
  const word = randomBytes(8).toString('hex');
  const folder = join(egressFolders, id);
  await mkdir(folder);
  try {
    await chmod(folder, 0o755);
    await writeFile(join(folder, 'trial'), `${word}\n`, { mode: 0o644 });
    const { container, hasLoopback6 } = await start(options, id, folder);
    const output = await runScript(engine, container.id, PROBE, [word], SCRIPT_TIMEOUT_MS);
    if (!output.includes('disk written\n')) {
      const detail = `A command in a container did not do what it should: it said ${JSON.stringify(output.slice(-300))}.`;
      throw new ApiError('sandbox_provider_error', detail);
    }
    const joining = await findJoining(engine, container.id, output);
    const ways = findWays(output, engine.isLocal, output.includes(`egress ${word}\n`));
    return {
      limits: await findLimits(engine, output),
      canPause: await canPause(engine, container),
      ...ways,
      noConnections: joining ? undefined : ways.noConnections,
      joining,
      hasLoopback6,
      volumes: await findVolumes(engine, ownership, id, word),
    };
  } finally {
    await removeContainer(engine, ownership.containerName(id));
    await removeDiskVolumes(engine, ownership, id);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Mounts the egress folder if the engine can, and enables `::1` if possible. */
async function start(options: TrialOptions, id: string, folder: string) {
  const { engine, ownership } = options;
  const folders = engine.isLocal ? [folder, undefined] : [undefined];
  const variants = folders.flatMap((egressFolder) =>
    [true, false].map((hasLoopback6) => ({ egressFolder, hasLoopback6 })),
  );
  for (const [index, variant] of variants.entries()) {
    try {
      const container = await attempt(options, id, variant);
      return { container, hasLoopback6: variant.hasLoopback6 };
    } catch (error) {
      const isRefused = error instanceof EngineError && error.engineStatus !== undefined;
      if (!isRefused || index === variants.length - 1) throw error;
      await removeContainer(engine, ownership.containerName(id));
    }
  }
  throw new Error('nothing was tried');
}

async function attempt(
  options: TrialOptions,
  id: string,
  variant: Pick<ContainerPlan, 'egressFolder' | 'hasLoopback6'>,
): Promise<Docker.Container> {
  const { engine } = options;
  const rest = { hostname: 'trial', hasWorkspace: true, egressAllow: [] };
  const spec: SandboxSpec = { id, diskId: id, limits: { ...TRIED }, ...rest };
  const made = toCreateOptions({ ...options, ...variant, spec, showsSystem: true });
  const container = await engine.call((docker, abortSignal) => {
    // The trial has nothing to relay.
    return docker.createContainer({ ...made, Cmd: ['sleep', 'infinity'], abortSignal });
  });
  await engine.call((_docker, abortSignal) => container.start({ abortSignal }));
  return container;
}

/** Trusts the engine when the kernel's own figures cannot be read, as with another kernel. */
async function findLimits(engine: Engine, output: string): Promise<Limit[]> {
  const { claims } = await engine.describe();
  const isHeld = (limit: Limit) => {
    const found = [...output.matchAll(new RegExp(`^${limit} (\\S+)$`, 'gm'))].map(([, value]) => value);
    return found.length > 0 ? found.includes(EXPECTED[limit]) : claims[limit];
  };
  return (['cpu', 'memory', 'pids'] as const).filter(isHeld);
}

async function canPause(engine: Engine, container: Docker.Container): Promise<boolean> {
  try {
    await engine.call((_docker, abortSignal) => container.pause({ abortSignal }));
    const { State } = await engine.call((_docker, abortSignal) => container.inspect({ abortSignal }));
    await engine.call((_docker, abortSignal) => container.unpause({ abortSignal }));
    return State.Paused;
  } catch (error) {
    if (error instanceof EngineError && error.engineStatus !== undefined) return false;
    throw error;
  }
}

function findWays(output: string, isLocal: boolean, seesFolder: boolean) {
  const noSocat = output.includes('socat there\n')
    ? undefined
    : 'The image of DRYDOCK_CONTAINER_IMAGE has no socat, by which a sandbox is connected to. Install it there.';
  const uid = process.getuid?.();
  const noFolder = !isLocal
    ? 'Sandboxes of a container engine on another machine cannot reach the proxy of this server. Leave egress_allow empty, or run a server beside that engine.'
    : !seesFolder
      ? 'The container engine does not see the data directory of this server at the same path, by which sandboxes would reach the proxy. Mount it there, or leave egress_allow empty.'
      : uid !== 0 && uid !== USER_ID
        ? `The socket of the proxy has to belong to user ${USER_ID}, who sandboxes are. Run the server as root or as that user, or leave egress_allow empty.`
        : undefined;
  return { noEgress: noFolder ?? noSocat, noConnections: noSocat };
}

async function findVolumes(
  engine: Engine,
  ownership: Ownership,
  id: string,
  word: string,
): Promise<string | undefined> {
  const name = ownership.diskVolumes(id).find(({ folder }) => folder === 'workspace')?.name ?? '';
  const { Mountpoint } = await engine.call((docker, abortSignal) => {
    return docker.getVolume(name).inspect({ abortSignal });
  });
  const written = await readFile(join(Mountpoint, 'trial'), 'utf8').catch(() => undefined);
  return written?.trim() === word ? dirname(dirname(Mountpoint)) : undefined;
}
