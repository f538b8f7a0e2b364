/** Texts and the numbers that stand for them, from 1 on. */

/** What a text costs beside its characters, in the map and in the list; an estimate from above. */
const TEXT_BYTES = 96;

export class Dictionary {
  private readonly codes = new Map<string, number>();
  private readonly texts: string[] = [];
  bytes = 0;

  /** Codes are at most this. */
  get size(): number {
    return this.texts.length;
  }

  /** The number of a text, which has one from now on. */
  add(text: string): number {
    const known = this.codes.get(text);
    if (known !== undefined) return known;
    const code = this.texts.push(text);
    this.codes.set(text, code);
    this.bytes += TEXT_BYTES + 2 * text.length;
    return code;
  }

  /** 0 for a text that is not here. */
  find(text: string): number {
    return this.codes.get(text) ?? 0;
  }

  text(code: number): string {
    return this.texts[code - 1] as string;
  }
}
