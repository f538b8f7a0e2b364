/** Folds texts for the search in evaluations. Stored messages and queries are folded in the same way. */
import { foldCase } from '../../platform/letter-case.ts';
import { toStorableText } from '../../platform/storable-text.ts';

/** A noncharacter that stands between two texts, so that nothing is found across them. */
export const BOUNDARY = '\uFFFF';
const REPLACEMENT = '\uFFFD';
const DOTLESS_I = '\u0131';

/** NUL does not count as ASCII here: PostgreSQL cannot store it, so it has to be replaced. */
export const isAscii = (text: string) => /^\p{ASCII}*$/u.test(text) && !text.includes('\0');

/**
 * The full case folding of Unicode: capitals first, which makes `ß` the same as `SS`, then small letters. The dotless i alone has a
 * capital that is another letter's, and stays as it is.
 */
const foldLetters = (text: string) =>
  text
    .split(DOTLESS_I)
    .map((part) => foldCase(part.toUpperCase()))
    .join(DOTLESS_I);

/**
 * Case-insensitive after NFKC. Folding may undo the normal form, and the normal form may bring capitals back (the letters of squared
 * abbreviations, the capital sharp s), so both are applied twice; the result folds to itself. A text is folded as a whole: where a
 * letter and its accent come in two parts, they are joined first. So `e` is not found in `é`, however the `é` is written.
 */
export function foldText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  const once = foldLetters(toStorableText(text).normalize('NFKC')).normalize('NFKC');
  return foldLetters(once).normalize('NFKC').replaceAll(BOUNDARY, REPLACEMENT);
}

interface ToolCall {
  readonly name: string;
  readonly arguments: string;
}

/** The parts of a message that are searched: its content, and the names and arguments of its tool calls. */
export const toSearchedParts = (content: string, calls: readonly ToolCall[] | null | undefined): string[] => [
  content,
  ...(calls ?? []).flatMap((call) => [call.name, call.arguments]),
];

export const toMessageText = (content: string, calls: readonly ToolCall[] | null | undefined): string =>
  toSearchedParts(content, calls).map(foldText).join(BOUNDARY);
