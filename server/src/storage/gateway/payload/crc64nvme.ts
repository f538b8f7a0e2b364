/** CRC-64/NVME, eight bytes at a time, in two halves of 32 bits. */

const POLYNOMIAL = 0x9a6c9329ac4bc9b5n;

/** A checksum in two halves, each a signed integer of 32 bits. */
export interface Crc64 {
  readonly high: number;
  readonly low: number;
}

/** Eight tables of 256 entries: the effect of a byte on the checksum when 0 to 7 more bytes follow it. */
const HIGH = new Int32Array(8 * 256);
const LOW = new Int32Array(8 * 256);
for (let byte = 0; byte < 256; byte += 1) {
  let value = BigInt(byte);
  for (let bit = 0; bit < 8; bit += 1) value = value & 1n ? (value >> 1n) ^ POLYNOMIAL : value >> 1n;
  HIGH[byte] = Number(value >> 32n);
  LOW[byte] = Number(value & 0xffffffffn);
}
for (let index = 256; index < HIGH.length; index += 1) {
  const last = low(index - 256) & 0xff;
  HIGH[index] = (high(index - 256) >>> 8) ^ high(last);
  LOW[index] = ((low(index - 256) >>> 8) | (high(index - 256) << 24)) ^ low(last);
}

const NOTHING: Crc64 = { high: 0, low: 0 };

/** @param before checksum of the preceding bytes */
export function crc64nvme(bytes: Uint8Array, before = NOTHING): Crc64 {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.length - (bytes.length % 8);
  let upper = ~before.high;
  let lower = ~before.low;
  for (let at = 0; at < end; at += 8) {
    const first = lower ^ view.getInt32(at, true);
    const second = upper ^ view.getInt32(at + 4, true);
    const a = 0x700 + (first & 0xff);
    const b = 0x600 + ((first >>> 8) & 0xff);
    const c = 0x500 + ((first >>> 16) & 0xff);
    const d = 0x400 + (first >>> 24);
    const e = 0x300 + (second & 0xff);
    const f = 0x200 + ((second >>> 8) & 0xff);
    const g = 0x100 + ((second >>> 16) & 0xff);
    const h = second >>> 24;
    upper = high(a) ^ high(b) ^ high(c) ^ high(d) ^ high(e) ^ high(f) ^ high(g) ^ high(h);
    lower = low(a) ^ low(b) ^ low(c) ^ low(d) ^ low(e) ^ low(f) ^ low(g) ^ low(h);
  }
  for (const byte of bytes.subarray(end)) {
    const index = (lower ^ byte) & 0xff;
    lower = ((lower >>> 8) | (upper << 24)) ^ low(index);
    upper = (upper >>> 8) ^ high(index);
  }
  return { high: ~upper, low: ~lower };
}

function high(index: number): number {
  return HIGH[index] as number;
}

function low(index: number): number {
  return LOW[index] as number;
}
