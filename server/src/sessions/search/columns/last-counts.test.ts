import { expect, test } from 'vitest';
import type { FacetCounts } from '../facet-counts.ts';
import { LastCounts } from './last-counts.ts';
import { SessionColumns } from './session-columns.ts';

const countsOf = (agents: number): FacetCounts => ({
  agents: new Map(Array.from({ length: agents }, (_, index) => [`agent-${index}`, 1])),
  models: new Map(),
  origins: new Map(),
  group_kinds: new Map(),
  group_statuses: new Map(),
  users: new Map(),
  labels: new Map(),
});

test('counts are cached for the same query until the columns change', () => {
  const [last, columns, counts] = [new LastCounts(), new SessionColumns(), countsOf(3)];
  expect(last.keep(columns, 'one', counts)).toBe(counts);
  expect(last.find(columns, 'one')).toBe(counts);
  expect(last.find(columns, 'another')).toBeUndefined();
  expect(last.find(new SessionColumns(), 'one')).toBeUndefined();
  columns.putGroup(new Uint32Array(4), 'workflow', null);
  expect(last.find(columns, 'one')).toBeUndefined();
});

test('only few counts are cached, and no large ones', () => {
  const [last, columns] = [new LastCounts(), new SessionColumns()];
  last.keep(columns, 'large', countsOf(2_001));
  expect(last.find(columns, 'large')).toBeUndefined();
  for (let number = 0; number < 17; number++) last.keep(columns, String(number), countsOf(1));
  expect(last.find(columns, '0')).toBeUndefined();
  expect(last.find(columns, '16')).toBeDefined();
});
