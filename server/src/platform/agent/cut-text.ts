/** Bounds text for a model: its beginning and its end say more than twice as much of either. */

const MAX_CHARACTERS = 32_000;

/** The first and the last half of the bound, and a note between them. No character of two UTF-16 units is split. */
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
