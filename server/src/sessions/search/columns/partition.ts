/** Finds what comes first of many, without putting all of them in order. */

export type IsBefore = (a: number, b: number) => boolean;

const SAMPLE = 63;

/** Moves rows so that those before `wanted` are the ones that come before all others. No two rows are alike. */
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
    // The pivot itself is first of those that do not come before it, or nothing would ever get smaller.
    if (low === end) {
      const place = rows.indexOf(pivot, low);
      rows[place] = rows[low] as number;
      rows[low++] = pivot;
    }
  }
}

/** A row near the wanted place, a little beyond it where little is wanted: one pass then leaves hardly anything. */
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
