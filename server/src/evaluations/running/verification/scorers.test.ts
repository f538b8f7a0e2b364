import { expect, test } from 'vitest';
import { scoreAll } from './scorers.ts';

test.each([
  ['the answer is 42', '42', 0, true],
  ['41', '42', 0, false],
  ['42 apples', '41 apples', 0, false],
  ['#### 1,000', '1000', 0, true],
  ['0.3', '0.2', 0.1, true],
  ['none', '0', 0, false],
])('numeric compares %j with %j within %d', (answer, expected, tolerance, passed) => {
  const { numeric } = scoreAll([{ type: 'numeric', tolerance }], answer, { expected, columns: null });
  expect(numeric).toMatchObject({ passed, value: passed ? 1 : 0, error: null });
});

test.each([
  [
    { name: 'row_reward_v1' as const, params: {} },
    { reward: '0.25' },
    { value: 0.25, passed: null, error: null },
  ],
  [{ name: 'row_reward_v1' as const, params: { default: 2 } }, {}, { value: 2, passed: null, error: null }],
  [
    { name: 'exact_match_v1' as const, params: {} },
    { expected_output: '42' },
    { value: 1, passed: true, error: null },
  ],
  [
    { name: 'exact_match_v1' as const, params: {} },
    {},
    { value: null, passed: null, error: expect.stringContaining('"expected_output"') },
  ],
])('reward scores by the recipe %j', (recipe, columns, score) => {
  const { reward } = scoreAll([{ type: 'reward', recipe }], '42', { expected: null, columns });
  expect(reward).toMatchObject(score);
});
