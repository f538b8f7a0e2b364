/** Pauses every process of a sandbox, with its memory, and resumes them: as a group when the kernel can, else by signals. */
import { setTimeout } from 'node:timers/promises';
import { ApiError } from '../../errors.ts';
import { findNamespace, findProcess, listNumbers, type ProcessEntry, signal } from '../process-table.ts';

const MAX_ROUNDS = 500;

/**
 * Processes outside that wait for a command inside keep waiting.
 * @param first process 1 of the sandbox, as numbered by the host
 */
export async function stopBySignals(first: number): Promise<void> {
  const namespace = findNamespace(first, 'pid');
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const inside = listInside(namespace).filter(canRun);
    if (inside.length === 0) return;
    for (const { pid } of inside) signal(pid, 'SIGSTOP');
    await setTimeout(1);
  }
  throw new ApiError(
    'sandbox_provider_error',
    'The processes of the sandbox could not be stopped. Try again.',
  );
}

export function continueBySignals(first: number): void {
  for (const { pid } of listInside(findNamespace(first, 'pid'))) signal(pid, 'SIGCONT');
}

/** Lists all processes of a pid namespace, as numbered by the host. */
export function listInside(namespace: string | undefined): ProcessEntry[] {
  if (namespace === undefined) return [];
  return listNumbers()
    .filter((pid) => findNamespace(pid, 'pid') === namespace)
    .map(findProcess)
    .filter((entry) => entry !== undefined);
}

const canRun = ({ state }: ProcessEntry) => !'TtZX'.includes(state);
