import { randomFillSync } from 'node:crypto';

/** A UUIDv7: 48 bits of milliseconds, then randomness, so that ids of one table grow with time. */
export function uuidv7(now = Date.now()): string {
  const bytes = randomFillSync(Buffer.allocUnsafe(16));
  bytes.writeUIntBE(now, 0, 6);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return format(bytes);
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
