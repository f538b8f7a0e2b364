/** Scores an answer against an expected value: a score from 0 to 1, whether it passed, and an explanation. */
import { findNumber } from '../../../platform/rewards/find-number.ts';
import { computeReward, findRecipeProblem, type RewardRecipe } from '../../../platform/rewards/rewards.ts';
import { isComparing, type ScorerRequest } from '../../creation/schema.ts';
import type { ScoreOf } from '../../schema.ts';

export interface Expected {
  /** `dataset.expected`, filled in for the row. */
  readonly expected: string | null;
  readonly columns: Readonly<Record<string, string>> | null;
}

const MAX_SHOWN = 200;

export function scoreAll(
  scorers: readonly ScorerRequest[],
  answer: string,
  expected: Expected,
): Record<string, ScoreOf> {
  return Object.fromEntries(
    scorers.map((scorer) => [scorer.name ?? scorer.type, score(scorer, answer, expected)]),
  );
}

/** Passed when every scorer with a flag passed, and the mean of the values; both null where no scorer came to a result. */
export function combine(scores: Readonly<Record<string, ScoreOf>>): {
  passed: boolean | null;
  score: number | null;
} {
  const flags = Object.values(scores).flatMap(({ passed }) => passed ?? []);
  const values = Object.values(scores).flatMap(({ value }) => value ?? []);
  return {
    passed: flags.length === 0 ? null : flags.every(Boolean),
    score: values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length,
  };
}

function score(scorer: ScorerRequest, answer: string, { expected, columns }: Expected): ScoreOf {
  if (!isComparing(scorer)) return scoreReward(scorer.recipe, answer, columns ?? {});
  const given = scorer.value ?? (scorer.column ? columns?.[scorer.column] : expected);
  if (given === undefined || given === null) return failure('There is no expected value to compare with.');
  const wanted = String(given);
  if (scorer.type === 'exact') return scoreExact(scorer, answer, wanted);
  if (scorer.type === 'contains') return scoreContains(scorer, answer, wanted);
  return scoreNumeric(scorer, answer, wanted);
}

/** Columns are stored as text; a row without a reward has an empty one. */
function scoreReward(
  recipe: RewardRecipe,
  answer: string,
  { reward: given, ...columns }: Readonly<Record<string, string>>,
): ScoreOf {
  const row = { ...columns, ...(given && { reward: Number(given) }) };
  const problem = findRecipeProblem(recipe, row);
  if (problem !== undefined) return failure(problem);
  const { reward, metrics } = computeReward(recipe, { completion: answer, row });
  const { passed } = metrics;
  return {
    value: reward,
    passed: passed === undefined ? null : passed === 1,
    explanation: `${recipe.name} gave ${reward}.`,
    error: null,
  };
}

const failure = (error: string): ScoreOf => ({ value: null, passed: null, explanation: null, error });

const result = (isRight: boolean, explanation: string): ScoreOf => ({
  value: isRight ? 1 : 0,
  passed: isRight,
  explanation,
  error: null,
});

const show = (text: string) =>
  JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);

function scoreExact(
  { ignore_case, trim }: { readonly ignore_case: boolean; readonly trim: boolean },
  answer: string,
  wanted: string,
): ScoreOf {
  const fold = (text: string) => {
    const trimmed = trim ? text.trim() : text;
    return ignore_case ? trimmed.toLowerCase() : trimmed;
  };
  const isRight = fold(answer) === fold(wanted);
  return result(isRight, `${show(answer)} ${isRight ? 'is' : 'is not'} ${show(wanted)}.`);
}

function scoreContains(
  { ignore_case }: { readonly ignore_case: boolean },
  answer: string,
  wanted: string,
): ScoreOf {
  const fold = (text: string) => (ignore_case ? text.toLowerCase() : text);
  const isRight = fold(answer).includes(fold(wanted));
  return result(isRight, `${show(answer)} ${isRight ? 'contains' : 'does not contain'} ${show(wanted)}.`);
}

function scoreNumeric(
  { tolerance }: { readonly tolerance: number },
  answer: string,
  wanted: string,
): ScoreOf {
  const expected = findNumber(wanted);
  if (expected === undefined) return failure(`The expected value ${show(wanted)} holds no number.`);
  const found = findNumber(answer);
  if (found === undefined) return result(false, `${show(answer)} holds no number; ${expected} was expected.`);
  // A tolerance of 0.1 accepts 0.3 for 0.2, which doubles miss by 3e-17.
  const slack = Number.EPSILON * Math.max(Math.abs(found), Math.abs(expected), 1) * 4;
  const isRight = Math.abs(found - expected) <= tolerance + (tolerance > 0 ? slack : 0);
  return result(
    isRight,
    `${found} ${isRight ? 'equals' : 'does not equal'} ${expected}${tolerance > 0 ? ` within ${tolerance}` : ''}.`,
  );
}
