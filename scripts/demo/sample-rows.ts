/**
 * Rows for an optimization without a provider: small questions that `sim/instructed` can solve, and answers in a form that it gives
 * only where its instructions say so. Calculations need one rule; each of the other kinds needs that rule and one of its own.
 */

export interface SampleRow {
  readonly input: string;
  readonly expected_output: string;
}

const WORDS = [
  'anchor',
  'ballast',
  'cargo',
  'dock',
  'engine',
  'funnel',
  'galley',
  'harbour',
  'island',
  'keel',
];

/** @param index of the row: the same index gives the same row */
const word = (index: number) => WORDS[index % WORDS.length] ?? '';

/** Two of five rows are calculations, so that most minibatches show what the rule for all kinds is worth. */
const MAKERS: readonly ((index: number) => SampleRow)[] = [
  (index) => ({ input: `What is ${index + 17} + ${index * 3 + 25}?`, expected_output: `${index * 4 + 42}` }),
  (index) => ({
    input: `Reverse the word "${word(index)}".`,
    expected_output: Array.from(word(index)).toReversed().join('').toUpperCase(),
  }),
  (index) => ({
    input: `What is ${index + 3} * ${index + 5}?`,
    expected_output: `${(index + 3) * (index + 5)}`,
  }),
  (index) => {
    const words = Array.from({ length: 2 + (index % 5) }, (_, at) => word(index + at));
    return {
      input: `How many words are in "${words.join(' ')}"?`,
      expected_output: `${words.length} words`,
    };
  },
  (index) => {
    const [low, middle, high] = [index + 2, index * 2 + 11, index * 3 + 40];
    return {
      input: `Sort the numbers ${middle}, ${high}, ${low} in ascending order.`,
      expected_output: `${low}, ${middle}, ${high}`,
    };
  },
];

export const sampleRows = (count: number): SampleRow[] =>
  Array.from({ length: count }, (_, index) => MAKERS[index % MAKERS.length]?.(index)).filter(
    (row) => row !== undefined,
  );
