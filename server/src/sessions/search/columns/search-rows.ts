/** Marks the rows that a search finds: by their own text, and by what was said in their messages. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Rechecked } from './message-matches.ts';
import type { Selection, Wanted } from './selection.ts';
import { FLAG_SPOKEN, type SessionColumns } from './session-columns.ts';

/** So long a search may hold up everybody else at a time. */
const MAX_HELD_MS = 10;

/** By row, 1 for each whose own text has it. @param search folded */
export async function markTexts(columns: SessionColumns, search: string): Promise<Uint8Array> {
  const marks = new Uint8Array(columns.rowCount);
  let began = performance.now();
  for (const _ of columns.texts.mark(Buffer.from(search), marks)) {
    if (performance.now() - began < MAX_HELD_MS) continue;
    await nextTurn();
    began = performance.now();
  }
  return marks;
}

/** Those that only their messages can tell of, among what is wanted. Leaves another selection than it found. */
export function findSilent(
  columns: SessionColumns,
  selection: Selection,
  { userId, filter, marks }: Wanted & { readonly marks: Uint8Array },
): number[] {
  selection.select(columns, { userId, filter, marks: undefined });
  const silent: number[] = [];
  for (let index = 0; index < selection.count; index++) {
    const row = selection.rows[index] as number;
    if (marks[row] === 0 && ((columns.flags[row] as number) & FLAG_SPOKEN) !== 0) silent.push(row);
  }
  return silent;
}

/** @param said sessions with a message that has the text, but for what `rechecked` says of them since */
export function markSaid(
  columns: SessionColumns,
  marks: Uint8Array,
  said: readonly string[],
  rechecked: Rechecked,
): void {
  const mark = (id: string) => {
    const row = columns.ids.findText(id);
    if (row >= 0) marks[row] = 1;
  };
  for (const id of said) if (!rechecked.has(id)) mark(id);
  for (const [id, isSaid] of rechecked) if (isSaid) mark(id);
}
