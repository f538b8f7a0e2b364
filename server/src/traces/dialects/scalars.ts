/** Converts attribute values of any type to names, counts and amounts; null for values that are not usable. */
import { toStorableText } from '../../platform/storable-text.ts';
import { type AnyValue, Double } from '../otlp/model.ts';

const MAX_NAME_LENGTH = 255;
/** Counts beyond 32 bits are not plausible token counts. This bound keeps the sum over all spans of a trace within a bigint. */
export const MAX_COUNT = 0xffff_ffff;
/** Maximum cost in US dollars. */
const MAX_AMOUNT = 1e9;
const WHOLE = /^\s*\d{1,10}(?:\.0{1,9})?\s*$/;
const DECIMAL = /^\s*\+?(?:\d{1,15}\.?\d{0,30}|\.\d{1,30})(?:[eE][+-]?\d{1,3})?\s*$/;

/** Truncates a text to what PostgreSQL can store, without splitting a surrogate pair. */
export function beginningOf(text: string, maxLength: number): string {
  const cutsPair = text.length > maxLength && (text.charCodeAt(maxLength - 1) & 0xfc00) === 0xd800;
  const beginning = text.length > maxLength ? text.slice(0, cutsPair ? maxLength - 1 : maxLength) : text;
  return beginning.isWellFormed() && !beginning.includes('\0') ? beginning : toStorableText(beginning);
}

export function toName(value: AnyValue): string | null {
  if (typeof value === 'string') {
    // Most names begin with a letter; only other names are checked for being blank.
    if (value.length === 0 || (value.charCodeAt(0) <= 32 && value.trim() === '')) return null;
    return beginningOf(value, MAX_NAME_LENGTH);
  }
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : null;
}

export function toCount(value: AnyValue): number | null {
  const number = toNumber(value, WHOLE);
  return Number.isInteger(number) && number >= 0 && number <= MAX_COUNT ? number + 0 : null;
}

export function toAmount(value: AnyValue): number | null {
  const number = toNumber(value, DECIMAL);
  return number >= 0 && number <= MAX_AMOUNT ? number + 0 : null;
}

/** Returns NaN for a value that is not a number of this form. */
function toNumber(value: AnyValue, form: RegExp): number {
  if (typeof value === 'number') return value;
  if (value instanceof Double) return value.value;
  // Valid numbers of either form are far shorter than 64 characters.
  if (typeof value === 'string' && value.length <= 64 && form.test(value)) return Number(value);
  return Number.NaN;
}
