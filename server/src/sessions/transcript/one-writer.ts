/**
 * Serializes writers of one transcript within this process. They would wait for its lock anyway, but waiting in the database holds a
 * connection, and many writers of one session would take all of them.
 */
const last = new Map<string, Promise<void>>();

/** @param key the session and the writer: a writer never waits for callers that lack permission */
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
