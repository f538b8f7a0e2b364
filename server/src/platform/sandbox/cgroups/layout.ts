/** Finds where groups can be created on this machine, and which hierarchy serves which purpose. */
import { access, constants, mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Limit } from '../sandbox-provider.ts';

/** Parent of all our groups in one hierarchy. */
export interface Place {
  readonly version: 1 | 2;
  readonly parent: string;
  /** Controllers to enable for child groups; v2 only. */
  readonly controllers: readonly Limit[];
}

/** One place may serve several purposes; in v2 it serves all. */
export interface Layout extends Readonly<Partial<Record<Limit, Place>>> {
  readonly freezer?: Place;
  /** Accounts for CPU time. */
  readonly accounting?: Place;
}

interface Mount {
  readonly version: 1 | 2;
  readonly path: string;
  readonly controllers: readonly string[];
}

const PARENT = 'drydock';
/** Group that this process moves to when its own group gets child groups with limits, which may then hold no process. */
const SERVER = 'drydock-server';
const LIMITS: readonly Limit[] = ['cpu', 'memory', 'pids'];

export const foldersOf = (layout: Layout) => [...new Set(placesOf(layout).map(({ parent }) => parent))];

function placesOf({ cpu, memory, pids, freezer, accounting }: Layout): Place[] {
  return [cpu, memory, pids, freezer, accounting].filter((place) => place !== undefined);
}

/** Another process of this machine may have removed the empty parents. */
export async function prepareParents(layout: Layout): Promise<void> {
  for (const { parent, controllers } of new Set(placesOf(layout))) {
    await mkdir(parent, { recursive: true });
    for (const controller of controllers) await enable(parent, controller);
  }
}

const enable = (group: string, controller: string) =>
  writeFile(join(group, 'cgroup.subtree_control'), `+${controller}`);

export async function findLayout(): Promise<{
  readonly layout: Layout;
  readonly reasons: readonly string[];
}> {
  const mounts = await findMounts();
  if (mounts.length === 0) {
    return { layout: {}, reasons: ['No control groups are mounted. Mount cgroup2 on /sys/fs/cgroup.'] };
  }
  const unified = mounts.find(({ version }) => version === 2);
  const v2 = unified && (await findUnifiedPlace(unified));
  const v1 = async (controller: string) => {
    const mount = mounts.find(({ controllers }) => controllers.includes(controller));
    return mount && findOldPlace(mount.path);
  };
  const limits: Partial<Record<Limit, Place>> = {};
  for (const limit of LIMITS) {
    const place = v2?.controllers.includes(limit) ? v2 : await v1(limit);
    if (place) limits[limit] = place;
  }
  const freezer = v2 ?? (await v1('freezer'));
  const accounting = v2 ?? (await v1('cpuacct'));
  const layout = { ...limits, ...(freezer && { freezer }), ...(accounting && { accounting }) };
  const reasons = foldersOf(layout).length > 0 ? [] : [NOT_OURS];
  return { layout, reasons };
}

const NOT_OURS =
  'This user may make no control groups. Run the server as root, or in a unit of systemd with Delegate=yes.';

/** Returns the file by which a process joins the group of this process, in any hierarchy; undefined when that is not permitted. */
export async function findOwnProcsFile(): Promise<string | undefined> {
  const groups = (await readFile('/proc/self/cgroup', 'utf8').catch(() => ''))
    .split('\n')
    .map((line) => /^\d+:([^:]*):(.*)$/.exec(line));
  for (const { version, path, controllers } of await findMounts()) {
    const isOfMount = (names = '') =>
      version === 2 ? names === '' : names.split(',').some((name) => controllers.includes(name));
    const own = groups.find((group) => group && isOfMount(group[1]))?.[2];
    const file = own === undefined ? undefined : join(path, own, 'cgroup.procs');
    if (file && (await canWrite(file))) return file;
  }
  return undefined;
}

const canWrite = (file: string) =>
  access(file, constants.W_OK).then(
    () => true,
    () => false,
  );

async function findMounts(): Promise<Mount[]> {
  const table = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
  return table.split('\n').flatMap((line) => {
    const [place = '', origin = ''] = line.split(' - ');
    const path = place.split(' ')[4]?.replace(/\\(\d{3})/g, (_, code: string) => toCharacter(code));
    const [type, , options = ''] = origin.split(' ');
    if (!path || (type !== 'cgroup' && type !== 'cgroup2')) return [];
    return [{ version: type === 'cgroup' ? 1 : 2, path, controllers: options.split(',') } as const];
  });
}

const toCharacter = (octal: string) => String.fromCharCode(Number.parseInt(octal, 8));

async function findOldPlace(mount: string): Promise<Place | undefined> {
  const parent = join(mount, PARENT);
  return (await canMake(parent)) ? { version: 1, parent, controllers: [] } : undefined;
}

/** Tries the top of the hierarchy first, where sandboxes outlive the server's own service; then the group of this process. */
async function findUnifiedPlace({ path: mount }: Mount): Promise<Place | undefined> {
  const own = (await readFile('/proc/self/cgroup', 'utf8')).match(/^0::(.*)$/m)?.[1] ?? '/';
  for (const group of new Set([mount, join(mount, own)].map((path) => path.replace(/\/$/, '')))) {
    const parent = join(group, PARENT);
    if (!(await canMake(parent))) continue;
    const offered = (await readFile(join(group, 'cgroup.controllers'), 'utf8')).split(/\s+/);
    const controllers: Limit[] = [];
    for (const limit of LIMITS)
      if (offered.includes(limit) && (await offer(group, limit))) controllers.push(limit);
    return { version: 2, parent, controllers };
  }
  return undefined;
}

/** Enables the controller for child groups. */
async function offer(group: string, controller: Limit): Promise<boolean> {
  try {
    await enable(group, controller);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EBUSY') return false;
  }
  // The group is busy with processes. If this process is the only one, it can move into a child group.
  const aside = join(group, SERVER);
  try {
    const present = (await readFile(join(group, 'cgroup.procs'), 'utf8')).split('\n').filter(Boolean);
    if (present.some((pid) => pid !== String(process.pid))) return false;
    await mkdir(aside, { recursive: true });
    await writeFile(join(aside, 'cgroup.procs'), '0');
    await enable(group, controller);
    return true;
  } catch {
    await rmdir(aside).catch(() => undefined);
    return false;
  }
}

async function canMake(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { recursive: true });
    return await canWrite(join(folder, 'cgroup.procs'));
  } catch {
    return false;
  }
}
