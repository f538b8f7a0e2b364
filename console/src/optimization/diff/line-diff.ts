/** Compares two texts by lines, and the words of lines that were changed. */

/** A longest common subsequence takes time and memory by the product of both lengths: 2,000 lines are 4 million cells. */
const MAX_LINES = 2_000;
const MAX_WORDS = 400;

const WORDS = /\s+|[\p{L}\p{N}_]+|\S/gu;

export interface Part {
  readonly text: string;
  readonly isChanged: boolean;
}

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  /** Numbers of the line before and after, from 1. */
  readonly before?: number;
  readonly after?: number;
  /** The line with its changed words marked. */
  readonly parts: readonly Part[];
}

/** Above 2,000 lines that differ, everything that differs is removed and added as a whole. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [old, next] = [before.split('\n'), after.split('\n')];
  const lines: DiffLine[] = [];
  let [at, to] = [0, 0];
  for (const step of compare(old, next, MAX_LINES)) {
    for (let count = step.same; count > 0; count -= 1) {
      lines.push({ kind: 'same', before: at + 1, after: to + 1, parts: whole(old[at] ?? '', false) });
      at += 1;
      to += 1;
    }
    const removed = old.slice(at, at + step.removed);
    const added = next.slice(to, to + step.added);
    lines.push(...toChange(removed, added, at, to));
    at += removed.length;
    to += added.length;
  }
  return lines;
}

/** A line that was replaced by one other line shows which words differ. */
function toChange(removed: readonly string[], added: readonly string[], at: number, to: number): DiffLine[] {
  const isReplaced = removed.length === added.length;
  const pairs = isReplaced ? removed.map((line, index) => diffWords(line, added[index] ?? '')) : [];
  return [
    ...removed.map((line, index) => ({
      kind: 'removed' as const,
      before: at + index + 1,
      parts: pairs[index]?.before ?? whole(line, false),
    })),
    ...added.map((line, index) => ({
      kind: 'added' as const,
      after: to + index + 1,
      parts: pairs[index]?.after ?? whole(line, false),
    })),
  ];
}

const whole = (text: string, isChanged: boolean): readonly Part[] => [{ text, isChanged }];

function diffWords(before: string, after: string) {
  const [old, next] = [before.match(WORDS) ?? [], after.match(WORDS) ?? []];
  const result: { before: Part[]; after: Part[] } = { before: [], after: [] };
  let [at, to] = [0, 0];
  const add = (parts: Part[], words: readonly string[], isChanged: boolean) => {
    if (words.length > 0) parts.push({ text: words.join(''), isChanged });
  };
  for (const { same, removed, added } of compare(old, next, MAX_WORDS)) {
    add(result.before, old.slice(at, at + same), false);
    add(result.after, next.slice(to, to + same), false);
    add(result.before, old.slice(at + same, at + same + removed), true);
    add(result.after, next.slice(to + same, to + same + added), true);
    at += same + removed;
    to += same + added;
  }
  return result;
}

/** Equal items, and then a change: items that were removed and added. */
interface Step {
  same: number;
  removed: number;
  added: number;
}

function compare(old: readonly string[], next: readonly string[], max: number): readonly Step[] {
  const shorter = Math.min(old.length, next.length);
  let start = 0;
  while (start < shorter && old[start] === next[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old[old.length - 1 - end] === next[next.length - 1 - end]) end += 1;
  const [a, b] = [old.slice(start, old.length - end), next.slice(start, next.length - end)];
  const middle =
    a.length > max || b.length > max ? [{ same: 0, removed: a.length, added: b.length }] : walk(a, b);
  return [{ same: start, removed: 0, added: 0 }, ...middle, { same: end, removed: 0, added: 0 }];
}

/** The steps along a longest common subsequence. */
function walk(a: readonly string[], b: readonly string[]): readonly Step[] {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  const lengthAt = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] =
        a[i] === b[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
  const steps: Step[] = [];
  let step: Step = { same: 0, removed: 0, added: 0 };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const isSame = i < a.length && j < b.length && a[i] === b[j];
    if (isSame && step.removed + step.added > 0) {
      steps.push(step);
      step = { same: 0, removed: 0, added: 0 };
    }
    const isRemoved =
      !isSame && (j >= b.length || (i < a.length && lengthAt(i + 1, j) >= lengthAt(i, j + 1)));
    step[isSame ? 'same' : isRemoved ? 'removed' : 'added'] += 1;
    if (isSame || isRemoved) i += 1;
    if (isSame || !isRemoved) j += 1;
  }
  steps.push(step);
  return steps;
}
