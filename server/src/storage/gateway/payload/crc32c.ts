/** CRC-32C (Castagnoli), eight bytes at a time. */

const POLYNOMIAL = 0x82f63b78;

/** Eight tables of 256 entries: the effect of a byte on the checksum when 0 to 7 more bytes follow it. */
const TABLES = new Int32Array(8 * 256);
for (let byte = 0; byte < 256; byte += 1) {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
  TABLES[byte] = value;
}
for (let index = 256; index < TABLES.length; index += 1) {
  const before = after(index - 256);
  TABLES[index] = (before >>> 8) ^ after(before & 0xff);
}

/** @param before checksum of the preceding bytes */
export function crc32c(bytes: Uint8Array, before = 0): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.length - (bytes.length % 8);
  let crc = ~before;
  for (let at = 0; at < end; at += 8) {
    const first = crc ^ view.getInt32(at, true);
    const second = view.getInt32(at + 4, true);
    crc =
      after(0x700 + (first & 0xff)) ^
      after(0x600 + ((first >>> 8) & 0xff)) ^
      after(0x500 + ((first >>> 16) & 0xff)) ^
      after(0x400 + (first >>> 24)) ^
      after(0x300 + (second & 0xff)) ^
      after(0x200 + ((second >>> 8) & 0xff)) ^
      after(0x100 + ((second >>> 16) & 0xff)) ^
      after(second >>> 24);
  }
  for (const byte of bytes.subarray(end)) crc = (crc >>> 8) ^ after((crc ^ byte) & 0xff);
  return ~crc >>> 0;
}

function after(index: number): number {
  return TABLES[index] as number;
}
