/** Starts the process that holds a sandbox's namespaces, and waits until commands can enter them. */
import { constants, readFileSync } from 'node:fs';
import { ApiError } from '../../errors.ts';
import { findNamespace, findProcess, listChildren, type ProcessName } from '../process-table.ts';
import type { HostFiles } from './files/root-file-system.ts';
import { type HolderPlan, NOTE_END, toMakeScript } from './holder-scripts.ts';
import { toUserChange } from './host-environment.ts';
import type { Layout } from './layout.ts';
import type { Programs } from './programs.ts';
import type { SandboxProcesses } from './record.ts';
import type { Spawner } from './spawner/spawner.ts';
import type { StartedProcess } from './spawner/spawner-connection.ts';
import type { GivenFile } from './spawner/spawner-messages.ts';

export interface HolderTools {
  readonly programs: Programs;
  readonly host: HostFiles;
  readonly layout: Layout;
  readonly spawner: Spawner;
}

const START_TIMEOUT_MS = 10_000;

/** The caller cleans up when it fails. */
export async function launchHolder(
  tools: HolderTools,
  id: string,
  uid: number,
  plan: HolderPlan,
  procsFiles: readonly string[],
): Promise<SandboxProcesses> {
  try {
    return await untilReady(await startHolder(tools, id, uid, plan, procsFiles));
  } catch (cause) {
    const why = findComplaints(tools.layout.complaints(id)) || (cause instanceof Error ? cause.message : '');
    const detail = `The sandbox could not be made: ${why || 'nothing is known of why'}`;
    throw new ApiError('sandbox_provider_error', detail, { cause });
  }
}

/** @returns '' when there are none */
function findComplaints(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim().slice(-500);
  } catch {
    return '';
  }
}

async function startHolder(
  { programs, host, layout, spawner }: HolderTools,
  id: string,
  uid: number,
  plan: HolderPlan,
  procsFiles: readonly string[],
): Promise<StartedProcess> {
  const command = [
    toUserChange(programs.setpriv, uid),
    [programs.unshare, '--user', '--map-root-user', '--mount', '--fork', '--kill-child'],
    [programs.sh, '-c', toMakeScript(programs, host, plan), id],
  ].flat();
  const { O_WRONLY, O_APPEND, O_CREAT, O_RDONLY } = constants;
  const files: GivenFile[] = [
    'ignore',
    'ignore',
    { open: layout.complaints(id), flags: O_WRONLY | O_APPEND | O_CREAT, mode: 0o600 },
    'report',
    { open: layout.filter, flags: O_RDONLY },
  ];
  return await spawner.start({
    argv: [programs.sh, '-c', NOTE_END, id, layout.end(id), ...procsFiles, '--', ...command],
    cwd: layout.root,
    files,
    reportLines: 2,
    outlives: true,
  });
}

async function untilReady({ pid, start, report, ended }: StartedProcess): Promise<SandboxProcesses> {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined); // after it is ready, its end is the end of the sandbox
  const fail = (why: string) => failed.reject(new Error(why));
  const late = setTimeout(() => fail(`it took more than ${START_TIMEOUT_MS} ms`), START_TIMEOUT_MS);
  void ended.then(({ code }) => fail(`it ended with ${code}`));
  try {
    const text = await Promise.race([report, failed.promise]);
    if (!text?.endsWith('ready\n')) return await failed.promise;
    const [holder, monitor] = (text.split('\n')[0] ?? '').split(' ').map(Number);
    return { outermost: { pid, start }, holder: getName(holder), first: getName(findFirst(monitor ?? 0)) };
  } finally {
    clearTimeout(late);
  }
}

/** Checks the identity of the process: commands that enter another process would run outside of the sandbox. */
function findFirst(monitor: number): number | undefined {
  const [first, ...others] = listChildren(monitor);
  if (first === undefined || others.length > 0) throw new Error('its first process could not be identified');
  if (findNamespace(first, 'pid') === findNamespace(process.pid, 'pid'))
    throw new Error('it has no namespace of its own');
  return first;
}

function getName(pid: number | undefined): ProcessName {
  const found = pid === undefined ? undefined : findProcess(pid);
  if (!found) throw new Error('it ended at once');
  return { pid: found.pid, start: found.start };
}
