/** The memory that many running runtimes take. */
import { commandOf, processTree, pssBytes } from './process-usage.ts';
import type { RuntimeClient } from './runtime-client.ts';

/** Concurrency of several clients. */
const AT_ONCE = 8;

export interface ManyRuntimes {
  readonly count: number;
  readonly processes: number;
  readonly serverBytes: number;
  /** Total memory of the spawner, regardless of the number of runtimes. */
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
  // Otherwise they are not among these processes, and their memory would not be counted.
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

/** Excludes PostgreSQL, whose cache of a hundred rows does not belong to the runtimes. */
function measure(serverPid: number) {
  const tree = processTree(serverPid).filter((pid) => commandOf(pid) !== 'postgres');
  // Both are Node processes.
  const isSpawner = (pid: number) => pid !== serverPid && commandOf(pid) === commandOf(serverPid);
  const sandboxes = tree.filter((pid) => pid !== serverPid && !isSpawner(pid));
  return { sandboxes, serverBytes: pssBytes([serverPid]), spawnerBytes: pssBytes(tree.filter(isSpawner)) };
}
