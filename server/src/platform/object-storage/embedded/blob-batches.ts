/** Work on objects and uploads in batches by what each statement writes: a row for every blob that loses its owner. */

/** A second or two. */
const MAX_BLOBS = 20_000;

/** In their order; one that exceeds the bound by itself is a batch of its own. */
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
