/**
 * Query parameters are declared with their real types (`z.boolean()`, `z.int()`, `z.array(…)`), so that the document and the handler's
 * types are correct. This converts their text to those types before validation; text that cannot be converted stays, and the schema reports
 * what it expected.
 */
import type { z } from 'zod';

type Read = (text: unknown) => unknown;

/** Matches any length: a number too large to be exact is too large for every schema. */
const INTEGER = /^-?\d+$/;
const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/;

const SEPARABLE = new Set(['guid', 'uuid']);

const readFlag: Read = (text) => (text === 'true' ? true : text === 'false' ? false : text);
const readNumber: Read = (text) =>
  typeof text === 'string' && (INTEGER.test(text) || NUMBER.test(text)) ? Number(text) : text;
const readText: Read = (text) => text;

/** Builds the converter for one operation's parameters, once when it is mounted. */
export function queryReader(schema: z.ZodObject | undefined): (raw: unknown) => Record<string, unknown> {
  const readers = Object.entries(schema?.shape ?? {}).map(
    ([name, field]) => [name, readerOf(field)] as const,
  );
  return (raw) => {
    const given = raw as Record<string, unknown>;
    const read: Record<string, unknown> = {};
    for (const [name, reader] of readers) {
      if (given[name] !== undefined) read[name] = reader(given[name]);
    }
    return read;
  };
}

function readerOf(field: z.core.SomeType): Read {
  const { def } = field._zod as unknown as {
    def: { type: string; innerType?: z.core.SomeType; element?: z.core.SomeType };
  };
  if (def.innerType) return readerOf(def.innerType); // unwraps optional, nullable, and default
  if (def.type === 'boolean') return readFlag;
  if (def.type === 'number') return readNumber;
  if (def.type !== 'array' || !def.element) return readText;
  const readItem = readerOf(def.element);
  const isSeparable = hasNoComma(def.element);
  // A repeatable parameter given once is a list with one item.
  return (given) =>
    (Array.isArray(given) ? given : [given])
      .flatMap((text: unknown) => (isSeparable && typeof text === 'string' ? text.split(',') : [text]))
      .map(readItem);
}

/**
 * Returns whether several values can be sent in one parameter, separated by commas. Free text, such as a label, may contain a comma itself.
 */
function hasNoComma(element: z.core.SomeType): boolean {
  const { def } = element._zod as unknown as { def: { type: string; format?: string } };
  return (
    def.type === 'enum' || def.type === 'number' || (def.type === 'string' && SEPARABLE.has(def.format ?? ''))
  );
}
