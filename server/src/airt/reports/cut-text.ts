/** Cuts long texts in reports. */

/** @returns at most `max` characters and a mark where more were cut; never half of a surrogate pair */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
