/** Arguments of a tool call: a text written by the model, which ATIF represents as an object. */
import { depthOf } from '../../platform/json.ts';
import { toStorable } from '../../platform/storable-text.ts';
import { isJsonObject, type JsonObject } from './atif-schema.ts';

const RAW = '_raw';

/** A document must stay within the depth limit of request bodies, and arguments are nested deep in it. */
export const MAX_DEPTH = 48;

/** Arguments that are not an object, are nested too deep or have numbers that a double would change are kept as text. */
export function toArguments(text: string): JsonObject {
  return parseExact(text) ?? { [RAW]: text };
}

export function fromArguments(value: JsonObject): string {
  const raw = value[RAW];
  const isRaw = typeof raw === 'string' && Object.keys(value).length === 1 && !parseExact(raw);
  return isRaw ? raw : JSON.stringify(value);
}

/** Only a text that matches this can contain a number that a double does not represent exactly. */
const LONG_NUMBER = /\d{16}|\d[eE]\+?\d{3}/;

function parseExact(text: string): JsonObject | undefined {
  const value = parseObject(text, MAX_DEPTH);
  return value && LONG_NUMBER.test(text) && !isExact(text) ? undefined : value;
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** The TypeScript library does not declare yet that a reviver receives the source text of a value. */
const { parse } = JSON as unknown as { parse(text: string, reviver: Reviver): unknown };

/** Fractions are exempt: a reader expects no more digits than a double has. */
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

/** Parses the text of a JSON object into a form that can be stored. */
export function parseObject(text: string, maxDepth: number): JsonObject | undefined {
  if (depthOf(text) > maxDepth) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? toStorable(value) : undefined;
  } catch {
    return undefined;
  }
}
