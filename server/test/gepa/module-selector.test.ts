import { expect, test } from 'vitest';
import { selectComponents } from '../../src/platform/optimizer/module-selector.ts';
import { Pool } from '../../src/platform/optimizer/pool.ts';

function grow() {
  const pool = new Pool();
  const rows = [{ id: 0, score: 0 }];
  const candidate = { first: 'a', second: 'b', third: 'c' };
  pool.add(candidate, [], rows);
  return { pool, add: (...parents: number[]) => pool.at(pool.add(candidate, parents, rows)) };
}

test('selectComponents rotates through the components with round_robin, separately for each candidate', () => {
  const { pool, add } = grow();
  const seed = pool.at(0);
  const next = () => selectComponents('round_robin', seed)[0];
  expect([next(), next(), next(), next()]).toEqual(['first', 'second', 'third', 'first']);
  const child = add(0);
  expect(selectComponents('round_robin', child)).toEqual(['second']);
  expect(next()).toBe('second');
});

test('selectComponents continues after the parent that is further ahead when there are two', () => {
  const { pool, add } = grow();
  add(0);
  selectComponents('round_robin', pool.at(1));
  selectComponents('round_robin', pool.at(1));
  expect(selectComponents('round_robin', add(0, 1))).toEqual(['third']);
});

test('selectComponents returns every component with all, and keeps the pointer', () => {
  const { pool } = grow();
  expect(selectComponents('all', pool.at(0))).toEqual(['first', 'second', 'third']);
  expect(selectComponents('round_robin', pool.at(0))).toEqual(['first']);
});
