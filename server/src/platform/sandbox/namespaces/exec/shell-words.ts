/** Quotes text as one word of a shell script. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
