import { describe, expect, test } from 'vitest';
import { parseExactly } from '../json.ts';
import { computeReward, findRecipeProblem, REWARD_RECIPES, type RewardRecipe } from './rewards.ts';

type Params = Readonly<Record<string, unknown>>;
type Row = Readonly<Record<string, unknown>>;

const recipe = (name: string, params?: Params) =>
  ({ name, ...(params && { params }) }) as unknown as RewardRecipe;

const passed = { passed: 1 };
const failed = { passed: 0 };

describe('computeReward', () => {
  test.each<[string, Params | undefined, string, Row, number, Params]>([
    ['contains_v1', { needle: 'fox' }, 'a fox ran', {}, 1, passed],
    ['contains_v1', { needle: 'fox' }, 'a Fox ran', {}, 0, failed],
    ['contains_v1', { needle: ' fox ' }, 'fox', {}, 0, failed],
    ['contains_v1', { needle: 42 }, 'it is 42', {}, 1, passed],
    ['contains_v1', { needle: 'x', reward_if_true: 5, reward_if_false: -1 }, 'x', {}, 5, passed],
    ['contains_v1', { needle: 'x', reward_if_true: 5, reward_if_false: -1 }, 'y', {}, -1, failed],
    ['contains_v1', { needle: 'x', reward_if_true: 0 }, 'x', {}, 0, passed],
    ['exact_match_v1', undefined, ' Paris\n', { expected_output: '\tParis ' }, 1, passed],
    ['exact_match_v1', {}, 'paris', { expected_output: 'Paris' }, 0, failed],
    ['exact_match_v1', { expected_output: 'Oslo' }, 'Oslo', { expected_output: 'Paris' }, 1, passed],
    ['exact_match_v1', { expected: 'Oslo' }, 'Oslo', { expected_output: 'Paris' }, 1, passed],
    ['exact_match_v1', { expected_output: null }, 'Paris', { expected_output: 'Paris' }, 1, passed],
    ['exact_match_v1', {}, '42', { expected_output: 42 }, 1, passed],
    ['exact_match_v1', {}, 'true', { expected_output: true }, 1, passed],
    [
      'exact_match_v1',
      {},
      '18446744073709551615',
      { expected_output: parseExactly('18446744073709551615') },
      1,
      passed,
    ],
    ['exact_match_v1', {}, '', { expected_output: '' }, 1, passed],
    ['exact_match_v1', { reward_if_true: 2 }, 'a', { expected_output: 'a', reward: 9 }, 2, passed],
    ['row_reward_v1', {}, 'any', { reward: 0.25 }, 0.25, { reward_missing: 0 }],
    ['row_reward_v1', { default: 3 }, 'any', { reward: 0 }, 0, { reward_missing: 0 }],
    ['row_reward_v1', { default: 3 }, 'any', { reward: null }, 3, { reward_missing: 1 }],
    ['row_reward_v1', undefined, 'any', {}, 0, { reward_missing: 1 }],
    ['row_reward_v1', {}, 'any', { reward: '-0.5' }, -0.5, { reward_missing: 0 }],
    ['trajectory_imitation_v1', {}, 'a ', { expected_output: 'a', reward: 0.7 }, 0.7, passed],
    ['trajectory_imitation_v1', {}, 'a', { expected_output: 'a', reward: 0 }, 0, passed],
    ['trajectory_imitation_v1', { reward_if_true: 2 }, 'a', { expected_output: 'a' }, 2, passed],
    ['trajectory_imitation_v1', {}, 'a', { expected_output: 'a' }, 1, passed],
    [
      'trajectory_imitation_v1',
      { reward_if_false: -1 },
      'b',
      { expected_output: 'a', reward: 0.7 },
      -1,
      failed,
    ],
  ])('%s with %j gives %j under %j a reward of %d', (name, params, completion, row, reward, metrics) => {
    expect(computeReward(recipe(name, params), { completion, row })).toEqual({ reward, metrics });
  });

  test.each<[string, unknown, number, number]>([
    ['so 6 * 7 = 42\n#### 42', '#### 42', 1, 0],
    ['#### 41\nno:\n#### 42, of 50', 42, 1, 0],
    ['first 41, then 42.', '42', 1, 0],
    ['#### 1,234,567', '1234567', 1, 0],
    ['it costs $1,234.50', 'steps\n#### 1234.5', 1, 0],
    ['42 ####', '42', 1, 0],
    ['0.0000009', '0', 1, 0],
    ['0.0000011', '0', 0, 0],
    ['1000000.9', '1000000', 1, 0],
    ['1000002', '1000000', 0, 0],
    ['-42', '42', 0, 0],
    ['I do not know', '42', 0, 1],
    ['', '42', 0, 1],
  ])('gsm8k_v1 reads %j against %j', (completion, expected_output, reward, extraction_failed) => {
    expect(computeReward(recipe('gsm8k_v1'), { completion, row: { expected_output } })).toEqual({
      reward,
      metrics: { passed: reward, extraction_failed },
    });
  });

  test('reads the bigint of a Parquet column as a number', () => {
    const row = { expected_output: 42n, reward: 2n };
    for (const [name, reward] of [
      ['exact_match_v1', 1],
      ['gsm8k_v1', 1],
      ['row_reward_v1', 2],
      ['trajectory_imitation_v1', 2],
    ] as const)
      expect(computeReward({ name }, { completion: '42', row })).toMatchObject({ reward });
  });

  test('throws the problem of a row for which the recipe cannot be computed', () => {
    const compute = () => computeReward(recipe('exact_match_v1'), { completion: 'a', row: {} });
    expect(compute).toThrow('The row has no "expected_output"');
  });
});

