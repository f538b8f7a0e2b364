import { expect, test } from 'vitest';
import { isContinued, type Moment } from './moment.ts';

const BEFORE: Moment = { snapshot: '100:110:103,107', now_ms: 1_000, instance: 'a' };

test.each<[isKnown: boolean, what: string, later: Partial<Moment>]>([
  [true, 'nothing happened', {}],
  [true, 'time passed', { snapshot: '104:200:', now_ms: 601_000 }],
  [true, 'the oldest transaction is still running', { snapshot: '100:9000000000000000000:100' }],
  [false, 'too much time passed', { snapshot: '104:200:', now_ms: 601_001 }],
  [false, 'the database was restored', { snapshot: '90:95:' }],
  [false, 'the database was restored to a longer transaction', { snapshot: '99:300:99' }],
  [false, 'the database was restarted', { snapshot: '200:200:', instance: 'b' }],
])('isContinued returns %s when %s', (isKnown, _, later) => {
  expect(isContinued(BEFORE, { ...BEFORE, ...later })).toBe(isKnown);
});
