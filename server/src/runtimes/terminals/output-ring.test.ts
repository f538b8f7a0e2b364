import { describe, expect, test } from 'vitest';
import { OutputRing } from './output-ring.ts';

const bytesOf = (from: number, count: number) =>
  Buffer.from(Array.from({ length: count }, (_, n) => from + n));

describe('the output ring', () => {
  test('an empty ring returns no bytes', () => {
    const ring = new OutputRing(10_000);
    expect([ring.start, ring.end]).toEqual([0, 0]);
    expect(ring.read(0, 100)).toEqual(Buffer.alloc(0));
    ring.append(Buffer.alloc(0));
    expect(ring.end).toBe(0);
  });

  test.each([1, 7, 4_096, 10_000, 25_000])(
    'the ring returns the last bytes, written in chunks of %i',
    (size) => {
      const ring = new OutputRing(10_000);
      const all: Buffer[] = [];
      for (let sent = 0; sent < 60_000; sent += size) {
        const piece = bytesOf(sent, size);
        all.push(piece);
        ring.append(piece);
      }
      const whole = Buffer.concat(all);
      expect([ring.start, ring.end]).toEqual([whole.length - 10_000, whole.length]);
      expect(ring.read(ring.start, 20_000).equals(whole.subarray(-10_000))).toBe(true);
      const middle = ring.start + 3_333;
      expect(ring.read(middle, 5_000).equals(whole.subarray(middle, middle + 5_000))).toBe(true);
      expect(ring.read(ring.end, 5)).toEqual(Buffer.alloc(0));
    },
  );

  test('reading returns a copy that later output does not change', () => {
    const ring = new OutputRing(4);
    ring.append(Buffer.from('abcd'));
    const read = ring.read(0, 4);
    ring.append(Buffer.from('efgh'));
    expect([read.toString(), ring.read(4, 4).toString()]).toEqual(['abcd', 'efgh']);
  });
});
