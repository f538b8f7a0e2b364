import { expect, test } from 'vitest';
import { inBatchesOfBlobs } from './blob-batches.ts';

test('batches have a bounded number of blobs and keep the order; a larger item forms a batch of its own', () => {
  const counts = (blobs: readonly number[]) =>
    inBatchesOfBlobs(
      blobs.map((count) => ({ blobs: count })),
      10,
    ).map((batch) => batch.map((item) => item.blobs));
  expect(counts([])).toEqual([]);
  expect(counts([4, 6, 1, 25, 10, 0, 3])).toEqual([[4, 6], [1], [25], [10, 0], [3]]);
});
