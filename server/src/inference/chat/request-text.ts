/** A request as its caller wrote it, but for the name of its model: to write a long conversation anew takes long. */

const KEY = '"model"';
const SPACES = ' \t\r\n';

/**
 * @param from what the caller calls it, as it was read
 * @returns undefined where it is not plain which of the names in the text is that of the model
 */
export function withModelName(text: string, from: string, to: string): string | undefined {
  const key = text.indexOf(KEY);
  // Another one may be within a message. One that is written with escapes would not be found.
  if (key === -1 || text.includes(KEY, key + KEY.length) || text.includes('\\u')) return undefined;
  const colon = skipSpaces(text, key + KEY.length);
  const start = skipSpaces(text, colon + 1);
  const value = `"${from}"`;
  if (text[colon] !== ':' || !text.startsWith(value, start)) return undefined;
  return text.slice(0, start) + JSON.stringify(to) + text.slice(start + value.length);
}

function skipSpaces(text: string, from: number): number {
  let at = from;
  while (at < text.length && SPACES.includes(text.charAt(at))) at++;
  return at;
}
