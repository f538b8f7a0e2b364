/** The order of texts by Unicode code points. */

/** JavaScript compares halves of characters: there, what is beyond U+FFFF comes before the last of what is not. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (left !== right) return rankOf(left) - rankOf(right);
  }
  return a.length - b.length;
}

const SURROGATES = 0xd800;
const AFTER_SURROGATES = 0xe000;

/** Halves of characters after all others. */
function rankOf(unit: number): number {
  if (unit < SURROGATES) return unit;
  return unit < AFTER_SURROGATES ? unit + 0x2000 : unit - 0x800;
}
