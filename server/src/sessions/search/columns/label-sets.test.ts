import { expect, test } from 'vitest';
import { LabelSets } from './label-sets.ts';

const LABELS = [
  {},
  { team: ['red'] },
  { team: ['red', 'blue'], run: ['1'] },
  { run: ['1'], team: ['blue', 'red'] },
  { team: [], run: ['1'] },
  { 'a:b': ['c'], '': [''] },
];

function makeSets() {
  const sets = new LabelSets();
  const numbers = LABELS.map((labels) => sets.add(JSON.stringify(labels)));
  return { sets, numbers };
}

test('equal labels share a set, however they are serialized', () => {
  const { sets, numbers } = makeSets();
  expect(numbers).toEqual([0, 1, 2, 2, 3, 4]);
  expect(LABELS.map((labels) => sets.add(JSON.stringify(labels)))).toEqual(numbers);
  for (let number = 0; number < 5_000; number++) sets.add(JSON.stringify({ run: [String(number)] }));
  expect(LABELS.map((labels) => sets.add(JSON.stringify(labels)))).toEqual(numbers);
});

test.each([
  { filters: [{ key: 'team', values: ['red'] }], matched: [1, 2] },
  { filters: [{ key: 'team', values: ['blue', 'none'] }], matched: [2] },
  { filters: [{ key: 'run', values: ['1'] }], matched: [2, 3] },
  {
    filters: [
      { key: 'run', values: ['1'] },
      { key: 'team', values: ['red', 'blue'] },
    ],
    matched: [2],
  },
  {
    filters: [
      { key: 'a:b', values: ['c'] },
      { key: '', values: [''] },
    ],
    matched: [4],
  },
  { filters: [{ key: 'nothing', values: ['c'] }], matched: [] },
  { filters: [{ key: 'team', values: [] }], matched: [] },
])('label sets match $filters', ({ filters, matched }) => {
  const found = [...makeSets().sets.match(filters)].flatMap((isMatched, set) => (isMatched ? set : []));
  expect(found).toEqual(matched);
});

test('label sets count sessions by key and value', () => {
  const { sets } = makeSets();
  expect(sets.toCounts(Int32Array.of(5, 1, 10, 100, 0))).toEqual(
    new Map([
      [
        'team',
        new Map([
          ['red', 11],
          ['blue', 10],
        ]),
      ],
      ['run', new Map([['1', 110]])],
    ]),
  );
});

test('label sets are worn when most of them are unused', () => {
  const sets = new LabelSets();
  for (let number = 0; number < 30_000; number++)
    sets.use(sets.add(JSON.stringify({ run: [String(number)] })));
  expect(sets.isWorn).toBe(false);
  for (let set = 1; set < 20_000; set++) sets.leave(set);
  expect(sets.isWorn).toBe(true);
  for (let set = 1; set < 20_000; set++) sets.use(set);
  expect(sets.isWorn).toBe(false);
});

test('the size includes the cached texts, and long texts are not cached', () => {
  const sets = new LabelSets();
  const write = (length: number, space: number) =>
    sets.add(`{${' '.repeat(space)}"run": ["${'x'.repeat(length)}"]}`);
  write(10, 0);
  const { bytes } = sets;
  for (let space = 1; space <= 100; space++) write(10, space);
  expect(sets.count).toBe(2);
  expect(sets.bytes - bytes).toBeGreaterThan(100 * 2 * 20);
  const before = sets.bytes;
  for (let space = 1; space <= 100; space++) write(10, 1_000 + space);
  expect(sets.bytes).toBe(before);
});
