/** Arguments of a tool call: a text that the model wrote, which ATIF has as an object. */
import { depthOf } from '../../platform/json.ts';
import { toStorable } from '../../platform/storable-text.ts';
import { isJsonObject, type JsonObject } from './atif-schema.ts';

const RAW = '_raw';

/** A document has to be within the depth of the bodies that are read here, and arguments lie deep in it. */
export const MAX_DEPTH = 48;

/** What is no object, too deep, or has numbers that would become others, is kept as the text that it is. */
export function toArguments(text: string): JsonObject {
  return parseExact(text) ?? { [RAW]: text };
}

export function fromArguments(value: JsonObject): string {
  const raw = value[RAW];
  const isRaw = typeof raw === 'string' && Object.keys(value).length === 1 && !parseExact(raw);
  return isRaw ? raw : JSON.stringify(value);
}

/** Only a text that looks like this may hold a number that a double does not. */
const LONG_NUMBER = /\d{16}|\d[eE]\+?\d{3}/;

function parseExact(text: string): JsonObject | undefined {
  const value = parseObject(text, MAX_DEPTH);
  return value && LONG_NUMBER.test(text) && !isExact(text) ? undefined : value;
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** TypeScript does not know yet that a reviver is shown the text of a value. */
const { parse } = JSON as unknown as { parse(text: string, reviver: Reviver): unknown };

/** Of a fraction, nobody expects more digits than there are. */
function isExact(text: string): boolean {
  let isSame = true;
  parse(text, (_key, value, { source = '' }) => {
    if (typeof value === 'number') isSame &&= Number.isFinite(value) && !isOtherInteger(value, source);
    return value;
  });
  return isSame;
}

const isOtherInteger = (value: number, source: string) =>
  /^-?\d+$/.test(source) && BigInt(source) !== BigInt(value);

/** The object that a text of JSON spells, as it can be stored. */
export function parseObject(text: string, maxDepth: number): JsonObject | undefined {
  if (depthOf(text) > maxDepth) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? toStorable(value) : undefined;
  } catch {
    return undefined;
  }
}