describe('findRecipeProblem', () => {
  test.each<[string, Params | undefined, Row | undefined, string]>([
    ['contains_v1', undefined, undefined, 'needs the parameter "needle"'],
    ['contains_v1', { needle: '' }, undefined, 'needs the parameter "needle"'],
    ['contains_v1', { needle: ['a'] }, undefined, '"needle" of contains_v1 must be a text or a number'],
    [
      'contains_v1',
      { needle: 'a', reward_if_true: '1' },
      undefined,
      '"reward_if_true" of contains_v1 must be a number',
    ],
    [
      'exact_match_v1',
      { reward_if_false: {} },
      undefined,
      '"reward_if_false" of exact_match_v1 must be a number',
    ],
    [
      'exact_match_v1',
      { expected_output: {} },
      undefined,
      '"expected_output" of exact_match_v1 must be a text',
    ],
    ['exact_match_v1', {}, {}, 'no "expected_output", which exact_match_v1'],
    ['exact_match_v1', {}, { expected_output: null }, 'no "expected_output"'],
    ['exact_match_v1', {}, { expected_output: ['a'] }, '"expected_output" must be a text or a number'],
    ['trajectory_imitation_v1', {}, { reward: 1 }, 'no "expected_output"'],
    ['trajectory_imitation_v1', {}, { expected_output: 'a', reward: 'high' }, '"reward" must be a number'],
    ['gsm8k_v1', {}, { question: 'a' }, 'no "expected_output"'],
    ['gsm8k_v1', {}, { expected_output: 'none' }, 'holds no number'],
    ['row_reward_v1', { default: 'a' }, undefined, '"default" of row_reward_v1 must be a number'],
    ['row_reward_v1', {}, { reward: 'high' }, '"reward" must be a number'],
    ['row_reward_v1', {}, { reward: Number.NaN }, '"reward" must be a number'],
  ])('names the problem of %s with %j and the row %j', (name, params, row, problem) => {
    expect(findRecipeProblem(recipe(name, params), row)).toContain(problem);
  });

  test('finds none when parameters and row are complete', () => {
    const row = { expected_output: '1', reward: 1 };
    for (const name of REWARD_RECIPES)
      expect(findRecipeProblem({ name, params: { needle: 'a', other: {} } }, row)).toBeUndefined();
    expect(findRecipeProblem(recipe('exact_match_v1', { expected_output: 'a' }), {})).toBeUndefined();
    expect(findRecipeProblem(recipe('exact_match_v1'))).toBeUndefined();
  });
});
