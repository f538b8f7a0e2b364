/** What a sandbox sees as its file system: which of it is the host's, which its disk's, which its own. */
import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Where the process that makes a sandbox gathers what is mounted. */
export const STAGE = {
  disk: '/tmp/disk',
  etc: '/tmp/etc',
  local: '/tmp/local',
  egress: '/tmp/egress',
} as const;

/** Inside the sandbox. */
export const EGRESS_FOLDER = '/run/egress';

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

export interface FileSystemPlan {
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

/** Made before anything is mounted. */
export function toStageFolders(host: HostFiles): string[] {
  return [
    ...Object.values(STAGE),
    join(STAGE.etc, 'ssl'),
    ...host.etcFolders.map((name) => join(STAGE.etc, name)),
  ];
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
  return [
    ['--ro-bind', '/usr', '/usr'],
    host.systemFolders.flatMap(toSystemMount),
    ['--ro-bind', STAGE.etc, '/etc'],
    [...host.etcFolders, ...host.etcFiles].flatMap((name) => {
      const path = join('/etc', name);
      return ['--ro-bind', path, path];
    }),
    plan.hasLayer ? ['--bind', STAGE.local, '/usr/local'] : [],
    ['--bind', join(STAGE.disk, 'opt'), '/opt', '--bind', join(STAGE.disk, 'var'), '/var'],
    ['--proc', '/proc', '--dev', '/dev'],
    MEMORY_FOLDERS.flatMap(({ path, bytes, share }) => {
      const size = Math.min(bytes, Math.floor((plan.memoryBytes ?? Number.POSITIVE_INFINITY) * share));
      return ['--perms', '1777', '--size', String(size), '--tmpfs', path];
    }),
    ['--dir', '/run/lock'],
    plan.hasEgress ? ['--ro-bind', STAGE.egress, EGRESS_FOLDER] : [],
    ['--bind', join(STAGE.disk, 'home'), '/home/user'],
    plan.hasWorkspace ? ['--bind', join(STAGE.disk, 'workspace'), '/workspace'] : [],
    ['--remount-ro', '/dev', '--remount-ro', '/'],
  ].flat();
}

function toSystemMount(folder: string): string[] {
  return lstatSync(folder).isSymbolicLink()
    ? ['--symlink', readlinkSync(folder), folder]
    : ['--ro-bind', folder, folder];
}

/** The sandbox's own /etc, as lines of a shell script; the host's name is its `$host`. */
export function toEtcScript(host: HostFiles): string {
  const files: Record<string, string> = {
    passwd: ['root:x:0:0:root:/:/usr/sbin/nologin', 'user:x:1000:1000:user:/home/user:/bin/sh', NOBODY].join(
      '\\n',
    ),
    group: ['root:x:0:', 'user:x:1000:', 'nogroup:x:65534:'].join('\\n'),
    'nsswitch.conf': ['passwd: files', 'group: files', 'hosts: files dns', 'services: files'].join('\\n'),
    'resolv.conf': '# Names are resolved by the proxy, where there is one.',
    'host.conf': 'multi on',
  };
  return [
    ...Object.entries(files).map(([name, text]) => `printf '${text}\\n' >${STAGE.etc}/${name}`),
    `printf '127.0.0.1 localhost\\n::1 localhost\\n127.0.1.1 %s\\n' "$host" >${STAGE.etc}/hosts`,
    `printf '%s\\n' "$host" >${STAGE.etc}/hostname`,
    ...host.etcFiles.map((name) => `: >${join(STAGE.etc, name)}`),
  ].join('\n');
}

const NOBODY = 'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin';
