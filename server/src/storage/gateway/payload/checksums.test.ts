import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  CHECKSUM_ALGORITHMS,
  type ChecksumAlgorithm,
} from '../../../platform/object-storage/embedded/stored-object.ts';
import { createChecksum, isChecksumText, toCompositeChecksum, toFullObjectChecksum } from './checksums.ts';

const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
const CRCS = ['CRC32', 'CRC32C', 'CRC64NVME'] as const;

function checksumOf(algorithm: ChecksumAlgorithm, ...pieces: readonly Uint8Array[]): string {
  const checksum = createChecksum(algorithm);
  for (const piece of pieces) checksum.update(piece);
  return checksum.digest();
}

describe('checksums match known values', () => {
  test.each<[ChecksumAlgorithm, string, string]>([
    ['CRC32', '123456789', 'cbf43926'],
    ['CRC32C', '123456789', 'e3069283'],
    ['CRC64NVME', '123456789', 'ae8b14860a799888'],
    ['CRC32', '', '00000000'],
    ['CRC32C', '', '00000000'],
    ['CRC64NVME', '', '0000000000000000'],
    ['CRC32C', '\0'.repeat(32), '8a9136aa'],
    ['CRC64NVME', '\0'.repeat(4096), '6482d367eb22b64e'],
    ['CRC32C', 'a'.repeat(66_560), 'b0e3bcfd'],
    ['SHA1', 'abc', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
    ['SHA256', 'abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ])('%s', (algorithm, text, hex) => {
    expect(checksumOf(algorithm, Buffer.from(text))).toBe(base64(hex));
  });
});

describe.each(CHECKSUM_ALGORITHMS)('%s', (algorithm) => {
  const bytes = randomBytes(10_000);
  const whole = checksumOf(algorithm, bytes);

  test('a checksum does not depend on how the content is split or aligned in memory', () => {
    for (const cut of [1, 3, 7, 8, 9, 64, 4093]) {
      const pieces = [];
      for (let at = 0; at < bytes.length; at += cut) pieces.push(bytes.subarray(at, at + cut));
      expect(checksumOf(algorithm, ...pieces)).toBe(whole);
    }
  });

  test('a checksum changes with every bit', () => {
    for (const at of [0, 1, 5000, 9998, 9999])
      for (const bit of [1, 128]) {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ bit;
        expect(checksumOf(algorithm, changed)).not.toBe(whole);
      }
  });

  test('isChecksumText refuses text that cannot be a checksum', () => {
    expect(isChecksumText(algorithm, whole)).toBe(true);
    for (const text of ['', whole.slice(1), `${whole}=`, ` ${whole}`, `${whole.slice(0, -1)}-`, 'AAA='])
      expect(isChecksumText(algorithm, text)).toBe(false);
  });

  test("a composite checksum is the checksum of the parts' checksums, with their number", () => {
    const parts = [bytes.subarray(0, 5000), bytes.subarray(5000)].map((part) => ({
      value: checksumOf(algorithm, part),
      sizeBytes: part.length,
    }));
    const together = Buffer.concat(parts.map(({ value }) => Buffer.from(value, 'base64')));
    expect(toCompositeChecksum(algorithm, parts)).toBe(`${checksumOf(algorithm, together)}-2`);
  });
});

test('a composite SHA-256 matches the AWS documentation', () => {
  const parts = ['a', 'b'].map((text) => createHash('sha256').update(text).digest());
  const expected = createHash('sha256').update(Buffer.concat(parts)).digest('base64');
  const given = parts.map((part) => ({ value: part.toString('base64'), sizeBytes: 1 }));
  expect(toCompositeChecksum('SHA256', given)).toBe(`${expected}-2`);
});

describe.each(CRCS)('combining %s checksums', (algorithm) => {
  test.each([
    [[10_000]],
    [[5000, 5000]],
    [[1, 9999]],
    [[9999, 1]],
    [[0, 10_000, 0]],
    [[3000, 3000, 3000, 1000]],
    [[1, 2, 3, 9994]],
  ])('a full-object checksum is combined from parts of %j bytes', (sizes) => {
    const bytes = randomBytes(10_000);
    let at = 0;
    const parts = sizes.map((sizeBytes) => {
      at += sizeBytes;
      return { value: checksumOf(algorithm, bytes.subarray(at - sizeBytes, at)), sizeBytes };
    });
    expect(toFullObjectChecksum(algorithm, parts)).toBe(checksumOf(algorithm, bytes));
  });

  test('combining ten thousand parts, and very large ones, is fast', () => {
    const value = checksumOf(algorithm, Buffer.from('x'));
    const started = process.cpuUsage();
    const many = Array.from({ length: 10_000 }, () => ({ value, sizeBytes: 5 * 2 ** 20 }));
    expect(toFullObjectChecksum(algorithm, many)).not.toBe(value);
    expect(toFullObjectChecksum(algorithm, [{ value, sizeBytes: 5 * 2 ** 40 }])).toBe(value);
    expect(process.cpuUsage(started).user).toBeLessThan(10_000_000);
  });

  test('combining ten thousand parts of different sizes does not block the event loop', () => {
    const value = checksumOf(algorithm, Buffer.from('x'));
    const parts = Array.from({ length: 10_000 }, (_, index) => ({ value, sizeBytes: 5 * 2 ** 30 - index }));
    const started = process.cpuUsage();
    toFullObjectChecksum(algorithm, parts);
    expect(process.cpuUsage(started).user).toBeLessThan(1_000_000);
  });
});

test('combining hashes throws an error', () => {
  expect(() => toFullObjectChecksum('SHA256', [])).toThrow('cannot be computed');
});
