/** Writes JSON piece by piece, for documents that are too large to hold in memory. */

/** Serialized text, a function called when its member is due, or a value. */
type Member = AsyncIterable<string> | (() => unknown) | string | number | boolean | object | null | undefined;

/** Leaves out undefined members. A function is called after everything before it was written. */
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

/** Yields one piece per item. */
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
