/** Combines the CRCs of parts to the CRC of the whole without its bytes. */

/** Two 32-bit halves as signed integers; 32-bit CRCs use only the lower one. */
export interface Crc {
  readonly high: number;
  readonly low: number;
}

/** Reflected form, in which the highest bit is the constant term. */
export interface CrcKind {
  readonly isWide: boolean;
  readonly polynomial: Crc;
  /** x to the power of eight times 1, 2, 4, 8 …: the effect of that many following bytes on a CRC. */
  readonly shifts: readonly Crc[];
}

export interface CrcPart {
  readonly crc: Crc;
  readonly sizeBytes: number;
}

export const CRC32 = toKind(false, { high: 0, low: 0xedb88320 });
export const CRC32C = toKind(false, { high: 0, low: 0x82f63b78 });
export const CRC64NVME = toKind(true, { high: 0x9a6c9329, low: 0xac4bc9b5 });

/** Shifts each part's CRC by the number of bytes that follow it. */
export function combineCrcs(kind: CrcKind, parts: readonly CrcPart[]): Crc {
  let whole: Crc = { high: 0, low: 0 };
  for (const { crc, sizeBytes } of parts) {
    let rest = sizeBytes;
    for (const shift of kind.shifts) {
      if (rest === 0) break;
      if (rest % 2 === 1) whole = multiply(kind, shift, whole);
      rest = Math.floor(rest / 2);
    }
    whole = { high: whole.high ^ crc.high, low: whole.low ^ crc.low };
  }
  return whole;
}

function toKind(isWide: boolean, polynomial: Crc): CrcKind {
  const kind = { isWide, polynomial };
  const x8 = 0x80_00_00_00 >>> 8;
  let shift: Crc = isWide ? { high: x8, low: 0 } : { high: 0, low: x8 };
  // One shift per bit of a safe integer.
  const shifts = Array.from({ length: 53 }, () => {
    const current = shift;
    shift = multiply(kind, shift, shift);
    return current;
  });
  return { ...kind, shifts };
}

/** Multiplies modulo the polynomial. */
function multiply({ isWide, polynomial }: Omit<CrcKind, 'shifts'>, a: Crc, b: Crc): Crc {
  let high = 0;
  let low = 0;
  let { high: shiftedHigh, low: shiftedLow } = b;
  for (const half of isWide ? [a.high, a.low] : [a.low])
    for (let bit = 31; bit >= 0; bit -= 1) {
      // All ones or all zeros, which avoids an unpredictable branch.
      const isSet = -((half >>> bit) & 1);
      high ^= shiftedHigh & isSet;
      low ^= shiftedLow & isSet;
      const carry = -(shiftedLow & 1);
      shiftedLow = ((shiftedLow >>> 1) | (shiftedHigh << 31)) ^ (polynomial.low & carry);
      shiftedHigh = (shiftedHigh >>> 1) ^ (polynomial.high & carry);
    }
  return { high, low };
}
