/** Creates, finds and removes the processes and files of a sandbox. */
import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { ApiError } from '../../errors.ts';
import type { Cgroup } from '../cgroups/cgroups.ts';
import { AllowList } from '../egress/allow-list.ts';
import { EgressProxy, hasProxy, toPlatform } from '../egress/proxy.ts';
import { readBootId } from '../process-table.ts';
import type { SandboxEvents, SandboxSpec } from '../sandbox-provider.ts';
import { endProcesses, killLeftovers } from './end-processes.ts';
import { Entrance } from './entrance.ts';
import { CapabilityStore } from './files/capability-store.ts';
import { writeOwnEtc } from './files/etc-folder.ts';
import { launchHolder } from './holder.ts';
import type { HostToolkit } from './host-toolkit.ts';
import { createRecord, findRecord, type SandboxRecord, writeRecord } from './record.ts';
import { MAX_FILE_BYTES, RunningSandbox } from './running-sandbox.ts';

const DEFAULT_PIDS = 1024;
/** The process prepared for the next command is in the sandbox's control group without being part of the sandbox. */
const WAITING_PIDS = 1;

/** The caller cleans up when it fails. */
export async function makeSandbox(
  toolkit: HostToolkit,
  spec: SandboxSpec,
  events: SandboxEvents,
): Promise<RunningSandbox> {
  const { layout, disks } = toolkit;
  const disk = await disks.provide(spec.diskId);
  await new CapabilityStore(disk.folder).tidy();
  const record = createRecord(spec, disk.uid);
  await writeRecord(layout.record(spec.id), record);
  writeOwnEtc(layout.run(spec.id), spec.hostname);
  const cgroup = await createCgroup(toolkit, spec);
  const proxy = await openProxy(toolkit, record, events);
  try {
    const processes = await launch(toolkit, record, disk.folder, cgroup);
    const started = { ...record, processes };
    await writeRecord(layout.record(spec.id), started);
    const sandbox = getSandbox(toolkit, started, cgroup, proxy);
    sandbox.expectCommand();
    return sandbox;
  } catch (error) {
    await proxy?.close();
    throw error;
  }
}

/** Takes over a sandbox that another process started, in its last recorded state; undefined when it has ended. */
export async function findSandbox(
  toolkit: HostToolkit,
  id: string,
  events: SandboxEvents,
): Promise<RunningSandbox | undefined> {
  const record = findRecord(toolkit.layout.record(id));
  if (!record?.processes || record.boot_id !== readBootId()) return undefined;
  const cgroup = await toolkit.cgroups.find(id);
  const proxy = await openProxy(toolkit, record, events);
  try {
    const sandbox = getSandbox(toolkit, record, cgroup, proxy);
    await sandbox.settle();
    return sandbox;
  } catch {
    await proxy?.close();
    return undefined;
  }
}

/** Resolves when nothing of the sandbox runs, is mounted, or listens. */
export async function endSandbox(
  { layout, cgroups }: HostToolkit,
  id: string,
  sandbox: RunningSandbox | undefined,
): Promise<void> {
  const record = findRecord(layout.record(id));
  const cgroup = await cgroups.find(id);
  if (record?.processes && record.boot_id === readBootId()) {
    await endProcesses(record.processes, cgroup, sandbox?.listWaiting() ?? []);
  } else await killLeftovers(layout.end(id));
  await cgroup?.kill(); // including commands that were entering
  await sandbox?.finish();
  await cgroup?.remove();
}

/** Removes the record and the run folder. */
export async function forgetSandbox({ layout }: HostToolkit, id: string): Promise<void> {
  await rm(layout.run(id), { recursive: true, force: true });
  await rm(layout.end(id), { force: true });
}

/** Creates a group even for a sandbox without limits, if groups are available, to pause, count and kill it as a whole. */
async function createCgroup(
  { cgroups, limits }: HostToolkit,
  spec: SandboxSpec,
): Promise<Cgroup | undefined> {
  const { cpuCores, memoryMb, pids } = spec.limits;
  const requested = { cpu: cpuCores, memory: memoryMb, pids };
  const unheld = (['cpu', 'memory', 'pids'] as const).filter(
    (limit) => requested[limit] !== undefined && !limits.includes(limit),
  );
  if (unheld.length > 0) {
    const detail = `This host cannot hold a sandbox to a limit of ${unheld.join(' and ')}: ${cgroups.reasons.join(' ')}`;
    throw new ApiError('sandbox_provider_error', detail);
  }
  if (cgroups.limits.length === 0 && !cgroups.canFreeze) return undefined;
  return await cgroups.create(spec.id, {
    ...(cpuCores === undefined ? {} : { cpuCores }),
    ...(memoryMb === undefined ? {} : { memoryMb }),
    ...(cgroups.limits.includes('pids') ? { pids: (pids ?? DEFAULT_PIDS) + WAITING_PIDS } : {}),
  });
}

async function openProxy(
  { layout, programs, network }: HostToolkit,
  { spec, uid }: SandboxRecord,
  events: SandboxEvents,
): Promise<EgressProxy | undefined> {
  if (!hasProxy(spec)) return undefined;
  if (!programs.socat) {
    const detail =
      'A sandbox that may reach hosts or the platform needs socat. Install it; on Debian as root: npm run setup.';
    throw new ApiError('sandbox_provider_error', detail);
  }
  return await EgressProxy.open({
    socketPath: join(layout.egress(spec.id), 'proxy.sock'),
    uid,
    allow: new AllowList(spec.egressAllow),
    egress: (entry) => events.egress(spec.id, entry),
    platform: toPlatform(spec, events),
    ...network,
  });
}

async function launch(
  toolkit: HostToolkit,
  { spec, uid }: SandboxRecord,
  disk: string,
  cgroup: Cgroup | undefined,
) {
  const { layout, limits, cgroups, hasLayer } = toolkit;
  const isHeldByKernel = limits.includes('pids') && !cgroups.limits.includes('pids');
  const plan = {
    hostname: spec.hostname,
    etc: relative(layout.root, layout.etc),
    disk: relative(layout.root, disk),
    run: relative(layout.root, layout.run(spec.id)),
    hasWorkspace: spec.hasWorkspace,
    hasEgress: hasProxy(spec),
    hasLayer,
    memoryBytes: spec.limits.memoryMb === undefined ? undefined : spec.limits.memoryMb * 1024 ** 2,
    processLimit: isHeldByKernel ? (spec.limits.pids ?? DEFAULT_PIDS) : undefined,
    fileBytes: MAX_FILE_BYTES,
  };
  return await launchHolder(toolkit, spec.id, uid, plan, cgroup?.procsFiles ?? []);
}

function getSandbox(
  toolkit: HostToolkit,
  record: SandboxRecord,
  cgroup: Cgroup | undefined,
  proxy: EgressProxy | undefined,
): RunningSandbox {
  const entrance = record.processes && Entrance.open(record.processes);
  if (!entrance) throw new ApiError('sandbox_provider_error', 'The sandbox has ended.');
  return new RunningSandbox(toolkit, {
    record,
    entrance,
    cgroup,
    proxy,
    canFreeze: toolkit.cgroups.canFreeze,
  });
}
