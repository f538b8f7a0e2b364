/** Deleting much without holding many locks, and without a statement that runs into its time limit. */
const BATCH = 1_000;

/**
 * @param deleteBatch deletes at most that many rows
 * @returns how many rows were deleted in all
 */
export async function deleteInBatches(
  deleteBatch: (size: number) => Promise<{ readonly numDeletedRows: bigint }>,
): Promise<number> {
  for (let all = 0; ; ) {
    const deleted = Number((await deleteBatch(BATCH)).numDeletedRows);
    all += deleted;
    if (deleted < BATCH) return all;
  }
}
