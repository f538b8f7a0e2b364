/** Requirements for creating sandboxes on this host, found and tested once. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { ApiError } from '../../errors.ts';
import { type Cgroups, openCgroups } from '../cgroups/cgroups.ts';
import type { Network } from '../egress/decision.ts';
import { type Abilities, probeAbilities } from '../probe.ts';
import type { Limit } from '../sandbox-provider.ts';
import { compileFilter } from '../seccomp/filter.ts';
import { Pipes } from './exec/pipes.ts';
import { Disks } from './files/disks.ts';
import { writeSharedEtc } from './files/etc-folder.ts';
import { type HostFiles, readHostFiles } from './files/root-file-system.ts';
import { readUidRange } from './files/uid-range.ts';
import { StrayFiles } from './host-environment.ts';
import { Layout } from './layout.ts';
import { findPrograms, type Programs } from './programs.ts';
import { Spawner } from './spawner/spawner.ts';

export interface HostToolkit {
  readonly layout: Layout;
  readonly programs: Programs;
  readonly host: HostFiles;
  /** Files of this process that no child may inherit. */
  readonly strayFiles: StrayFiles;
  readonly spawner: Spawner;
  readonly pipes: Pipes;
  readonly disks: Disks;
  readonly cgroups: Cgroups;
  readonly limits: readonly Limit[];
  /** True when a layer of the disk can cover the host's /usr/local. */
  readonly hasLayer: boolean;
  /** Network functions of the proxies; missing ones default to the system's. */
  readonly network: Partial<Network>;
}

/** @throws {ApiError} that says what is missing, and what to do about it */
export async function openHostToolkit(folder: string, network: Partial<Network> = {}): Promise<HostToolkit> {
  if (process.platform !== 'linux') {
    throw new ApiError('sandbox_provider_error', 'Sandboxes of namespaces need Linux. Run the server on it.');
  }
  const programs = findPrograms();
  const layout = new Layout(folder);
  await layout.prepare();
  const host = readHostFiles();
  const disks = new Disks(layout.disks, layout.spares, host);
  await disks.open();
  writeSharedEtc(layout.etc, host);
  await writeFilter(layout);
  const [abilities, cgroups] = await Promise.all([probe(folder), openCgroups(await readOwner(layout))]);
  const strayFiles = new StrayFiles();
  const isProcessLimitHeld = abilities.processLimit.isPossible && !cgroups.limits.includes('pids');
  return {
    layout,
    programs,
    host,
    strayFiles,
    spawner: new Spawner(programs, strayFiles),
    pipes: await Pipes.open(layout.pipes),
    disks,
    cgroups,
    limits: [...cgroups.limits, ...(isProcessLimitHeld ? (['pids'] as const) : [])],
    hasLayer: abilities.overlay.isPossible,
    network,
  };
}

async function probe(folder: string): Promise<Abilities> {
  const isRoot = process.getuid?.() === 0;
  const abilities = await probeAbilities({ uid: isRoot ? readUidRange().first : undefined, folder });
  const needed = [abilities.programs, abilities.userNamespaces, abilities.seccomp];
  const missing = needed.find((finding) => !finding.isPossible);
  if (missing && !missing.isPossible) throw new ApiError('sandbox_provider_error', missing.reason);
  return abilities;
}

/** Written at each start, since a server of another version may have another filter. */
async function writeFilter(layout: Layout): Promise<void> {
  if (process.arch !== 'x64' && process.arch !== 'arm64') {
    throw new ApiError('sandbox_provider_error', `No system call filter exists for ${process.arch}.`);
  }
  const draft = `${layout.filter}.${randomUUID()}`; // another server may be doing the same
  await writeFile(draft, compileFilter(process.arch));
  await rename(draft, layout.filter);
}

/** Distinguishes the control groups of this folder from others on the machine. */
async function readOwner(layout: Layout): Promise<string> {
  try {
    return readFileSync(layout.owner, 'utf8');
  } catch {
    await mkdir(layout.root, { recursive: true });
    const draft = `${layout.owner}.${randomUUID()}`;
    await writeFile(draft, randomUUID());
    await link(draft, layout.owner).catch(() => undefined); // another server may have been faster
    await rm(draft);
    return readFileSync(layout.owner, 'utf8');
  }
}
