/** The words that task sets are found by: cut here and not by the database, whose rules depend on its configuration. */
import { foldCase } from '../platform/letter-case.ts';

/** Longer ones are cut into pieces, on both sides alike: the database takes words of up to 2 KB. */
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

/** What no set has: words are made of letters, digits and marks. */
const NO_WORD = "'!'";

/** Finds what has, for each word, one that begins like it; with a text that has no word, nothing. */
export function toPrefixQuery(search: string): string {
  // Nothing in a word can end the quotation.
  return (
    wordsOf(search)
      .map((word) => `'${word}':*`)
      .join(' & ') || NO_WORD
  );
}
