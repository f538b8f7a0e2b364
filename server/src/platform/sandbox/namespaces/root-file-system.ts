/** What a sandbox sees as its file system: which of it is the host's, which its disk's, which its own. */
import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Where the process that makes a sandbox finds the folder of all sandboxes: what lies above that may be closed to it. */
export const STAGE = '/tmp';

/** Inside the sandbox. */
export const EGRESS_FOLDER = '/run/egress';

/** Of a disk: what it has of capabilities. Of it, a sandbox sees the links, and the versions where they lead. */
export const SHELF_FOLDER = 'capabilities';
export const VERSIONS_FOLDER = '/run/capabilities';

/** Links into /usr on most hosts, folders of their own on others. */
const SYSTEM_FOLDERS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** Parts of the host's /etc that programs cannot do without, and that tell nothing about it. */
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
/** In /etc, of each sandbox, by the name that it has for itself. */
export const OWN_ETC_FILES = ['hosts', 'hostname'] as const;
/** /var is the sandbox's own: the host's tells about the host. */
const VAR_FOLDERS = ['cache', 'lib', 'local', 'log', 'mail', 'opt', 'spool', 'tmp'];

/**
 * What lies in memory, and at most which part of what the sandbox may have: together less than all of it, or a sandbox that fills
 * them could run no command any more, not even one that removes something.
 */
const MEMORY_FOLDERS = [
  { path: '/tmp', bytes: 1024 ** 3, share: 1 / 2 },
  { path: '/run', bytes: 64 * 1024 ** 2, share: 1 / 32 },
  { path: '/dev/shm', bytes: 512 * 1024 ** 2, share: 1 / 4 },
];

/** @param memoryBytes what the sandbox may have; undefined where that is not limited */
export function toMemoryFolders(memoryBytes: number | undefined): { path: string; bytes: number }[] {
  return MEMORY_FOLDERS.map(({ path, bytes, share }) => ({
    path,
    bytes: Math.min(bytes, Math.floor((memoryBytes ?? Number.POSITIVE_INFINITY) * share)),
  }));
}

export interface FileSystemPlan {
  /** Relative to the folder of all sandboxes. */
  readonly etc: string;
  readonly disk: string;
  /** What is kept of the sandbox while it runs. */
  readonly run: string;
  /** Over /usr/local lies a layer of the disk. */
  readonly hasLayer: boolean;
  readonly hasWorkspace: boolean;
  readonly hasEgress: boolean;
  /** Undefined where it is not limited. */
  readonly memoryBytes: number | undefined;
}

/** The parts of the host that all sandboxes share; read once. */
export interface HostFiles {
  readonly systemFolders: readonly string[];
  readonly etcFolders: readonly string[];
  readonly etcFiles: readonly string[];
  /** Folders in /usr/local that belong to the sandbox's user from the first moment, so that programs can be installed. */
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
 * Of a new disk, parents first. Never made later: what a sandbox wrote is in them by then, links too, which would lead whoever
 * makes a folder out of the disk.
 */
export function toDiskFolders(host: HostFiles): string[] {
  return [
    ...DISK_FOLDERS,
    ...VAR_FOLDERS.map((name) => join('var', name)),
    ...host.localFolders.map((name) => join('upper', name)),
  ];
}

/** Arguments of bwrap. */
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
    ['--ro-bind', join(disk, SHELF_FOLDER, 'versions'), VERSIONS_FOLDER],
    ['--ro-bind', join(disk, SHELF_FOLDER, 'links'), '/capabilities'],
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
