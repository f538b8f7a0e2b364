/** Compares texts by Unicode code points. */

/** JavaScript compares UTF-16 code units: there, characters beyond U+FFFF sort before the last ones below it. */
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

/** Ranks surrogates after all other code units. */
function rankOf(unit: number): number {
  if (unit < SURROGATES) return unit;
  return unit < AFTER_SURROGATES ? unit + 0x2000 : unit - 0x800;
}
