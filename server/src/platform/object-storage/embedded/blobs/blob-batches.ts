/**
 * Splits work on objects and uploads into batches by the number of rows that a statement writes: one for every blob that loses its owner.
 */

/** Takes a second or two. */
const MAX_BLOBS = 20_000;

/** Keeps the order; an item that exceeds the limit forms a batch of its own. */
export function inBatchesOfBlobs<T extends { readonly blobs: number }>(
  items: readonly T[],
  maxBlobs = MAX_BLOBS,
): T[][] {
  const batches: T[][] = [];
  let blobs = Number.POSITIVE_INFINITY;
  for (const item of items) {
    if (blobs + item.blobs > maxBlobs) {
      batches.push([]);
      blobs = 0;
    }
    batches.at(-1)?.push(item);
    blobs += item.blobs;
  }
  return batches;
}
