/** Grows typed arrays, which have a fixed length, by copying them into larger ones. */

type TypedArray = Uint8Array | Int32Array | Uint32Array | Float64Array;

const FIRST = 64;
const GROWTH = 1.25;

/** Returns an array of at least this length. It grows by a quarter only, because unused capacity wastes memory. */
export function withRoom<Items extends TypedArray>(items: Items, count: number): Items {
  if (count <= items.length) return items;
  const Kind = items.constructor as new (length: number) => Items;
  const larger = new Kind(Math.max(FIRST, count, Math.ceil(items.length * GROWTH)));
  larger.set(items);
  return larger;
}

export const bytesOf = (...arrays: readonly TypedArray[]) =>
  arrays.reduce((sum, { byteLength }) => sum + byteLength, 0);
