/** A mistake in a query, reported to its author. */

export class Mistake extends Error {
  /** Offset in bytes from 0, as counted by DuckDB. */
  readonly byte: number | undefined;

  constructor(message: string, byte?: number) {
    super(message);
    this.byte = byte;
  }
}

export interface Place {
  /** Offset in characters from 0. */
  readonly position: number;
  /** Line from 1. */
  readonly line: number;
  readonly column: number;
}

export function placeOf(query: string, byte: number): Place {
  const before = Buffer.from(query).subarray(0, byte).toString();
  const lines = before.split('\n');
  return { position: countOf(before), line: lines.length, column: countOf(lines.at(-1) ?? '') + 1 };
}

/** Counts code points, which may take two UTF-16 units each. */
const countOf = (text: string) => Array.from(text).length;
