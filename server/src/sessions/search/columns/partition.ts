/** Selects the smallest of many rows without sorting all of them. */

export type IsBefore = (a: number, b: number) => boolean;

const SAMPLE = 63;

/** Moves the `wanted` smallest rows to the front. No two rows compare as equal. */
export function partition(
  rows: Int32Array,
  from: number,
  to: number,
  wanted: number,
  isBefore: IsBefore,
): void {
  let [low, high] = [from, to];
  while (wanted > low && wanted < high) {
    const pivot = findPivot(rows, low, high, wanted, isBefore);
    let end = low;
    for (let index = low; index < high; index++) {
      const row = rows[index] as number;
      if (!isBefore(row, pivot)) continue;
      rows[index] = rows[end] as number;
      rows[end++] = row;
    }
    if (wanted <= end) high = end;
    else low = end;
    // When no row sorts before the pivot, moving the pivot to the front guarantees progress.
    if (low === end) {
      const place = rows.indexOf(pivot, low);
      rows[place] = rows[low] as number;
      rows[low++] = pivot;
    }
  }
}

/** Picks a row near the wanted rank, slightly above it for small ranks, so that one pass leaves hardly anything. */
function findPivot(rows: Int32Array, low: number, high: number, wanted: number, isBefore: IsBefore): number {
  const size = Math.min(SAMPLE, high - low);
  const sample = Array.from(
    { length: size },
    () => rows[low + Math.floor(Math.random() * (high - low))] as number,
  ).toSorted((a, b) => (a === b ? 0 : isBefore(a, b) ? -1 : 1));
  const share = (wanted - low) / (high - low);
  const place = Math.floor(share * size) + (share < 0.5 ? 1 : -1);
  return sample[Math.max(0, Math.min(size - 1, place))] as number;
}
