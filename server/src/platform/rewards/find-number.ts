/** Finds the numeric answer in a text, for rewards and for the numeric scorer of evaluations. */

const NUMBER = /[-+]?(?:(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/g;

/** The number after `####`, as in GSM8K, or else the last number of the text. Thousands may be separated by commas. */
export function findNumber(text: string): number | undefined {
  const marked = text.lastIndexOf('####');
  const numbers = numbersIn(marked >= 0 ? text.slice(marked + 4) : text);
  if (marked >= 0 && numbers.length > 0) return numbers[0];
  return marked >= 0 ? numbersIn(text.slice(0, marked)).at(-1) : numbers.at(-1);
}

/** Only the end of a longer answer is read: the number that counts is the last one. */
const MAX_READ = 100_000;

const numbersIn = (text: string) =>
  [...text.slice(-MAX_READ).matchAll(NUMBER)]
    .map(([whole]) => Number(whole.replaceAll(',', '')))
    .filter((number) => Number.isFinite(number));
