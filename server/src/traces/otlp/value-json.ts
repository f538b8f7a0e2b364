/**
 * Encodes attributes as JSON that preserves the OTLP types: an int64 has all its digits and no fraction, a double has a fraction or an
 * exponent, and a value that JSON cannot represent is an object with one field, named as in OTLP. A list of keys and values that would look
 * like such an object is wrapped in one, so that the encoding is unambiguous.
 */
import { toStorableText } from '../../platform/storable-text.ts';
import { type AnyValue, Double, type KeyValue, KeyValueList } from './model.ts';

const WRAPPERS: ReadonlySet<string> = new Set(['bytesValue', 'doubleValue', 'kvlistValue']);

/** Number of encoded keys that are cached, since keys repeat. */
const MAX_KEYS = 2000;
const MAX_KEY_LENGTH = 100;
const quotedKeys = new Map<string, string>();

export function toJson(value: AnyValue): string {
  if (typeof value === 'string') return quote(value);
  if (value === null) return 'null';
  if (typeof value !== 'object') return String(value);
  if (value instanceof Double) return doubleToJson(value.value);
  if (value instanceof Uint8Array) return `{"bytesValue":"${toBase64(value)}"}`;
  if (value instanceof KeyValueList) return listToJson(value.entries);
  return `[${value.map(toJson).join(',')}]`;
}

/** Writes the attributes in their order; a repeated key is written twice, and readers take the last one. */
export function attributesToJson(attributes: readonly KeyValue[]): string {
  let text = '{';
  let separator = '';
  for (const { key, value } of attributes) {
    text += separator + quoteKey(key) + toJson(value);
    separator = ',';
  }
  return `${text}}`;
}

function listToJson(entries: readonly KeyValue[]): string {
  const text = attributesToJson(entries);
  const first = entries[0]?.key;
  if (first === undefined || !WRAPPERS.has(first)) return text;
  return entries.every(({ key }) => key === first) ? `{"kvlistValue":${text}}` : text;
}

function doubleToJson(value: number): string {
  if (!Number.isFinite(value)) return `{"doubleValue":"${value}"}`;
  if (Object.is(value, -0)) return '-0.0';
  const text = String(value);
  return Number.isInteger(value) && !text.includes('e') ? `${text}.0` : text;
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

function quote(text: string): string {
  const isStorable = text.isWellFormed() && !text.includes('\0');
  return JSON.stringify(isStorable ? text : toStorableText(text));
}

function quoteKey(key: string): string {
  const known = quotedKeys.get(key);
  if (known !== undefined) return known;
  const quoted = `${quote(key)}:`;
  if (key.length > MAX_KEY_LENGTH) return quoted;
  // A client that invents keys only clears the cache.
  if (quotedKeys.size >= MAX_KEYS) quotedKeys.clear();
  quotedKeys.set(key, quoted);
  return quoted;
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** TypeScript does not declare these two yet. */
const { parse, rawJSON } = JSON as unknown as {
  parse(text: string, reviver: Reviver): unknown;
  rawJSON(text: string): unknown;
};

/** Matches numbers that JSON.stringify might write differently; other texts need no special treatment. */
const ODD_NUMBER = /\d[.eE]|\d{16}|-0/;

/** Parses the text such that JSON.stringify writes its numbers unchanged: numbers that it would change become `JSON.rawJSON`. */
export function parseExact(text: string): unknown {
  if (!ODD_NUMBER.test(text)) return JSON.parse(text);
  return parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? rawJSON(source) : value,
  );
}
