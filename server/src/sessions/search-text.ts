/** Normalizes texts for the search: case-folded, and separated by a character that no query can contain. */
import { foldCase } from '../platform/letter-case.ts';

/** A noncharacter that separates two texts, so that no match spans both. */
const BOUNDARY = '\uFFFF';
const REPLACEMENT = '\uFFFD';

/** Folds the text of a message or of a query. */
export const foldText = (text: string) => foldCase(text).replaceAll(BOUNDARY, REPLACEMENT);

/** Builds the text by which a session is searched. */
export const toSearchText = (title: string | null, preview: string | null) =>
  foldText(title ?? '') + BOUNDARY + foldText(preview ?? '');
