/**
 * Writers of one transcript in this process, one after the other. They would wait for its lock anyway; but who waits in the
 * database holds a connection, and a session that many append to at once would leave none for anybody else.
 */
const last = new Map<string, Promise<void>>();

/** @param key of the session and of who writes: nobody waits for those who may not */
export async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
  const before = last.get(key);
  const { promise: isDone, resolve: end } = Promise.withResolvers<void>();
  last.set(key, isDone);
  await before;
  try {
    return await work();
  } finally {
    if (last.get(key) === isDone) last.delete(key);
    end();
  }
}
