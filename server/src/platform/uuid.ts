import { randomFillSync } from 'node:crypto';

/** Randomness is fetched for many ids at once: a call into the kernel for each would cost more than all the rest. */
const pool = Buffer.alloc(8 * 512);
let used = pool.length;

let moment = 0;
let counter = 0;
const MAX_COUNTER = 0xfff;

/** Of the moment that was written last: many ids share it. */
let writtenMoment = -1;
let writtenHead = '';

const toHex = (number: number, digits: number) => number.toString(16).padStart(digits, '0');
const BYTES = Array.from({ length: 0x100 }, (_, byte) => toHex(byte, 2));
const VARIANTS = Array.from({ length: 0x100 }, (_, byte) => toHex(0x80 | (byte & 0x3f), 2));
const COUNTERS = Array.from({ length: MAX_COUNTER + 1 }, (_, count) => `7${toHex(count, 3)}-`);

/**
 * A UUIDv7: 48 bits of milliseconds, a counter within the millisecond, then randomness. The ids of one process are in
 * the order in which they were made, also when its clock steps back.
 */
export function uuidv7(now = Date.now()): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  if (now > moment) {
    moment = now;
    counter = 0;
  } else if (counter++ === MAX_COUNTER) {
    moment++;
    counter = 0;
  }
  if (moment !== writtenMoment) {
    writtenMoment = moment;
    writtenHead = firstUuidAt(moment).slice(0, 14);
  }
  const at = used;
  used += 8;
  const byte = (offset: number) => BYTES[pool[at + offset] ?? 0] ?? '';
  const variant = (VARIANTS[pool[at] ?? 0] ?? '') + byte(1);
  return `${writtenHead}${COUNTERS[counter] ?? ''}${variant}-${byte(2)}${byte(3)}${byte(4)}${byte(5)}${byte(6)}${byte(7)}`;
}

/** When an id was made. */
export function uuidTime(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** The smallest id that was made at that moment or later: bounds of time become bounds of ids. */
export function firstUuidAt(milliseconds: number): string {
  const hex = toHex(Math.floor(Math.max(0, Math.min(milliseconds, 0xffff_ffff_ffff))), 12);
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
