/** Unwraps the input of a custom tool: models write it as `{"input": "…"}`, and clients receive the text alone. */

const OPENING = /^\s*\{\s*"input"\s*:\s*"/;
/** Maximum length of the prefix of the arguments before the text starts. */
const MAX_OPENING = 200;

/** Returns the text of complete arguments. Arguments in another form are returned as they are. */
export function readCustomInput(given: string): string {
  try {
    const value: unknown = JSON.parse(given);
    const isNamed = typeof value === 'object' && value !== null && 'input' in value;
    return isNamed && typeof value.input === 'string' ? value.input : given;
  } catch {
    return given;
  }
}

/** Reads the text while its arguments arrive. */
export class CustomInputReader {
  /** Text returned so far. */
  text = '';
  #state: 'opening' | 'text' | 'over' = 'opening';
  /** Arguments not read yet. */
  #rest = '';

  /** @returns the text that has become available */
  read(given: string): string {
    this.#rest += given;
    if (this.#state === 'opening') this.#open();
    if (this.#state !== 'text') return '';
    const [raw, isEnd] = this.#take();
    const text = this.#decode(raw);
    if (isEnd) this.#state = 'over';
    this.text += text;
    return text;
  }

  #open(): void {
    const opening = OPENING.exec(this.#rest);
    if (opening) {
      this.#rest = this.#rest.slice(opening[0].length);
      this.#state = 'text';
    } else if (this.#rest.length > MAX_OPENING) this.#state = 'over';
  }

  /** Returns the JSON string up to its end, or up to an incomplete escape. */
  #take(): readonly [raw: string, isEnd: boolean] {
    const rest = this.#rest;
    let at = 0;
    while (at < rest.length && rest[at] !== '"') {
      const length = rest[at] !== '\\' ? 1 : rest[at + 1] === 'u' ? 6 : 2;
      if (at + length > rest.length) break;
      at += length;
    }
    const isEnd = rest[at] === '"';
    this.#rest = rest.slice(at);
    return [rest.slice(0, at), isEnd];
  }

  #decode(raw: string): string {
    try {
      const text = JSON.parse(
        `"${raw.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}"`,
      );
      return this.#keepPair(String(text), raw);
    } catch {
      this.#state = 'over';
      return '';
    }
  }

  /** Holds back the first half of a surrogate pair until the second half arrives, since half of it cannot be sent. */
  #keepPair(text: string, raw: string): string {
    if (!/[\ud800-\udbff]$/.test(text)) return text;
    this.#rest = (raw.endsWith(text.slice(-1)) ? text.slice(-1) : raw.slice(-6)) + this.#rest;
    return text.slice(0, -1);
  }
}
