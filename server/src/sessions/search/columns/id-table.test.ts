import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { IdTable } from './id-table.ts';
import { newWords, readUuid, readUuidBytes, toUuid } from './uuid-words.ts';

const words = (id: string) => readUuid(id, newWords());

describe('ids as words', () => {
  test.each([
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    '0198c0de-1234-7abc-8def-0123456789ab',
  ])('reading and writing the id %s returns the same text', (id) => {
    expect(toUuid(words(id), 0)).toBe(id);
    const bytes = Buffer.from(`ff${id.replaceAll('-', '')}`, 'hex');
    expect(toUuid(readUuidBytes(bytes, 1, newWords()), 0)).toBe(id);
  });
});

describe('the id table', () => {
  test('the table contains added ids that were not removed, and reuses the rows of removed ones', () => {
    const table = new IdTable();
    const rows = new Map<string, number>();
    for (let step = 0; step < 20_000; step++) {
      const known = [...rows.keys()].at(step % Math.max(1, rows.size));
      if (known !== undefined && step % 3 === 0) {
        expect(table.remove(words(known))).toBe(rows.get(known));
        rows.delete(known);
      } else {
        const id = randomUUID();
        rows.set(id, table.add(words(id)));
      }
      if (rows.size > 300)
        for (const id of [...rows.keys()].slice(0, 150)) {
          table.remove(words(id));
          rows.delete(id);
        }
    }
    expect(table.size).toBe(rows.size);
    expect(new Set(rows.values()).size).toBe(rows.size);
    expect(table.rowCount).toBeLessThanOrEqual(301);
    for (const [id, row] of rows) {
      expect(table.findText(id)).toBe(row);
      expect(table.add(words(id))).toBe(row);
      expect(table.text(row)).toBe(id);
    }
    expect(table.findText(randomUUID())).toBe(-1);
    expect(table.remove(words(randomUUID()))).toBe(-1);
  });

  test('the table finds all ids after growing far, with and without reserved space', () => {
    for (const reserved of [0, 5_000]) {
      const table = new IdTable();
      table.reserve(reserved);
      const ids = Array.from({ length: 5_000 }, () => randomUUID());
      for (const [row, id] of ids.entries()) expect(table.add(words(id))).toBe(row);
      expect(ids.map((id) => table.findText(id))).toEqual(ids.map((_, row) => row));
    }
  });

  test('the table orders ids by their bytes', () => {
    const table = new IdTable();
    const ids = Array.from({ length: 500 }, () => randomUUID());
    const rows = ids.map((id) => table.add(words(id)));
    const sorted = rows.toSorted((a, b) => table.compare(a, b)).map((row) => table.text(row));
    expect(sorted).toEqual(ids.toSorted());
    expect(table.compare(3, 3)).toBe(0);
  });
});
