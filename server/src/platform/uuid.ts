import { randomFillSync } from 'node:crypto';

/** Randomness is fetched for many ids at once: a call into the kernel for each would cost more than all the rest. */
const pool = Buffer.alloc(8 * 512);
let used = pool.length;

let moment = 0;
let counter = 0;
const MAX_COUNTER = 0xfff;

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
  const bytes = Buffer.allocUnsafe(16);
  bytes.writeUIntBE(moment, 0, 6);
  bytes.writeUInt16BE(0x7000 | counter, 6);
  pool.copy(bytes, 8, used, used + 8);
  used += 8;
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return format(bytes);
}

/** When an id was made. */
export function uuidTime(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** The smallest id that was made at that moment or later: bounds of time become bounds of ids. */
export function firstUuidAt(milliseconds: number): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(Math.max(0, Math.min(milliseconds, 0xffff_ffff_ffff)), 0, 6);
  return format(bytes);
}

function format(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
