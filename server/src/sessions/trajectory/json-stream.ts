/** JSON made piece by piece, for documents that are larger than what should be in memory at once. */

/** Text that was made already, a value that is asked for when its turn comes, or a value. */
type Member = AsyncIterable<string> | (() => unknown) | string | number | boolean | object | null | undefined;

/** A member that is undefined is left out. A function is asked when all before it is written. */
export async function* writeObject(members: Readonly<Record<string, Member>>): AsyncIterable<string> {
  let separator = '{';
  for (const [key, member] of Object.entries(members)) {
    const value: unknown = typeof member === 'function' ? (member as () => unknown)() : member;
    if (value === undefined) continue;
    yield `${separator}${JSON.stringify(key)}:`;
    if (isPieces(value)) yield* value;
    else yield JSON.stringify(value);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}

/** One piece for each item. */
export async function* writeArray(items: AsyncIterable<unknown>): AsyncIterable<string> {
  let separator = '[';
  for await (const item of items) {
    yield separator + JSON.stringify(item);
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

const isPieces = (value: unknown): value is AsyncIterable<string> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
