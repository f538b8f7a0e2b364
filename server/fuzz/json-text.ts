/** JSON as text, with what JSON.stringify cannot write: numbers out of range, keys given twice, nests of any depth. */

export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export function toJsonText(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(toJsonText).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).filter(([, item]) => item !== undefined);
    return `{${fields.map(([key, item]) => `${JSON.stringify(key)}:${toJsonText(item)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

/** Brackets of one kind, this many inside each other. */
export function nest(depth: number, kind: 'array' | 'object'): RawJson {
  return kind === 'array'
    ? new RawJson('['.repeat(depth) + ']'.repeat(depth))
    : new RawJson(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);
}
