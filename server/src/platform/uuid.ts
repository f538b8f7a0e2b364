import { createHash, randomFillSync } from 'node:crypto';

/** Randomness is fetched and converted to text for many ids at once: a system call per id would cost more than all the rest. */
const pool = Buffer.alloc(8 * 512);
const DIGITS_PER_ID = 16;
let digits = '';
let used = 0;

let moment = 0;
let counter = 0;
const MAX_COUNTER = 0xfff;

/** Text of the last moment, which many ids share. */
let writtenMoment = -1;
let writtenHead = '';

const toHex = (number: number, length: number) => number.toString(16).padStart(length, '0');
const COUNTERS = Array.from({ length: MAX_COUNTER + 1 }, (_, count) => `7${toHex(count, 3)}-`);

/**
 * Creates a UUIDv7: 48 bits of milliseconds, a counter within the millisecond, then randomness. The ids of one process are in the order of
 * their creation, even if its clock steps back.
 */
export function uuidv7(now = Date.now()): string {
  if (used === digits.length) refill();
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
  used += DIGITS_PER_ID;
  return `${writtenHead}${COUNTERS[counter] ?? ''}${digits.slice(at, at + 4)}-${digits.slice(at + 4, used)}`;
}

function refill(): void {
  randomFillSync(pool);
  // The variant is in the first two bits.
  for (let at = 0; at < pool.length; at += DIGITS_PER_ID / 2) pool[at] = 0x80 | ((pool[at] ?? 0) & 0x3f);
  digits = pool.toString('hex');
  used = 0;
}

export const withoutDashes = (id: string) =>
  id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18) + id.slice(19, 23) + id.slice(24);

/** Returns the time at which an id was created. */
export function uuidTime(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** Returns the smallest id of this moment or a later one: time ranges become id ranges. */
export function firstUuidAt(milliseconds: number): string {
  const hex = toHex(Math.floor(Math.max(0, Math.min(milliseconds, 0xffff_ffff_ffff))), 12);
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** Returns a UUID of version 8 that is a function of the text, so that repeated work finds what it created the first time. */
export function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
