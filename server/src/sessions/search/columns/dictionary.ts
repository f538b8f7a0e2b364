/** Assigns numbers to texts, starting at 1. */

/** Memory overhead per text, in the map and in the list; an upper estimate. */
const TEXT_BYTES = 96;

export class Dictionary {
  private readonly codes = new Map<string, number>();
  private readonly texts: string[] = [];
  bytes = 0;

  /** The highest code. */
  get size(): number {
    return this.texts.length;
  }

  /** Returns the code of a text and assigns one if needed. */
  add(text: string): number {
    const known = this.codes.get(text);
    if (known !== undefined) return known;
    const code = this.texts.push(text);
    this.codes.set(text, code);
    this.bytes += TEXT_BYTES + 2 * text.length;
    return code;
  }

  /** Returns 0 for an unknown text. */
  find(text: string): number {
    return this.codes.get(text) ?? 0;
  }

  text(code: number): string {
    return this.texts[code - 1] as string;
  }
}
