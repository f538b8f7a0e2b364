/** Parses JSON stored as the text of an attribute: messages, arguments, results. */
import { parseExact } from '../otlp/value-json.ts';

/** Maximum nesting: deeper than real messages, and shallow enough to be serialized recursively into a response. */
const MAX_DEPTH = 64;

/** Parses objects and arrays; returns undefined for all other texts. Numbers keep their digits. */
export function parseMessageJson(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text) || isTooDeep(text)) return undefined;
  try {
    const value = parseExact(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Counts brackets in the text before parsing, since JSON.parse calls a reviver recursively. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (isInString) {
      if (character === 0x5c /* \\ */) at++;
      else if (character === 0x22 /* " */) isInString = false;
    } else if (character === 0x22) isInString = true;
    else if (character === 0x5b /* [ */ || character === 0x7b /* { */) {
      if (++depth > MAX_DEPTH) return true;
    } else if (character === 0x5d /* ] */ || character === 0x7d /* } */) depth--;
  }
  return false;
}
