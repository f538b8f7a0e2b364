/** The file system of a sandbox: which parts come from the host, from its disk, and from itself. */
import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Path of the folder of all sandboxes for the process that creates a sandbox, since the folders above it may be closed to that process. */
export const STAGE = '/tmp';

/** Path inside the sandbox. */
export const EGRESS_FOLDER = '/run/egress';

/** Folder of the disk with its capabilities, of which a sandbox sees the links, and the versions where they lead. */
export const CAPABILITY_FOLDER = 'capabilities';
export const VERSIONS_FOLDER = '/run/capabilities';

/** Links into /usr on most hosts, real folders on others. */
const SYSTEM_FOLDERS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** Parts of the host's /etc that programs need, and that reveal nothing about the host. */
const SHARED_ETC = [
  'alternatives',
  'ca-certificates',
  'ca-certificates.conf',
  'fonts',
  'ld.so.cache',
  'localtime',
  'magic',
  'mime.types',
  'protocols',
  'python3',
  'python3.11',
  'python3.12',
  'python3.13',
  'services',
  'ssl/certs',
  'ssl/openssl.cnf',
];

const DISK_FOLDERS = ['home', 'opt', 'upper', 'work', 'workspace', 'var'];
/** Files in /etc that contain the sandbox's own host name. */
export const OWN_ETC_FILES = ['hosts', 'hostname'] as const;
/** /var belongs to the sandbox: the host's would reveal information about the host. */
const VAR_FOLDERS = ['cache', 'lib', 'local', 'log', 'mail', 'opt', 'spool', 'tmp'];

/**
 * Folders on tmpfs, and their maximum share of the sandbox's memory: together less than all of it, since a sandbox that fills them could
 * otherwise run no command any more, not even to delete something.
 */
const MEMORY_FOLDERS = [
  { path: '/tmp', bytes: 1024 ** 3, share: 1 / 2 },
  { path: '/run', bytes: 64 * 1024 ** 2, share: 1 / 32 },
  { path: '/dev/shm', bytes: 512 * 1024 ** 2, share: 1 / 4 },
];

/** @param memoryBytes memory limit of the sandbox; undefined without a limit */
export function toMemoryFolders(memoryBytes: number | undefined): { path: string; bytes: number }[] {
  return MEMORY_FOLDERS.map(({ path, bytes, share }) => ({
    path,
    bytes: Math.min(bytes, Math.floor((memoryBytes ?? Number.POSITIVE_INFINITY) * share)),
  }));
}

export interface FileSystemPlan {
  /** Path relative to the folder of all sandboxes. */
  readonly etc: string;
  readonly disk: string;
  /** Run folder, which exists while the sandbox runs. */
  readonly run: string;
  /** True when a layer of the disk covers /usr/local. */
  readonly hasLayer: boolean;
  readonly hasWorkspace: boolean;
  readonly hasEgress: boolean;
  /** Undefined without a limit. */
  readonly memoryBytes: number | undefined;
}

/** Parts of the host that all sandboxes share; read once. */
export interface HostFiles {
  readonly systemFolders: readonly string[];
  readonly etcFolders: readonly string[];
  readonly etcFiles: readonly string[];
  /** Folders in /usr/local that belong to the sandbox's user from the start, so that programs can be installed. */
  readonly localFolders: readonly string[];
}

export function readHostFiles(): HostFiles {
  const shared = SHARED_ETC.filter((name) => existsSync(join('/etc', name)));
  const isFolder = (name: string) => lstatSync(join('/etc', name)).isDirectory();
  return {
    systemFolders: SYSTEM_FOLDERS.filter((folder) => existsSync(folder)),
    etcFolders: shared.filter(isFolder),
    etcFiles: shared.filter((name) => !isFolder(name)),
    localFolders: listLocalFolders(),
  };
}

function listLocalFolders(): string[] {
  const top = listFolders('/usr/local');
  const libraries = listFolders('/usr/local/lib').map((name) => `lib/${name}`);
  const packages = libraries.flatMap((folder) =>
    listFolders(join('/usr/local', folder)).map((name) => `${folder}/${name}`),
  );
  const shares = listFolders('/usr/local/share').map((name) => `share/${name}`);
  return [...new Set(['bin', 'lib', 'share', ...top, ...libraries, ...packages, ...shares])].slice(0, 64);
}

function listFolders(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
  } catch {
    return [];
  }
}

/**
 * Folders of a new disk, parents first. They are never created later: a sandbox could have placed links by that time, which would lead the
 * creating process out of the disk.
 */
export function toDiskFolders(host: HostFiles): string[] {
  return [
    ...DISK_FOLDERS,
    ...VAR_FOLDERS.map((name) => join('var', name)),
    ...host.localFolders.map((name) => join('upper', name)),
  ];
}

/** Builds the mount arguments of bwrap. */
export function toMounts(host: HostFiles, plan: FileSystemPlan): string[] {
  const disk = join(STAGE, plan.disk);
  return [
    ['--ro-bind', '/usr', '/usr'],
    host.systemFolders.flatMap(toSystemMount),
    ['--ro-bind', join(STAGE, plan.etc), '/etc'],
    [...host.etcFolders, ...host.etcFiles].flatMap((name) => {
      const path = join('/etc', name);
      return ['--ro-bind', path, path];
    }),
    OWN_ETC_FILES.flatMap((name) => ['--ro-bind', join(STAGE, plan.run, name), join('/etc', name)]),
    plan.hasLayer ? ['--bind', '/usr/local', '/usr/local'] : [],
    ['--bind', join(disk, 'opt'), '/opt', '--bind', join(disk, 'var'), '/var'],
    ['--proc', '/proc', '--dev', '/dev'],
    toMemoryFolders(plan.memoryBytes).flatMap(({ path, bytes }) => {
      return ['--perms', '1777', '--size', String(bytes), '--tmpfs', path];
    }),
    ['--dir', '/run/lock'],
    plan.hasEgress ? ['--ro-bind', join(STAGE, plan.run, 'egress'), EGRESS_FOLDER] : [],
    ['--ro-bind', join(disk, CAPABILITY_FOLDER, 'versions'), VERSIONS_FOLDER],
    ['--ro-bind', join(disk, CAPABILITY_FOLDER, 'links'), '/capabilities'],
    ['--bind', join(disk, 'home'), '/home/user'],
    plan.hasWorkspace ? ['--bind', join(disk, 'workspace'), '/workspace'] : [],
    ['--remount-ro', '/dev', '--remount-ro', '/'],
  ].flat();
}

function toSystemMount(folder: string): string[] {
  return lstatSync(folder).isSymbolicLink()
    ? ['--symlink', readlinkSync(folder), folder]
    : ['--ro-bind', folder, folder];
}
