/** Search words of task sets, split here rather than by the database, whose rules depend on its configuration. */
import { foldCase } from '../platform/letter-case.ts';

/** Longer words are split, in sets and queries alike: the database accepts words of up to 2 KB. */
const WORD = /[\p{L}\p{N}\p{M}]{1,300}/gu;

function wordsOf(text: string): string[] {
  return [...new Set(foldCase(text.normalize('NFKC')).match(WORD))];
}

interface Searched {
  readonly name: string;
  readonly description: string | null;
  readonly source: string | null;
  readonly tags: readonly string[] | null;
}

export function searchWordsOf({ name, description, source, tags }: Searched): string[] {
  return wordsOf([name, description, source, ...(tags ?? [])].join('\n'));
}

/** Matches no set, because words consist of letters, digits and marks. */
const NO_WORD = "'!'";

/** Matches sets that have, for each word, one that starts with it; a text without words matches nothing. */
export function toPrefixQuery(search: string): string {
  // A word contains no character that could end the quotation.
  return (
    wordsOf(search)
      .map((word) => `'${word}':*`)
      .join(' & ') || NO_WORD
  );
}
