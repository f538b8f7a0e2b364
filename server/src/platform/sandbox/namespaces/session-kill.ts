/** Ends all processes in the session of a command. */
import { setTimeout } from 'node:timers/promises';
import { listChildren, listProcesses, signal } from '../process-table.ts';

const MAX_ROUNDS = 50;

/** @param pid of nsenter, whose child is bwrap, whose child began the session */
export async function killSession(pid: number): Promise<void> {
  const session = listChildren(pid).flatMap(listChildren)[0];
  if (session === undefined) return;
  // A process that is forked while its parent is killed is found in the next round.
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const members = listProcesses().filter((entry) => entry.session === session && entry.state !== 'Z');
    if (members.length === 0) return;
    for (const member of members) signal(member.pid, 'SIGKILL');
    await setTimeout(1);
  }
}
