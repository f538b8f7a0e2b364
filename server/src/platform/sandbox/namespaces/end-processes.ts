/** Ends the processes of a sandbox, even of one without a record because its start did not complete. */
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { ApiError } from '../../errors.ts';
import type { Cgroup } from '../cgroups/cgroups.ts';
import { isAlive, listChildren, listNumbers, listProcesses, signal } from '../process-table.ts';
import type { SandboxProcesses } from './record.ts';

const MAX_ROUNDS = 1_000;
const GRACE_MS = 500;
const END_TIMEOUT_MS = 10_000;

/**
 * All processes inside die with the first one, and processes that wait for them then end by themselves. The first one ends last, after all
 * are reaped.
 * @param waiting processes of this server that wait for a command inside
 */
export async function endProcesses(
  { first, outermost }: SandboxProcesses,
  cgroup: Cgroup | undefined,
  waiting: readonly number[],
): Promise<void> {
  if (isAlive(first)) signal(first.pid, 'SIGKILL');
  // Always thaws: a group with a dying process reports that it is not frozen, although the others, which would reap that process, still
  // are.
  await cgroup?.thaw().catch(() => undefined);
  const started = performance.now();
  while (isAlive(first) || isAlive(outermost)) {
    const waitedMs = performance.now() - started;
    if (waitedMs > END_TIMEOUT_MS) {
      throw new ApiError('sandbox_provider_error', 'The processes of the sandbox do not end. Try again.');
    }
    // Delayed, since each process reaps the one before it, and unreaped ones would stay for a while.
    if (waitedMs > GRACE_MS) {
      if (isAlive(outermost)) killTree(outermost.pid);
      for (const pid of waiting) signal(pid, 'SIGKILL');
      await cgroup?.kill();
    }
    await setTimeout(waitedMs > GRACE_MS ? 20 : 1);
  }
}

/** @param end file in which the outermost process records the end: no other process has it among its arguments */
export async function killLeftovers(end: string): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const found = listNumbers().filter((pid) => readArguments(pid).includes(end));
    if (found.length === 0) return;
    for (const pid of found) killTree(pid);
    await setTimeout(2);
  }
}

/** Kills the youngest processes first, so that no parent sees a child end and starts another one. */
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

const MAX_SESSION_ROUNDS = 50;

/**
 * Ends all processes in the session of a command.
 *
 * @param pid of nsenter, whose child is bwrap, whose child began the session
 */
export async function killSession(pid: number): Promise<void> {
  const session = listChildren(pid).flatMap(listChildren)[0];
  if (session === undefined) return;
  // A process that is forked while its parent is killed is found in the next round.
  for (let round = 0; round < MAX_SESSION_ROUNDS; round++) {
    const members = listProcesses().filter((entry) => entry.session === session && entry.state !== 'Z');
    if (members.length === 0) return;
    for (const member of members) signal(member.pid, 'SIGKILL');
    await setTimeout(1);
  }
}
