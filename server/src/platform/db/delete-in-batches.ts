/** Deletes many rows without holding many locks or running into the statement timeout. */
const BATCH = 1_000;

/** The result of a built statement or of a raw one. */
interface Deleted {
  readonly numDeletedRows?: bigint;
  readonly numAffectedRows?: bigint;
}

/**
 * @param deleteBatch deletes at most that many rows
 * @returns how many rows were deleted in all
 */
export async function deleteInBatches(deleteBatch: (size: number) => Promise<Deleted>): Promise<number> {
  for (let all = 0; ; ) {
    const { numDeletedRows = 0n, numAffectedRows = numDeletedRows } = await deleteBatch(BATCH);
    const deleted = Number(numAffectedRows);
    all += deleted;
    if (deleted < BATCH) return all;
  }
}
