/** Compares with the output of Python 3.11, in this order of calls, for seeds of every size. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PythonRandom } from './python-random.ts';

interface Printed {
  readonly seed: string;
  readonly random: readonly number[];
  readonly getrandbits: readonly number[];
  readonly randint: readonly number[];
  readonly randrange: readonly number[];
  readonly choice: readonly string[];
  readonly shuffle: readonly number[];
  readonly sample: readonly (readonly number[])[];
  readonly choices: readonly string[];
  readonly weighted: readonly string[];
  /** The number drawn after 1,000 more. */
  readonly after: number;
}

const printed = JSON.parse(
  readFileSync(join(import.meta.dirname, 'python-random.json'), 'utf8'),
) as readonly Printed[];

const BITS = [0, 1, 5, 31, 32, 33, 47, 53];
const RANGES = [
  [0, 0],
  [0, 1],
  [-5, 5],
  [10, 1000],
  [0, 2 ** 40],
  [0, 2 ** 32 - 1],
] as const;
const SAMPLES = [
  [5, 2],
  [21, 5],
  [22, 5],
  [300, 4],
  [10, 10],
  [40, 6],
  [85, 6],
  [86, 6],
  [200, 20],
  [400, 20],
  [3, 0],
] as const;
const upTo = (size: number) => Array.from({ length: size }, (_, index) => index);
const letters = (text: string) => text.split('');

function draw(seed: bigint): Omit<Printed, 'seed'> {
  const random = new PythonRandom(seed);
  const shuffled = upTo(12);
  return {
    random: upTo(3).map(() => random.random()),
    getrandbits: BITS.map((count) => random.getrandbits(count)),
    randint: RANGES.map(([low, high]) => random.randint(low, high)),
    randrange: [random.randrange(7), random.randrange(3, 9)],
    choice: upTo(5).map(() => random.choice(letters('abcdefg'))),
    shuffle: (random.shuffle(shuffled), shuffled),
    sample: SAMPLES.map(([size, count]) => random.sample(upTo(size), count)),
    choices: random.choices(letters('abc'), 6),
    weighted: random.choices(letters('abcd'), 8, [0.1, 0, 0.7, 0.33]),
    after: upTo(1001)
      .map(() => random.random())
      .at(-1) as number,
  };
}

describe('PythonRandom', () => {
  test.each(printed)('draws the same as Python with the seed $seed', ({ seed, ...expected }) => {
    expect(draw(BigInt(seed))).toEqual(expected);
  });

  test('accepts a seed as a number', () => {
    expect(new PythonRandom(-7).random()).toBe(new PythonRandom(7n).random());
  });

  test('refuses arguments without a possible outcome', () => {
    const random = new PythonRandom(0);
    expect(() => random.choice([])).toThrow(RangeError);
    expect(() => random.choices([], 1)).toThrow(RangeError);
    expect(() => random.choices(['a', 'b'], 1, [0, 0])).toThrow(RangeError);
    expect(() => random.sample([1], 2)).toThrow(RangeError);
    expect(() => random.getrandbits(54)).toThrow(RangeError);
    expect(() => random.randrange(3, 3)).toThrow(RangeError);
  });
});
