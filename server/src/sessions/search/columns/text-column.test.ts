import { expect, test } from 'vitest';
import { Random } from '../../../../fuzz/random.ts';
import { TextColumn } from './text-column.ts';

const WORDS = ['ab', 'ba', 'ä', '😀', 'aaa', ' ', '\uFFFF', ''];

function find(column: TextColumn, part: string, rows: number): number[] {
  const marks = new Uint8Array(rows);
  for (const _ of column.mark(Buffer.from(part), marks));
  return [...marks].flatMap((mark, row) => (mark ? row : []));
}

test('search finds texts after replacements and removals', () => {
  const random = new Random('texts', 1);
  const column = new TextColumn();
  const texts = new Map<number, string>();
  const make = () => Array.from({ length: random.integer(0, 5) }, () => random.pick(WORDS)).join('');
  for (let step = 0; step < 3_000; step++) {
    const row = random.integer(0, 199);
    const text = make();
    const bytes = Buffer.from(`..${text}.`);
    if (!texts.has(row)) column.add(row, bytes, 2, bytes.length - 1);
    else if (random.chance(0.3)) {
      column.remove(row);
      texts.delete(row);
      continue;
    } else column.replace(row, bytes, 2, bytes.length - 1);
    texts.set(row, text);
  }
  for (const part of ['a', 'ab', 'aa', 'ä', '😀', 'b', ' ', 'abba', 'zebra']) {
    const expected = [...texts].flatMap(([row, text]) => (text.includes(part) ? row : []));
    expect(find(column, part, 200)).toEqual(expected.toSorted((a, b) => a - b));
  }
});

test('search finds nothing that spans two texts or two blocks', () => {
  const column = new TextColumn();
  const long = Buffer.from('x'.repeat(1_500_000));
  for (let row = 0; row < 9; row++) column.add(row, long, 0, long.length);
  column.add(9, Buffer.from('yz'), 0, 2);
  column.add(10, Buffer.from('zy'), 0, 2);
  expect(find(column, 'xx', 11)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(find(column, 'xy', 11)).toEqual([]);
  expect(find(column, 'zz', 11)).toEqual([]);
  expect(find(column, 'zy', 11)).toEqual([10]);
  expect(column.bytes).toBeGreaterThan(9 * long.length);
});

test('few texts need little memory, and replaced texts wear the column out', () => {
  const column = new TextColumn();
  column.add(0, Buffer.from('one'), 0, 3);
  expect(column.bytes).toBeLessThan(6_000);
  const texts = ['a', 'b'].map((letter) => Buffer.from(letter.repeat(1_000_000)));
  for (let step = 0; step < 3; step++) {
    expect(column.isWorn).toBe(false);
    column.replace(0, texts[step % 2] as Buffer, 0, 1_000_000);
  }
  expect(column.isWorn).toBe(true);
});

test('replacing a text with the same text does not store it again', () => {
  const column = new TextColumn();
  const text = Buffer.from('a'.repeat(1_000_000));
  column.add(0, text, 0, text.length);
  const { bytes } = column;
  for (let step = 0; step < 10; step++) column.replace(0, text, 0, text.length);
  expect(column.bytes).toBe(bytes);
  expect(column.isWorn).toBe(false);
});
