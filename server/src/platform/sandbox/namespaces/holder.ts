/** Starts what holds a sandbox's namespaces, and waits until commands can enter them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { ApiError } from '../../http/errors.ts';
import { HOLDER_FILES, type HolderPlan, NOTE_END, toMakeScript } from './holder-scripts.ts';
import { OUTER_ENVIRONMENT, type StrayFiles, toUserChange } from './host-environment.ts';
import type { Layout } from './layout.ts';
import { findNamespace, findProcess, listChildren, type ProcessName } from './process-table.ts';
import type { Programs } from './programs.ts';
import type { SandboxProcesses } from './record.ts';
import { type HostFiles, toStageFolders } from './root-file-system.ts';

export interface HolderTools {
  readonly programs: Programs;
  readonly host: HostFiles;
  readonly layout: Layout;
  readonly strayFiles: StrayFiles;
}

const START_TIMEOUT_MS = 10_000;

/** What is left when it fails is the caller's to end. */
export async function launchHolder(
  tools: HolderTools,
  id: string,
  uid: number,
  plan: HolderPlan,
  procsFiles: readonly string[],
): Promise<SandboxProcesses> {
  const child = spawnHolder(tools, id, uid, plan, procsFiles);
  try {
    return await untilReady(child);
  } catch (cause) {
    const complaints = readFileSync(tools.layout.complaints(id), 'utf8').trim().slice(-500);
    const why = complaints || (cause instanceof Error ? cause.message : 'nothing is known of why');
    throw new ApiError('sandbox_provider_error', `The sandbox could not be made: ${why}`, { cause });
  } finally {
    child.stdio[HOLDER_FILES.told]?.destroy();
  }
}

function spawnHolder(
  { programs, host, layout, strayFiles }: HolderTools,
  id: string,
  uid: number,
  plan: HolderPlan,
  procsFiles: readonly string[],
): ChildProcess {
  const command = [
    toUserChange(programs.setpriv, uid),
    [programs.unshare, '--user', '--map-root-user', '--mount', '--fork', '--kill-child'],
    [programs.sh, '-c', toMakeScript(programs, host, plan), id, plan.hostname],
    toStageFolders(host),
  ].flat();
  const complaints = openSync(layout.complaints(id), 'a', 0o600);
  const filter = openSync(layout.filter, 'r');
  try {
    const child = spawn(programs.sh, ['-c', NOTE_END, id, layout.end(id), ...procsFiles, '--', ...command], {
      cwd: layout.root,
      env: OUTER_ENVIRONMENT,
      stdio: strayFiles.cover(['ignore', 'ignore', complaints, 'pipe', filter]),
      detached: true, // it outlives this process
    });
    child.unref();
    return child;
  } finally {
    closeSync(complaints);
    closeSync(filter);
  }
}

async function untilReady(child: ChildProcess): Promise<SandboxProcesses> {
  const told = createInterface({ input: child.stdio[HOLDER_FILES.told] as Readable });
  const outermost = getName(child.pid);
  const lines: string[] = [];
  await new Promise<void>((ready, failed) => {
    const late = setTimeout(
      () => failed(new Error(`it took more than ${START_TIMEOUT_MS} ms`)),
      START_TIMEOUT_MS,
    );
    const fail = (why: Error) => {
      clearTimeout(late);
      failed(why);
    };
    child.once('error', fail);
    child.once('exit', (code) => fail(new Error(`it ended with ${code}`)));
    told.on('line', (line) => {
      lines.push(line);
      if (line !== 'ready') return;
      clearTimeout(late);
      ready();
    });
  });
  const [holder, monitor] = (lines[0] ?? '').split(' ').map(Number);
  return { outermost, holder: getName(holder), first: getName(findFirst(monitor ?? 0)) };
}

/** To take another for it would be to run commands outside of the sandbox. */
function findFirst(monitor: number): number | undefined {
  const [first, ...others] = listChildren(monitor);
  if (first === undefined || others.length > 0)
    throw new Error('its first process could not be told from others');
  if (findNamespace(first, 'pid') === findNamespace(process.pid, 'pid')) throw new Error('it is not apart');
  return first;
}

function getName(pid: number | undefined): ProcessName {
  const found = pid === undefined ? undefined : findProcess(pid);
  if (!found) throw new Error('it ended at once');
  return { pid: found.pid, start: found.start };
}
