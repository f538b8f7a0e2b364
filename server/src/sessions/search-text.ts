/** Texts as they are searched: without case, and with one character that no query can hold. */
import { foldCase } from '../platform/letter-case.ts';

/** A noncharacter: it stands between two texts, so that nothing is found across them. */
const BOUNDARY = '\uFFFF';
const REPLACEMENT = '\uFFFD';

/** Of a message, and of what is searched for. */
export const foldText = (text: string) => foldCase(text).replaceAll(BOUNDARY, REPLACEMENT);

/** Of a session. */
export const toSearchText = (title: string | null, preview: string | null) =>
  foldText(title ?? '') + BOUNDARY + foldText(preview ?? '');
