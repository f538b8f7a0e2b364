/** User ids of sandboxes on the host, which no other user has. */
import { readFileSync } from 'node:fs';

export interface UidRange {
  readonly first: number;
  readonly count: number;
}

/** Far above the ids that systems give to users and services, and below the limit of signed numbers. */
const WANTED: UidRange = { first: 2_000_000_000, count: 100_000_000 };

/** A server that is itself in a user namespace has fewer ids: then the upper half of the largest block is used. */
export function readUidRange(map = readFileSync('/proc/self/uid_map', 'utf8')): UidRange {
  const blocks = map
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([first = 0, , count = 0]) => ({ first, count }));
  const holdsWanted = blocks.some(
    ({ first, count }) => first <= WANTED.first && first + count >= WANTED.first + WANTED.count,
  );
  if (holdsWanted) return WANTED;
  const largest = blocks.reduce((one, other) => (other.count > one.count ? other : one), {
    first: 0,
    count: 0,
  });
  const half = Math.floor(largest.count / 2);
  return { first: largest.first + largest.count - half, count: half };
}
