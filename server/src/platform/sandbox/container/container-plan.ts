/** Container settings: the only place that defines what a sandbox of this provider may do. */
import type Docker from 'dockerode';
import { EGRESS_FOLDER, toMemoryFolders } from '../namespaces/files/root-file-system.ts';
import { PROXY_PORT } from '../namespaces/holder-scripts.ts';
import type { SandboxSpec } from '../sandbox-provider.ts';
import { CAPABILITY_FOLDERS, DISK_FOLDERS, LABEL, type Ownership } from './ownership.ts';

export const USER_ID = 1000;

/**
 * Everything enters the container as root, which no process inside can stop or kill, until the engine is done; then it becomes the user. A
 * process that could be stopped while entering would block the engine, and with it every pause and end.
 */
export const ENTRANCE_USER = '0:0';
export const ENTRANCE_ENVIRONMENT = ['PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'LC_ALL=C'];
/** Capabilities for entering; the user has none, and no program can regain what it was started without. */
const ENTRANCE_CAPABILITIES = ['CHOWN', 'SETGID', 'SETPCAP', 'SETUID'];
export const BECOME_USER = [
  ['setpriv', `--reuid=${USER_ID}`, `--regid=${USER_ID}`, '--clear-groups'],
  ['--inh-caps=-all', '--bounding-set=-all', '--'],
].flat();

export const MAX_FILE_BYTES = 10 * 1024 ** 3;
const SHARED_MEMORY = '/dev/shm';
const DEFAULT_PIDS = 1024;

export interface ContainerPlan {
  readonly ownership: Ownership;
  readonly spec: SandboxSpec;
  readonly image: string;
  /** Runtime of the engine; undefined for its default. */
  readonly runtime: string | undefined;
  /** Seccomp profile in the engine's format; undefined for its default. */
  readonly seccomp: string | undefined;
  /** Folder on the engine's machine with the socket of the egress proxy; undefined when no host may be reached. */
  readonly egressFolder: string | undefined;
  /** True when the engine, which disables IPv6, can keep `::1` available in the container. */
  readonly hasLoopback6: boolean;
  /**
   * True when the engine mounts memory owned by root at /var/tmp, as Podman does. Other engines leave the folder to the user, who may
   * replace it by a link, and a mount would follow that link.
   */
  readonly coversVarTmp: boolean;
  /** Makes the kernel's view of the container readable inside, to test which limits are enforced. */
  readonly showsSystem?: boolean;
}

type CreateOptions = Docker.ContainerCreateOptions;
type Mounts = NonNullable<Docker.HostConfig['Mounts']>;

export function toCreateOptions(plan: ContainerPlan): CreateOptions {
  const { ownership, spec, image } = plan;
  return {
    name: ownership.containerName(spec.id),
    Image: image,
    Hostname: spec.hostname,
    User: ENTRANCE_USER,
    WorkingDir: '/',
    Env: ENTRANCE_ENVIRONMENT,
    Labels: ownership.toLabels(spec),
    ...toFirstCommand(plan.egressFolder !== undefined),
    // The health check of an image would run in addition to the requested command.
    Healthcheck: { Test: ['NONE'] },
    HostConfig: { ...toConfinement(plan), ...toLimits(spec), ...toFiles(plan) },
  };
}

/** The first command waits; the engine's init is process 1, and reaps. A relay that ends is started again. */
function toFirstCommand(hasEgress: boolean): Pick<CreateOptions, 'Entrypoint' | 'Cmd'> {
  if (!hasEgress) return { Entrypoint: BECOME_USER, Cmd: ['sleep', 'infinity'] };
  const relay = `socat TCP-LISTEN:${PROXY_PORT},bind=127.0.0.1,reuseaddr,fork UNIX-CONNECT:${EGRESS_FOLDER}/proxy.sock`;
  const script = `while :; do ${relay}; sleep 1; done & exec sleep infinity`;
  return { Entrypoint: BECOME_USER, Cmd: ['sh', '-c', script] };
}

function toConfinement({ runtime, seccomp, hasLoopback6 }: ContainerPlan): Docker.HostConfig {
  return {
    Init: true,
    ...(runtime !== undefined && { Runtime: runtime }),
    NetworkMode: 'none',
    ...(hasLoopback6 && { Sysctls: { 'net.ipv6.conf.all.disable_ipv6': '0' } }),
    // Keeps the DNS servers of the engine's machine private.
    Dns: ['127.0.0.1'],
    IpcMode: 'private',
    CapDrop: ['ALL'],
    CapAdd: ENTRANCE_CAPABILITIES,
    Privileged: false,
    SecurityOpt: ['no-new-privileges', ...(seccomp === undefined ? [] : [`seccomp=${seccomp}`])],
    LogConfig: { Type: 'none', Config: {} },
    RestartPolicy: { Name: 'no' },
  };
}

/** Limits of single processes are set by each command's script: an engine that is given some drops its own defaults. */
function toLimits({ limits: { cpuCores, memoryMb, pids } }: SandboxSpec): Docker.HostConfig {
  const memory = memoryMb === undefined ? undefined : memoryMb * 1024 ** 2;
  return {
    PidsLimit: pids ?? DEFAULT_PIDS,
    ...(memory !== undefined && { Memory: memory, MemorySwap: memory }),
    ...(cpuCores !== undefined && { NanoCpus: Math.round(cpuCores * 1e9) }),
  };
}

/** Only the disk and memory are writable; of the kernel's files only /proc is mounted. */
function toFiles(plan: ContainerPlan): Docker.HostConfig {
  const { spec, egressFolder, showsSystem } = plan;
  const { memoryMb } = spec.limits;
  const inMemory = toMemoryFolders(memoryMb === undefined ? undefined : memoryMb * 1024 ** 2);
  const hidden = showsSystem ? [] : ['/sys', '/sys/fs/cgroup'];
  return {
    ReadonlyRootfs: true,
    ShmSize: inMemory.find(({ path }) => path === SHARED_MEMORY)?.bytes ?? 0,
    Tmpfs: Object.fromEntries([
      ...inMemory
        .filter(({ path }) => path !== SHARED_MEMORY)
        .map(({ path, bytes }) => [path, `rw,exec,nosuid,nodev,mode=1777,size=${bytes}`]),
      ...hidden.map((path) => [path, 'ro,noexec,nosuid,nodev,size=4k']),
    ]),
    Mounts: [...toDiskMounts(plan), ...toEgressMount(egressFolder)],
  };
}

/** The engine fills a new volume with the content of the image at that path, and copies its owner. */
function toDiskMounts({ ownership, spec, coversVarTmp }: ContainerPlan): Mounts {
  const { diskId, hasWorkspace } = spec;
  const folders = ownership
    .diskVolumes(diskId)
    .filter(({ folder }) => folder !== 'workspace' || hasWorkspace)
    .filter(({ folder }) => folder !== 'var-tmp' || coversVarTmp)
    .map(({ name, folder }) => toVolumeMount(name, DISK_FOLDERS[folder], toDiskLabels(ownership, diskId)));
  return [...folders, ...toCapabilityMounts(ownership, diskId, true)];
}

export function toCapabilityMounts(ownership: Ownership, diskId: string, ReadOnly: boolean): Mounts {
  const Labels = toDiskLabels(ownership, diskId);
  return ownership
    .capabilityVolumes(diskId)
    .map(({ name, folder }) => toVolumeMount(name, CAPABILITY_FOLDERS[folder], Labels, ReadOnly));
}

const toDiskLabels = ({ hostId }: Ownership, diskId: string) => ({
  [LABEL.host]: hostId,
  [LABEL.disk]: diskId,
});

function toVolumeMount(
  Source: string,
  Target: string,
  Labels: Record<string, string>,
  ReadOnly = false,
): Mounts[number] {
  const VolumeOptions = { NoCopy: false, Labels, DriverConfig: { Name: 'local', Options: {} } };
  return { Type: 'volume', Source, Target, ReadOnly, VolumeOptions };
}

/** Mounts the folder instead of the socket, since each process that takes over the sandbox creates a new socket. */
function toEgressMount(folder: string | undefined): Mounts {
  if (folder === undefined) return [];
  return [{ Type: 'bind', Source: folder, Target: EGRESS_FOLDER, ReadOnly: true }];
}
