/** What a container is made of: the one place that says what a sandbox of this provider may do. */
import type Docker from 'dockerode';
import { PROXY_PORT } from '../namespaces/holder-scripts.ts';
import { EGRESS_FOLDER, toMemoryFolders } from '../namespaces/root-file-system.ts';
import type { SandboxSpec } from '../sandbox-provider.ts';
import { DISK_FOLDERS, LABEL, type Ownership, SHELF_FOLDERS } from './ownership.ts';

export const USER_ID = 1000;

/**
 * How everything comes in: as root, of whom nobody inside can stop or end anything, until the engine is done with it; then it
 * becomes the user. One that could be stopped while an engine brings it in would stop the engine, and with it every pause and end.
 */
export const ENTRANCE_USER = '0:0';
export const ENTRANCE_ENVIRONMENT = ['PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'LC_ALL=C'];
/** What that takes; the user has none of it, and no program can give what it was started without. */
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
  /** Of the engine; undefined: its default. */
  readonly runtime: string | undefined;
  /** As the engine takes it; undefined: its own. */
  readonly seccomp: string | undefined;
  /** A folder of the engine's machine with the socket of the proxy; undefined where no host may be reached. */
  readonly egressFolder: string | undefined;
  /** The engine, which turns it off, can be told to leave `::1` to the container. */
  readonly hasLoopback6: boolean;
  /**
   * The engine, which has memory of its root's at /var/tmp else, as Podman does. Elsewhere the folder is the user's, who may have put a
   * link in its place: what is mounted there would be mounted where the link leads to.
   */
  readonly coversVarTmp: boolean;
  /** What the kernel says of the container can be read in it: for trying what limits are held. */
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
    // What an image says about itself would be run beside what a runtime asks for.
    Healthcheck: { Test: ['NONE'] },
    HostConfig: { ...toConfinement(plan), ...toLimits(spec), ...toFiles(plan) },
  };
}

/** Waits; the engine's init is process 1, and reaps. A relay that is ended comes back. */
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
    // The engine's machine has its own, which are nobody's business.
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

/** Those of single processes are set by the script of each command: an engine that is given some forgets its own. */
function toLimits({ limits: { cpuCores, memoryMb, pids } }: SandboxSpec): Docker.HostConfig {
  const memory = memoryMb === undefined ? undefined : memoryMb * 1024 ** 2;
  return {
    PidsLimit: pids ?? DEFAULT_PIDS,
    ...(memory !== undefined && { Memory: memory, MemorySwap: memory }),
    ...(cpuCores !== undefined && { NanoCpus: Math.round(cpuCores * 1e9) }),
  };
}

/** Nothing is written but on the disk and in memory; of the kernel's own files only /proc is there. */
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

/** The engine fills a new volume with what the image has there, and gives it the same owner. */
function toDiskMounts({ ownership, spec, coversVarTmp }: ContainerPlan): Mounts {
  const { diskId, hasWorkspace } = spec;
  const folders = ownership
    .diskVolumes(diskId)
    .filter(({ folder }) => folder !== 'workspace' || hasWorkspace)
    .filter(({ folder }) => folder !== 'var-tmp' || coversVarTmp)
    .map(({ name, folder }) => toVolumeMount(name, DISK_FOLDERS[folder], toDiskLabels(ownership, diskId)));
  return [...folders, ...toShelfMounts(ownership, diskId, true)];
}

export function toShelfMounts(ownership: Ownership, diskId: string, ReadOnly: boolean): Mounts {
  const Labels = toDiskLabels(ownership, diskId);
  return ownership
    .shelfVolumes(diskId)
    .map(({ name, folder }) => toVolumeMount(name, SHELF_FOLDERS[folder], Labels, ReadOnly));
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

/** The folder and not the socket in it, which each process that takes the sandbox up puts there anew. */
function toEgressMount(folder: string | undefined): Mounts {
  if (folder === undefined) return [];
  return [{ Type: 'bind', Source: folder, Target: EGRESS_FOLDER, ReadOnly: true }];
}
