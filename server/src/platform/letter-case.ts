/** How texts are compared whatever their case: here, since what a database does depends on its locale. */

/**
 * Each letter by itself, so that a part of a text is folded to a part of what the text is folded to: JavaScript alone has
 * another small sigma at the end of a word.
 */
export const foldCase = (text: string) => text.toLowerCase().replaceAll('\u03C2', '\u03C3');
