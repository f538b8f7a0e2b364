/** Text as evaluations are searched: the same fold for what is stored and for what is asked. */
import { foldCase } from '../../platform/letter-case.ts';
import { toStorableText } from '../../platform/storable-text.ts';

/** A noncharacter that stands between two texts, so that nothing is found across them. */
const BOUNDARY = '\uFFFF';
const REPLACEMENT = '\uFFFD';

/**
 * Case-insensitive after NFKC. Folding may undo the normal form and the normal form may bring capitals back (such as the letters of
 * squared abbreviations), so both are applied twice; the result folds to itself.
 */
export function foldText(text: string): string {
  const once = foldCase(toStorableText(text).normalize('NFKC')).normalize('NFKC');
  return foldCase(once).normalize('NFKC').replaceAll(BOUNDARY, REPLACEMENT);
}

/** What is searched of a message: its content, and the names and arguments of its tool calls. */
export const toMessageText = (
  content: string,
  calls: readonly { readonly name: string; readonly arguments: string }[] | null | undefined,
): string =>
  [content, ...(calls ?? []).flatMap((call) => [call.name, call.arguments])].map(foldText).join(BOUNDARY);
