/** Matches texts against patterns with `*` for any text and `?` for one character, backtracking no further than to the last star. */

export type Matcher = (text: string) => boolean;

export function toMatcher(pattern: string): Matcher {
  const wild = pattern.search(/[*?]/);
  if (wild < 0) return (text) => text === pattern;
  if (wild === pattern.length - 1 && pattern.endsWith('*')) {
    const start = pattern.slice(0, -1);
    return (text) => text.startsWith(start);
  }
  return (text) => matches(pattern, text);
}

function matches(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let starAt = 0;
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = p;
      starAt = t;
      p += 1;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) {
      p += 1;
      t += 1;
    } else if (star >= 0) {
      // The last star takes one more character; earlier stars already took the shortest match.
      starAt += 1;
      t = starAt;
      p = star + 1;
    } else {
      return false;
    }
  }
  while (pattern[p] === '*') p += 1;
  return p === pattern.length;
}
