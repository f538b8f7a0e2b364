/** Bounds text for a model. The beginning and the end are kept, since errors and results are found there. */

const MAX_CHARACTERS = 32_000;

/** Keeps the first and the last half of the bound, with a note between them. Surrogate pairs are not split. */
export function cutText(text: string, maxCharacters = MAX_CHARACTERS): string {
  if (text.length <= maxCharacters) return text;
  const half = Math.floor(maxCharacters / 2);
  const headEnd = isInsidePair(text, half) ? half - 1 : half;
  const tailStart = isInsidePair(text, text.length - half) ? text.length - half + 1 : text.length - half;
  const note = `[… ${tailStart - headEnd} characters left out …]`;
  return `${text.slice(0, headEnd)}\n${note}\n${text.slice(tailStart)}`;
}

const isInsidePair = (text: string, index: number) =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(index - 1, index + 1));
