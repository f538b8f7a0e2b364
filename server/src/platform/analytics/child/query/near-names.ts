/** The name that somebody may have meant. */

export function findNearName(name: string, names: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  let best: { name: string; distance: number } | undefined;
  for (const candidate of names) {
    const distance = distanceOf(wanted, candidate.toLowerCase());
    if (distance <= Math.max(2, Math.floor(candidate.length / 3)) && distance < (best?.distance ?? Infinity))
      best = { name: candidate, distance };
  }
  return best?.name;
}

/** How many letters have to be put, taken away or changed. */
function distanceOf(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > b.length) return Number.POSITIVE_INFINITY;
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
