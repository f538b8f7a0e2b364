/** The CRC of a whole from the CRCs of its parts, without the bytes. */

/** Reflected, as this kind of CRC is written; the highest bit is the constant term. */
export interface CrcKind {
  readonly bits: bigint;
  readonly polynomial: bigint;
}

export const CRC32: CrcKind = { bits: 32n, polynomial: 0xedb88320n };
export const CRC32C: CrcKind = { bits: 32n, polynomial: 0x82f63b78n };
export const CRC64NVME: CrcKind = { bits: 64n, polynomial: 0x9a6c9329ac4bc9b5n };

export interface CrcPart {
  readonly crc: bigint;
  readonly sizeBytes: number;
}

/** Each part's CRC is moved over the bytes that follow it: multiplied by x to the power of their bits. */
export function combineCrcs(kind: CrcKind, parts: readonly CrcPart[]): bigint {
  const shifts = new Map<number, bigint>();
  let whole = 0n;
  for (const { crc, sizeBytes } of parts) {
    // All parts but the last are mostly of one size.
    const shift = shifts.get(sizeBytes) ?? shiftBy(kind, sizeBytes);
    shifts.set(sizeBytes, shift);
    whole = multiply(kind, shift, whole) ^ crc;
  }
  return whole;
}

/** x to the power of eight times as many, modulo the polynomial. */
function shiftBy(kind: CrcKind, sizeBytes: number): bigint {
  const one = 1n << (kind.bits - 1n);
  let result = one;
  let power = one >> 8n; // x to the power of eight
  for (let rest = sizeBytes; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = multiply(kind, power, result);
    power = multiply(kind, power, power);
  }
  return result;
}

function multiply({ bits, polynomial }: CrcKind, a: bigint, b: bigint): bigint {
  let product = 0n;
  let shifted = b;
  for (let bit = 1n << (bits - 1n); bit > 0n; bit >>= 1n) {
    if (a & bit) product ^= shifted;
    shifted = shifted & 1n ? (shifted >> 1n) ^ polynomial : shifted >> 1n;
  }
  return product;
}
