/** Percent-encoding for signatures: everything except letters, digits and `-._~`, in upper-case hexadecimal. */

const ENCODED = Array.from(
  { length: 256 },
  (_, byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
);
const UNRESERVED = /^[\w.~-]*$/;
const UNRESERVED_OR_SLASH = /^[\w.~/-]*$/;
const isUnreserved = Array.from({ length: 256 }, (_, byte) => UNRESERVED.test(String.fromCharCode(byte)));

const SLASH = 0x2f;
const PERCENT = 0x25;

export function encodeUri(text: string): string {
  if (UNRESERVED.test(text)) return text;
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => ENCODED[char.charCodeAt(0)] ?? char);
}

/** Encodes like the above, but keeps slashes. */
export function encodeUriPath(text: string): string {
  return text.split('/').map(encodeUri).join('/');
}

/**
 * Decodes a path once and encodes it again, byte by byte: clients differ in what they encode, not in what they sign. Nothing else is
 * changed: slashes and dots stay.
 * @param raw one character per byte, as node:http provides it
 * @returns undefined when a percent sign is not followed by two hexadecimal digits
 */
export function canonicaliseUriPath(raw: string): string | undefined {
  return UNRESERVED_OR_SLASH.test(raw) ? raw : canonicalise(raw, true);
}

/** Works the same way for a name or value of a query, in which slashes are encoded and a plus stands for a space. */
export function canonicaliseQueryPart(raw: string): string | undefined {
  return UNRESERVED.test(raw) ? raw : canonicalise(raw.replaceAll('+', '%20'), false);
}

function canonicalise(raw: string, keepsSlash: boolean): string | undefined {
  let encoded = '';
  for (let index = 0; index < raw.length; index += 1) {
    let byte = raw.charCodeAt(index);
    if (byte === PERCENT) {
      const digits = raw.slice(index + 1, index + 3);
      if (!/^[\da-f]{2}$/i.test(digits)) return undefined;
      byte = Number.parseInt(digits, 16);
      index += 2;
    }
    if (byte > 255) return undefined;
    const isKept = isUnreserved[byte] || (keepsSlash && byte === SLASH);
    encoded += isKept ? String.fromCharCode(byte) : ENCODED[byte];
  }
  return encoded;
}
