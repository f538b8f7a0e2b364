/** Names, counts and amounts as facts hold them; null for what is none, whatever type it was sent in. */
import { toStorableText } from '../../platform/storable-text.ts';
import { type AnyValue, Double } from '../otlp/model.ts';

const MAX_NAME_LENGTH = 255;
/** Beyond 32 bits is no count of tokens; so the sum over as many spans as a trace can count fits into a bigint. */
export const MAX_COUNT = 0xffff_ffff;
/** In dollars. */
const MAX_AMOUNT = 1e9;
const WHOLE = /^\s*\d{1,10}(?:\.0{1,9})?\s*$/;
const DECIMAL = /^\s*\+?(?:\d{1,15}\.?\d{0,30}|\.\d{1,30})(?:[eE][+-]?\d{1,3})?\s*$/;

/** The beginning of a text as PostgreSQL can store it; a pair of surrogates is not cut in two. */
export function beginningOf(text: string, maxLength: number): string {
  const cutsPair = text.length > maxLength && (text.charCodeAt(maxLength - 1) & 0xfc00) === 0xd800;
  const beginning = text.length > maxLength ? text.slice(0, cutsPair ? maxLength - 1 : maxLength) : text;
  return beginning.isWellFormed() && !beginning.includes('\0') ? beginning : toStorableText(beginning);
}

export function toName(value: AnyValue): string | null {
  if (typeof value === 'string') {
    // Most names begin with a letter: only others are looked at for being blank.
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

/** NaN where it is none. */
function toNumber(value: AnyValue, form: RegExp): number {
  if (typeof value === 'number') return value;
  if (value instanceof Double) return value.value;
  // The longest that either form takes is far shorter.
  if (typeof value === 'string' && value.length <= 64 && form.test(value)) return Number(value);
  return Number.NaN;
}
