/** Finds the name that was probably meant by a misspelt one. */

/** A shorter name is within two changes of too many others, so it is never refused as misspelt. */
const MIN_LENGTH = 5;
const MAX_DISTANCE = 2;

/**
 * Finds the known name that an unknown parameter, key or variable was probably meant as. A match is a reason to refuse a request, so
 * only small differences count.
 */
export function findMeantName(
  name: string,
  known: Iterable<string>,
  aliases: Readonly<Record<string, readonly string[]>> = {},
): string | undefined {
  const names = [...known];
  const meant = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
  const alias = meant?.find((one) => names.includes(one));
  if (alias !== undefined || name.length < MIN_LENGTH) return alias;
  return findNearest(name, names, () => MAX_DISTANCE);
}

/** Finds the known name nearest to an unknown one, as a hint for a name that is refused anyway: the longer it is, the more may differ. */
export const findNearName = (name: string, known: Iterable<string>): string | undefined =>
  findNearest(name, known, (candidate) => Math.max(MAX_DISTANCE, Math.floor(candidate.length / 3)));

function findNearest(
  name: string,
  known: Iterable<string>,
  maxDistance: (candidate: string) => number,
): string | undefined {
  const wanted = name.toLowerCase();
  let best: { name: string; distance: number } | undefined;
  for (const candidate of known) {
    const max = maxDistance(candidate);
    if (Math.abs(candidate.length - wanted.length) > max) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance <= max && distance < (best?.distance ?? Infinity)) best = { name: candidate, distance };
  }
  return best?.name;
}

/** Levenshtein distance: how many letters have to be inserted, removed or changed. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
