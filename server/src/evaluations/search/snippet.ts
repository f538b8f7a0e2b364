/** Cuts the text around a match from the original message, although the match was found in the folded text. */
import { foldText, isAscii } from './fold-text.ts';

const MAX_LENGTH = 200;
/** Characters before the match. */
const BEFORE = 60;
const CUT = '\u2026';
/** Characters that NFKC never joins to the one before: a text that is split before such a character folds piece by piece. */
const SAFE = /[^\p{M}\p{Script=Hangul}\uFF9E\uFF9F]/gu;
const STEP = 1_000;

/**
 * @param query is folded
 * @returns undefined when none of the texts contains it
 */
export function findSnippet(texts: readonly string[], query: string): string | undefined {
  for (const text of texts) {
    const at = foldText(text).indexOf(query);
    if (at >= 0) return cutAround(text, toOriginalOffset(text, at));
  }
  return undefined;
}

/** @returns the offset of the original character that became the one at `at` of the folded text */
function toOriginalOffset(text: string, at: number): number {
  if (isAscii(text)) return at;
  const [start, folded] = skip(text, at, STEP);
  return start + skip(text.slice(start), at - folded, 1)[0];
}

/**
 * Skips chunks of a text while their folded form ends before `at`.
 * @returns the offset in the text, and in the folded one
 */
function skip(text: string, at: number, step: number): readonly [number, number] {
  let [start, folded] = [0, 0];
  while (start < text.length) {
    const end = endOfPiece(text, start, step);
    const { length } = foldText(text.slice(start, end));
    if (folded + length > at) break;
    start = end;
    folded += length;
  }
  return [start, folded];
}

function endOfPiece(text: string, start: number, step: number): number {
  const width = (text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1;
  SAFE.lastIndex = start + Math.max(step, width);
  return SAFE.exec(text)?.index ?? text.length;
}

/** Cuts at most 200 characters around `at`, and no surrogate pair in two. */
export function cutAround(text: string, at: number): string {
  const start = toWhole(text, Math.max(0, at - BEFORE));
  const prefix = start > 0 ? CUT : '';
  const room = MAX_LENGTH - prefix.length;
  if (text.length - start <= room) return prefix + text.slice(start);
  return prefix + text.slice(start, toWhole(text, start + room - CUT.length)) + CUT;
}

/** Moves an offset that lies inside a surrogate pair before it. */
const toWhole = (text: string, at: number) =>
  at > 0 && /[\uDC00-\uDFFF]/.test(text[at] ?? '') && /[\uD800-\uDBFF]/.test(text[at - 1] ?? '')
    ? at - 1
    : at;
