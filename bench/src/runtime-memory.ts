/** What many runtimes take of the machine's memory while all of them run. */
import { commandOf, processTree, pssBytes } from './process-usage.ts';
import type { RuntimeClient } from './runtime-client.ts';

/** As several clients do. */
const AT_ONCE = 8;

export interface ManyRuntimes {
  readonly count: number;
  readonly processes: number;
  readonly serverBytes: number;
  /** All of it, however few there are. */
  readonly spawnerBytes: number;
  readonly sandboxBytes: number;
  readonly pssBytes: number;
}

export async function benchManyRuntimes(
  serverPid: number,
  client: RuntimeClient,
  count: number,
): Promise<ManyRuntimes> {
  const keys = Array.from({ length: count }, (_, index) => `many-${index}`);
  const before = measure(serverPid);
  await inTurns(keys, async (key) => {
    await client.create(key);
    await client.start(key);
    await client.exec(key);
  });
  const after = measure(serverPid);
  const processes = after.sandboxes.length - before.sandboxes.length;
  // Else they are not where they are looked for, and their memory would not be counted.
  if (processes < count) throw new Error(`${count} runtimes have ${processes} processes below the server`);
  const serverBytes = after.serverBytes - before.serverBytes;
  const sandboxBytes = pssBytes(after.sandboxes) - pssBytes(before.sandboxes);
  const { spawnerBytes } = after;
  await inTurns(keys, (key) => client.delete(key));
  const together = serverBytes + spawnerBytes + sandboxBytes;
  return { count, processes, serverBytes, spawnerBytes, sandboxBytes, pssBytes: together };
}

async function inTurns(keys: readonly string[], work: (key: string) => Promise<void>): Promise<void> {
  const waiting = [...keys];
  const take = async () => {
    for (let key = waiting.shift(); key !== undefined; key = waiting.shift()) await work(key);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
}

/** Of PostgreSQL nothing: what it keeps of a hundred rows is not theirs. */
function measure(serverPid: number) {
  const tree = processTree(serverPid).filter((pid) => commandOf(pid) !== 'postgres');
  // Both are Node.
  const isSpawner = (pid: number) => pid !== serverPid && commandOf(pid) === commandOf(serverPid);
  const sandboxes = tree.filter((pid) => pid !== serverPid && !isSpawner(pid));
  return { sandboxes, serverBytes: pssBytes([serverPid]), spawnerBytes: pssBytes(tree.filter(isSpawner)) };
}
