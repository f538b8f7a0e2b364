/** Computes the reward of a completion by a named recipe. Optimization jobs and the `reward` scorer of evaluations use these recipes. */
import { toNumber } from '../json.ts';
import { findNumber } from './find-number.ts';

export const REWARD_RECIPES = [
  'contains_v1',
  'exact_match_v1',
  'gsm8k_v1',
  'row_reward_v1',
  'trajectory_imitation_v1',
] as const;
export type RewardRecipeName = (typeof REWARD_RECIPES)[number];

export interface RewardRecipe {
  readonly name: RewardRecipeName;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** A row of a dataset. `expected_output` and `reward` are read, null counts as absent. */
export type RewardRow = Readonly<Record<string, unknown>>;

export interface Reward {
  readonly reward: number;
  readonly metrics: Readonly<Record<string, number>>;
}

interface Inputs {
  readonly completion: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly row: RewardRow;
}

const OUTCOME_PARAMS = { reward_if_true: 'number', reward_if_false: 'number' } as const;
const EXPECTING_PARAMS = { ...OUTCOME_PARAMS, expected_output: 'text', expected: 'text' } as const;

/** `params` lists the types of the parameters that a recipe reads; it ignores others. */
const RECIPES: Readonly<
  Record<
    RewardRecipeName,
    {
      readonly params: Readonly<Record<string, 'number' | 'text'>>;
      readonly needsExpected: boolean;
      readonly compute: (inputs: Inputs) => Reward;
    }
  >
> = {
  contains_v1: {
    params: { ...OUTCOME_PARAMS, needle: 'text' },
    needsExpected: false,
    compute: (inputs) => outcome(inputs, inputs.completion.includes(textOf(inputs.params['needle']) ?? '')),
  },
  exact_match_v1: {
    params: EXPECTING_PARAMS,
    needsExpected: true,
    compute: (inputs) => outcome(inputs, isExactMatch(inputs)),
  },
  gsm8k_v1: { params: EXPECTING_PARAMS, needsExpected: true, compute: computeGsm8k },
  row_reward_v1: { params: { default: 'number' }, needsExpected: false, compute: computeRowReward },
  trajectory_imitation_v1: {
    params: EXPECTING_PARAMS,
    needsExpected: true,
    compute: (inputs) => {
      const isHit = isExactMatch(inputs);
      const given = isHit ? numberOf(inputs.row['reward']) : undefined;
      return given === undefined ? outcome(inputs, isHit) : { reward: given, metrics: { passed: 1 } };
    },
  },
};

/** Keeps sums over thousands of rows finite and sufficiently exact. */
const MAX_REWARD = 1_000_000;

const isReward = (value: unknown) => typeof value === 'number' && Math.abs(value) <= MAX_REWARD;

/** @throws {TypeError} with the sentence of `findRecipeProblem` when the recipe cannot be computed for this row */
export function computeReward(
  recipe: RewardRecipe,
  { completion, row }: { readonly completion: string; readonly row: RewardRow },
): Reward {
  const problem = findRecipeProblem(recipe, row);
  if (problem !== undefined) throw new TypeError(problem);
  return RECIPES[recipe.name].compute({ completion, params: recipe.params ?? {}, row });
}

/**
 * Checks the parameters of a recipe and, when a row is given, that the row has the fields that the recipe reads.
 * @returns a sentence that says what is wrong and what to do, or undefined
 */
export function findRecipeProblem({ name, params = {} }: RewardRecipe, row?: RewardRow): string | undefined {
  const recipe = RECIPES[name];
  for (const [param, type] of Object.entries(recipe.params)) {
    const value = params[param];
    if (isAbsent(value)) continue;
    if (type === 'number' && !isReward(toNumber(value)))
      return `The parameter "${param}" of ${name} must be a number from -${MAX_REWARD} to ${MAX_REWARD}.`;
    if (type === 'text' && textOf(value) === undefined)
      return `The parameter "${param}" of ${name} must be a text or a number.`;
  }
  if (name === 'contains_v1' && (textOf(params['needle']) ?? '') === '')
    return 'contains_v1 needs the parameter "needle": the text that a completion has to contain.';
  return row && findRowProblem({ name, params }, row);
}

function findRowProblem({ name, params = {} }: RewardRecipe, row: RewardRow): string | undefined {
  if ((name === 'row_reward_v1' || name === 'trajectory_imitation_v1') && !isAbsent(row['reward']))
    if (!isReward(numberOf(row['reward'])))
      return `The row's "reward" must be a number from -${MAX_REWARD} to ${MAX_REWARD} for ${name}.`;
  if (!RECIPES[name].needsExpected) return undefined;
  const value = findExpected(params, row);
  if (isAbsent(value))
    return `The row has no "expected_output", which ${name} compares with. Add it to the row, or to the parameters of the recipe.`;
  const text = textOf(value);
  if (text === undefined) return `The row's "expected_output" must be a text or a number for ${name}.`;
  if (name === 'gsm8k_v1' && findNumber(text) === undefined)
    return 'The "expected_output" holds no number, which gsm8k_v1 compares with.';
  return undefined;
}

function outcome({ params }: Inputs, isPassed: boolean): Reward {
  const reward = isPassed ? (numberOf(params['reward_if_true']) ?? 1) : numberOf(params['reward_if_false']);
  return { reward: reward ?? 0, metrics: { passed: isPassed ? 1 : 0 } };
}

/** A parameter, which may be called `expected` for short, takes precedence over the row. */
const findExpected = (params: Inputs['params'], row: RewardRow) =>
  params['expected_output'] ?? params['expected'] ?? row['expected_output'];

const expectedOf = ({ params, row }: Inputs) => textOf(findExpected(params, row)) ?? '';

const isExactMatch = (inputs: Inputs) => inputs.completion.trim() === expectedOf(inputs).trim();

const TOLERANCE = 1e-6;

function computeGsm8k(inputs: Inputs): Reward {
  const found = findNumber(inputs.completion);
  const expected = findNumber(expectedOf(inputs));
  const isPassed = found !== undefined && expected !== undefined && isClose(found, expected);
  const { reward, metrics } = outcome(inputs, isPassed);
  return { reward, metrics: { ...metrics, extraction_failed: found === undefined ? 1 : 0 } };
}

/** The tolerance is absolute for numbers up to 1 and relative to the larger one above. */
const isClose = (a: number, b: number) =>
  Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(a), Math.abs(b));

function computeRowReward({ params, row }: Inputs): Reward {
  const given = numberOf(row['reward']);
  return {
    reward: given ?? numberOf(params['default']) ?? 0,
    metrics: { reward_missing: given === undefined ? 1 : 0 },
  };
}

const isAbsent = (value: unknown) => value === undefined || value === null;

/** Columns of CSV files hold numbers as text, and those of Parquet files may hold them as bigint. */
function numberOf(value: unknown): number | undefined {
  const isText = typeof value === 'string' && value.trim() !== '';
  const number = isText || typeof value === 'bigint' ? Number(value) : toNumber(value);
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  // A number with more digits than a double holds is written in JSON with all of them.
  return typeof toNumber(value) === 'number' ? JSON.stringify(value) : undefined;
}
