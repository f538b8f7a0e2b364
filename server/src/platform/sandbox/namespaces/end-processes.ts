/** Ends the processes of a sandbox, also of one of which nothing is noted, since its start never came to its end. */
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { ApiError } from '../../errors.ts';
import type { Cgroup } from '../cgroups/cgroups.ts';
import { isAlive, listChildren, listNumbers, signal } from '../process-table.ts';
import type { SandboxProcesses } from './record.ts';

const MAX_ROUNDS = 1_000;
const PATIENCE_MS = 500;
const END_TIMEOUT_MS = 10_000;

/**
 * All that are inside die with the first of them, and whoever waits for them then ends by itself. The first ends last, once
 * all are reaped.
 *
 * @param waiting processes of this one that wait for a command inside
 */
export async function endProcesses(
  { first, outermost }: SandboxProcesses,
  cgroup: Cgroup | undefined,
  waiting: readonly number[],
): Promise<void> {
  if (isAlive(first)) signal(first.pid, 'SIGKILL');
  // Always: a group in which one is dying says that it is not frozen, and the others, who would reap that one, still are.
  await cgroup?.thaw().catch(() => undefined);
  const started = performance.now();
  while (isAlive(first) || isAlive(outermost)) {
    const waitedMs = performance.now() - started;
    if (waitedMs > END_TIMEOUT_MS) {
      throw new ApiError('sandbox_provider_error', 'The processes of the sandbox do not end. Try again.');
    }
    // Not at once: each reaps the one before it, and what nobody reaps is left for a while.
    if (waitedMs > PATIENCE_MS) {
      if (isAlive(outermost)) killTree(outermost.pid);
      for (const pid of waiting) signal(pid, 'SIGKILL');
      await cgroup?.kill();
    }
    await setTimeout(waitedMs > PATIENCE_MS ? 20 : 1);
  }
}

/** @param end where the outermost process is to note the end: nobody else has that among its arguments */
export async function killLeftovers(end: string): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const found = listNumbers().filter((pid) => readArguments(pid).includes(end));
    if (found.length === 0) return;
    for (const pid of found) killTree(pid);
    await setTimeout(2);
  }
}

/** The youngest first, so that none is seen to end by one who would start another. */
export function killTree(pid: number): void {
  for (const each of listTree(pid).toReversed()) signal(each, 'SIGKILL');
}

function listTree(pid: number): number[] {
  return [pid, ...listChildren(pid).flatMap(listTree)];
}

function readArguments(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
