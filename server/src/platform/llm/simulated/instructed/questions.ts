/** Small questions that `sim/instructed` can solve, each of one kind. */

export const KINDS = ['calculations', 'counts', 'words', 'lists'] as const;
export type Kind = (typeof KINDS)[number];

export interface Solved {
  readonly kind: Kind;
  /** Result: one entry, or several for the kind `lists`. */
  readonly entries: readonly string[];
  /** The counted unit, for `counts`. */
  readonly unit: string;
  readonly steps: string;
}

// Every repetition is bounded, so that a megabyte of text is processed in linear time.
const NUMBER = String.raw`-?\d{1,9}(?:\.\d{1,6})?`;
const QUOTED = '["“]([^"”]{1,1000})["”]';
const CALCULATION = new RegExp(
  String.raw`\b(?:what is|calculate|compute)\s{1,3}(${NUMBER})\s{0,3}([-+*/])\s{0,3}(${NUMBER})`,
  'i',
);
const COUNT = new RegExp(String.raw`\bhow many (words|letters)\b[^"“]{0,40}${QUOTED}`, 'i');
const REVERSAL = new RegExp(String.raw`\breverse\b[^"“]{0,40}${QUOTED}`, 'i');
const SORTING = new RegExp(
  String.raw`\bsort\b[^\d\n-]{0,60}(${NUMBER}(?:(?:,|,?\s{1,3}(?:and\s{1,3})?)${NUMBER}){1,100})`,
  'i',
);

/** Solves the first question of the text by kind, in the order of `KINDS`; undefined when there is none. */
export const solve = (text: string): Solved | undefined =>
  calculate(text) ?? count(text) ?? reverse(text) ?? sort(text);

function calculate(text: string): Solved | undefined {
  const [, left = '', operator = '', right = ''] = CALCULATION.exec(text) ?? [];
  const [a, b] = [Number(left), Number(right)];
  const result = { '+': a + b, '-': a - b, '*': a * b, '/': a / b }[operator];
  if (result === undefined || !Number.isFinite(result)) return undefined;
  // Twelve digits hide rounding errors of doubles, as in 0.1 + 0.2.
  const entry = String(Number(result.toPrecision(12)));
  const steps = `${left} ${operator} ${right} = ${entry}`;
  return { kind: 'calculations', entries: [entry], unit: '', steps };
}

function count(text: string): Solved | undefined {
  const [, unit = '', quoted = ''] = COUNT.exec(text) ?? [];
  if (unit === '') return undefined;
  const counted = quoted.match(unit.toLowerCase() === 'words' ? /\S+/g : /\p{L}/gu) ?? [];
  const steps = counted.map((one, index) => `${index + 1} ${one}`).join(', ');
  return { kind: 'counts', entries: [String(counted.length)], unit: unit.toLowerCase(), steps };
}

function reverse(text: string): Solved | undefined {
  const quoted = REVERSAL.exec(text)?.[1];
  if (quoted === undefined) return undefined;
  const letters = Array.from(quoted).toReversed();
  return { kind: 'words', entries: [letters.join('')], unit: '', steps: letters.join('-') };
}

function sort(text: string): Solved | undefined {
  const listed = SORTING.exec(text)?.[1]?.match(new RegExp(NUMBER, 'g'));
  if (!listed) return undefined;
  const entries = listed.toSorted((a, b) => Number(a) - Number(b));
  return { kind: 'lists', entries, unit: '', steps: entries.join(' < ') };
}

const FILE = /\b(?:file|named|called|in|into|to|as) [`"']?([\w./-]{0,150}\.[a-z][a-z0-9]{0,7})\b/i;

/** Finds the file that a task names, with its extension: `answer.txt` in "Save the answer in the file answer.txt." */
export const findFile = (text: string): string | undefined => FILE.exec(text)?.[1];
