/**
 * DuckDB holds what it has read of a CSV file until that file ends, so the rows of a table come as many files: segments, which
 * are read one after the other. How many there can be is said before it is known how many there are.
 */
import { join } from 'node:path';

/** The last segment takes all remaining rows: more than a query reads in its time, or than a file may have rows of. */
const SEGMENTS = { rows: 128, parquet: 1024 } as const;
/** The pipes that they come through in turn: one that was read to its end is closed long before it is used again. */
export const PIPES = 4;
const MIB = 1024 ** 2;

export const segmentsFor = ({ form }: { readonly form: keyof typeof SEGMENTS }) => SEGMENTS[form];

/** @param need which one of them, from 0 */
export const pipePath = (folder: string, need: number, segment: number) =>
  join(folder, `${need}.${segment % PIPES}`);

/** The first is there soon, for who wants no more; many make them large, so that there is room for a hundred gigabytes. */
export function segmentBytes(segment: number): number {
  if (segment === 0) return MIB;
  return 32 * MIB * Math.min(4, 2 ** Math.floor(segment / 64));
}
