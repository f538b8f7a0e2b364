/** Marks the rows that a search finds, by their own text and by their messages. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Rechecked } from './message-matches.ts';
import type { Selection, Wanted } from './selection.ts';
import { FLAG_SPOKEN, type SessionColumns } from './session-columns.ts';

/** Maximum number of milliseconds for which a search may block the event loop. */
const MAX_HELD_MS = 10;

/**
 * Returns 1 for each row whose own text contains the search text.
 * @param search case-folded text
 */
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

/** Finds selected rows whose match depends on their messages only. Replaces the current selection. */
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

/** @param matching sessions with a matching message; `rechecked` overrides it for sessions that changed since */
export function markMatches(
  columns: SessionColumns,
  marks: Uint8Array,
  matching: readonly string[],
  rechecked: Rechecked,
): void {
  const mark = (id: string) => {
    const row = columns.ids.findText(id);
    if (row >= 0) marks[row] = 1;
  };
  for (const id of matching) if (!rechecked.has(id)) mark(id);
  for (const [id, isMatch] of rechecked) if (isMatch) mark(id);
}
