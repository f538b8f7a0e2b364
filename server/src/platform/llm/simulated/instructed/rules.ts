/**
 * Rules that `sim/instructed` follows when its instructions contain them, and that `sim/reflector` adds to instructions. A sentence that
 * begins with a kind of question, as in "For lists, …", applies to that kind only.
 */
import { KINDS, type Kind, type Solved } from './questions.ts';

interface Rule {
  /** Sentence written by `sim/reflector`. */
  readonly sentence: string;
  /** Recognizes a sentence that states the rule, in these or similar words. */
  readonly pattern: RegExp;
  /** Written without a kind; other rules name the kind of question that needs them. */
  readonly isGeneral?: true;
}

const RULES = {
  result_only: {
    sentence: 'Answer with the result only.',
    pattern: /\b(?:only|just) the (?:result|answer)\b|\b(?:result|answer) (?:only|alone)\b/i,
    isGeneral: true,
  },
  save: {
    sentence: 'Save the result in the file that the task names.',
    pattern: /\b(?:save|store|write|put)\b.{0,60}\bfile\b/i,
    isGeneral: true,
  },
  largest_first: {
    sentence: 'Put the largest number first.',
    pattern: /\b(?:largest|highest)(?: \w{1,20})? first\b|\bdescending\b/i,
  },
  commas: {
    sentence: 'Separate the entries with commas.',
    pattern: /\bseparate\b.{0,60}\bcommas?\b|\bcomma-separated\b/i,
  },
  upper_case: {
    sentence: 'Write the result in upper case.',
    pattern: /\bupper[- ]?case\b|\bcapital letters\b/i,
  },
  unit: {
    sentence: 'Name what was counted after the number.',
    pattern: /\bname what (?:was|is) counted\b/i,
  },
  mark: {
    sentence: 'Put #### before the result.',
    pattern: /\b(?:put|write|add)\b.{0,20}####/i,
  },
  period: {
    sentence: 'End the answer with a period.',
    pattern: /\bend\b.{0,40}\b(?:period|full stop)\b/i,
  },
  steps: {
    sentence: 'Show the steps first.',
    pattern: /\bshow\b.{0,40}\bsteps\b/i,
  },
} satisfies Record<string, Rule>;

export type RuleName = keyof typeof RULES;
export const RULE_NAMES = Object.keys(RULES) as readonly RuleName[];

const SCOPE = /^for ([^,:]{1,80})[,:]/i;
const EVERY_KIND = /\b(?:all|any|each|every|example)\b/i;
const NEGATION = /\b(?:do not|don't|never)\b/i;

/** Reads the rules that the instructions contain for questions of this kind. */
export function readRules(instructions: string, kind: Kind): Set<RuleName> {
  const sentences = instructions
    .split(/\n|(?<=[.!?])\s/)
    .map((sentence) => sentence.replace(/^[\s>*+-]{1,20}|^\s{0,20}\d{1,3}[.)]\s{1,20}/, ''))
    .filter((sentence) => isFor(kind, SCOPE.exec(sentence)?.[1]?.toLowerCase()));
  return new Set(RULE_NAMES.filter((name) => sentences.some((sentence) => states(sentence, RULES[name]))));
}

/** "For lists and words" names two kinds, "for every question" all, and "for dates" none. */
function isFor(kind: Kind, scope: string | undefined): boolean {
  if (scope === undefined || scope.includes(kind)) return true;
  return !KINDS.some((other) => scope.includes(other)) && EVERY_KIND.test(scope);
}

function states(sentence: string, { pattern }: Rule): boolean {
  const found = pattern.exec(sentence);
  return found !== null && !NEGATION.test(sentence.slice(0, found.index));
}

/** @param kind of the question that needs the rule */
export function writeRule(name: RuleName, kind: Kind): string {
  const { sentence, isGeneral }: Rule = RULES[name];
  return isGeneral ? sentence : `For ${kind}, ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
}

export interface Reply {
  /** Content to save in a file. */
  readonly result: string;
  readonly answer: string;
}

export function reply({ kind, entries, unit, steps }: Solved, rules: ReadonlySet<RuleName>): Reply {
  const ordered = kind === 'lists' && rules.has('largest_first') ? entries.toReversed() : entries;
  const joined = ordered.join(rules.has('commas') ? ', ' : ' ');
  const named = rules.has('unit') && unit !== '' ? `${joined} ${unit}` : joined;
  const cased = rules.has('upper_case') ? named.toUpperCase() : named;
  const result = rules.has('mark') ? `#### ${cased}` : cased;
  const phrase = rules.has('result_only') ? result : `Well, the answer would be ${result}, I think.`;
  const ended = rules.has('period') && !phrase.endsWith('.') ? `${phrase}.` : phrase;
  return { result, answer: rules.has('steps') ? `${steps}\n${ended}` : ended };
}
