/**
 * Identifies the containers and volumes of this host among others of the same engine: each name starts with the host's id, and labels hold
 * the rest. The id is stored in the host's folder, so that its next process finds them again.
 */
import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { VERSIONS_FOLDER } from '../namespaces/files/root-file-system.ts';
import type { SandboxSpec } from '../sandbox-provider.ts';

export const LABEL = {
  host: 'drydock.host',
  sandbox: 'drydock.sandbox',
  disk: 'drydock.disk',
  /** Hosts that the sandbox may reach, for the process that takes it over. */
  egress: 'drydock.egress',
  /** True when the sandbox reaches the platform, for the process that takes it over. */
  platform: 'drydock.platform',
  /** Label of helper containers: the process that they work for. */
  helper: 'drydock.helper',
} as const;

/** Prefix of the ids of trial sandboxes; followed by the mark of a process. */
export const TRIAL = 'trial-';

/** Durable folders, and their paths in the sandbox. */
export const DISK_FOLDERS = {
  workspace: '/workspace',
  home: '/home/user',
  opt: '/opt',
  var: '/var',
  /** Only for engines that would mount memory there. */
  'var-tmp': '/var/tmp',
  local: '/usr/local',
} as const;
type DiskFolder = keyof typeof DISK_FOLDERS;

/** Capabilities of a disk, read-only in its sandboxes: links, and the versions that they lead to. */
export const CAPABILITY_FOLDERS = { capabilities: '/capabilities', versions: VERSIONS_FOLDER } as const;
type CapabilityVolumeFolder = keyof typeof CAPABILITY_FOLDERS;

const DISK_NAMES = Object.keys(DISK_FOLDERS) as DiskFolder[];
const CAPABILITY_FOLDER_NAMES = Object.keys(CAPABILITY_FOLDERS) as CapabilityVolumeFolder[];

interface Volume<Folder> {
  readonly name: string;
  readonly folder: Folder;
}

export class Ownership {
  readonly hostId: string;

  constructor(hostId: string) {
    this.hostId = hostId;
  }

  containerName(id: string): string {
    return `drydock-${this.hostId}-${id}`;
  }

  /** Prefix of the names of all disk volumes. */
  get volumePrefix(): string {
    return `drydock-${this.hostId}-`;
  }

  /** Volumes that a sandbox writes to. */
  diskVolumes(diskId: string): Volume<DiskFolder>[] {
    return DISK_NAMES.map((folder) => ({ name: this.volumeName(diskId, folder), folder }));
  }

  capabilityVolumes(diskId: string): Volume<CapabilityVolumeFolder>[] {
    return CAPABILITY_FOLDER_NAMES.map((folder) => ({ name: this.volumeName(diskId, folder), folder }));
  }

  volumeName(diskId: string, folder: DiskFolder | CapabilityVolumeFolder): string {
    return `${this.volumePrefix}disk-${diskId}-${folder}`;
  }

  /** @returns the disk that a volume belongs to */
  findDiskId(volume: string): string | undefined {
    const prefix = `${this.volumePrefix}disk-`;
    const folder = [...DISK_NAMES, ...CAPABILITY_FOLDER_NAMES].find((name) => volume.endsWith(`-${name}`));
    if (!folder || !volume.startsWith(prefix)) return undefined;
    return volume.slice(prefix.length, -folder.length - 1);
  }

  toLabels({ id, diskId, egressAllow, hasPlatformAccess = false }: SandboxSpec): Record<string, string> {
    return {
      [LABEL.host]: this.hostId,
      [LABEL.sandbox]: id,
      [LABEL.disk]: diskId,
      [LABEL.egress]: JSON.stringify(egressAllow),
      [LABEL.platform]: String(hasPlatformAccess),
      // Cleared, since an image inherits the labels of the container it was created in.
      [LABEL.helper]: '',
    };
  }

  get hostLabel(): string {
    return `${LABEL.host}=${this.hostId}`;
  }
}

/** Created by the first process that reads it. */
export async function readOwnership(path: string): Promise<Ownership> {
  const found = await readFile(path, 'utf8').catch(() => undefined);
  if (found !== undefined) return new Ownership(found.trim());
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  await writeFile(draft, `${randomBytes(8).toString('hex')}\n`);
  try {
    // Linked atomically; another process may have been faster.
    await link(draft, path).catch(() => undefined);
  } finally {
    await rm(draft, { force: true });
  }
  return new Ownership((await readFile(path, 'utf8')).trim());
}
