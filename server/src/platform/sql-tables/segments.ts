/**
 * DuckDB buffers a CSV file until the file ends, so the rows of a table are sent as many files: segments, which are read one after the
 * other. Their maximum number has to be fixed before the number of rows is known.
 */
import { join } from 'node:path';

/** The last segment takes all remaining rows: more than a query reads in its time, or than a file may have. */
const SEGMENTS = { rows: 128, parquet: 1024 } as const;
/** Number of pipes that are used in turn: a pipe is closed long before it is used again. */
export const PIPES = 4;
const MIB = 1024 ** 2;

export const segmentsFor = ({ form }: { readonly form: keyof typeof SEGMENTS }) => SEGMENTS[form];

/** @param need number of the need, from 0 */
export const pipePath = (folder: string, need: number, segment: number) =>
  join(folder, `${need}.${segment % PIPES}`);

/** Starts small, so that short results arrive soon, and grows, so that all segments hold a hundred gigabytes. */
export function segmentBytes(segment: number): number {
  if (segment === 0) return MIB;
  return 32 * MIB * Math.min(4, 2 ** Math.floor(segment / 64));
}
