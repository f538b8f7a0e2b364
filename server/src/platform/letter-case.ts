/** Folds letter case for comparisons, in this process, since a database's result depends on its locale. */

/**
 * Folds each letter by itself, so that a part of a text folds to a part of the folded text: JavaScript alone writes another small sigma at
 * the end of a word.
 */
export const foldCase = (text: string) => text.toLowerCase().replaceAll('\u03C2', '\u03C3');
