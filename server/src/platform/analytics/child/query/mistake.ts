/** What is wrong with a query, told to who wrote it. */

export class Mistake extends Error {
  /** In bytes from 0, as DuckDB counts. */
  readonly byte: number | undefined;

  constructor(message: string, byte?: number) {
    super(message);
    this.byte = byte;
  }
}

export interface Place {
  /** In characters from 0. */
  readonly position: number;
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

export function placeOf(query: string, byte: number): Place {
  const before = Buffer.from(query).subarray(0, byte).toString();
  const lines = before.split('\n');
  return { position: countOf(before), line: lines.length, column: countOf(lines.at(-1) ?? '') + 1 };
}

/** Of characters, one of which may be two units of JavaScript. */
const countOf = (text: string) => Array.from(text).length;
