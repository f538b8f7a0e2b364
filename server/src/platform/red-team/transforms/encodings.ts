/** Encodings of the bytes or code points of a text. All of them have exact inverses. */
import { type Transform, withoutParams } from './transform.ts';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function toBase32(text: string): string {
  let encoded = '';
  let bits = 0;
  let held = 0;
  for (const byte of Buffer.from(text)) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) encoded += BASE32[(held >>> (bits - 5)) & 31];
    held &= 0xff;
  }
  if (bits > 0) encoded += BASE32[(held << (5 - bits)) & 31];
  return encoded.padEnd(Math.ceil(encoded.length / 8) * 8, '=');
}

function fromBase32(text: string): string {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const digit of text.replace(/=+$/, '')) {
    held = ((held & 0xff) << 5) | BASE32.indexOf(digit);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >>> bits) & 0xff);
  }
  return Buffer.from(bytes).toString();
}

const toBinary = (text: string) =>
  Array.from(Buffer.from(text), (byte) => byte.toString(2).padStart(8, '0')).join(' ');

const fromBinary = (text: string) =>
  Buffer.from((text.match(/[01]+/g) ?? []).map((digits) => Number.parseInt(digits, 2))).toString();

/** RFC 3986 leaves these characters as they are. */
const UNRESERVED = /[\w.~-]/;

/** Works on bytes, because `encodeURIComponent` throws at lone surrogates and leaves `!'()*` as they are. */
const toUrl = (text: string) =>
  Array.from(Buffer.from(text), (byte) => {
    const character = String.fromCharCode(byte);
    return UNRESERVED.test(character) ? character : `%${toHex(byte, 2).toUpperCase()}`;
  }).join('');

const toHex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
const codeOf = (character: string) => character.codePointAt(0) ?? 0;

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\\': String.raw`\\`,
  '\t': String.raw`\t`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
};
const UNESCAPED = Object.fromEntries(
  Object.entries(SHORT_ESCAPES).map(([character, escape]) => [escape, character]),
);

function escapeCharacter(character: string): string {
  const code = codeOf(character);
  if (code < 0x100) return SHORT_ESCAPES[character] ?? String.raw`\x${toHex(code, 2)}`;
  return code < 0x10000 ? String.raw`\u${toHex(code, 4)}` : String.raw`\U${toHex(code, 8)}`;
}

const ESCAPE = /\\(?:[\\tnr]|x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8}))/g;

const unescape = (text: string) =>
  text.replaceAll(ESCAPE, (escape, two?: string, four?: string, eight?: string) => {
    const digits = two ?? four ?? eight;
    return digits === undefined
      ? (UNESCAPED[escape] ?? escape)
      : String.fromCodePoint(Number.parseInt(digits, 16));
  });

const FIRST_ASCII85 = '!'.charCodeAt(0);
/** Fills up a short last group. */
const LAST_ASCII85 = 'u'.charCodeAt(0);
const POWERS_OF_85 = [85 ** 4, 85 ** 3, 85 ** 2, 85, 1] as const;

/** Groups of four bytes become five characters, or `z` where a whole group is zero. */
function toAscii85(text: string): string {
  const bytes = Buffer.from(text);
  const padded = Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
  let encoded = '';
  for (let at = 0; at < padded.length; at += 4) {
    const value = padded.readUInt32BE(at);
    const missing = Math.max(0, at + 4 - bytes.length);
    const digits = POWERS_OF_85.map((power) => FIRST_ASCII85 + (Math.floor(value / power) % 85));
    encoded +=
      value === 0 && missing === 0 ? 'z' : String.fromCharCode(...digits.slice(0, digits.length - missing));
  }
  return encoded;
}

function fromAscii85(text: string): string {
  const groups = text.replaceAll('z', '!!!!!').match(/.{1,5}/gs) ?? [];
  return Buffer.concat(
    groups.map((group) => {
      const value = POWERS_OF_85.reduce(
        (sum, power, at) => sum + power * ((group.charCodeAt(at) || LAST_ASCII85) - FIRST_ASCII85),
        0,
      );
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value % 2 ** 32);
      return bytes.subarray(0, group.length - 1);
    }),
  ).toString();
}

export const ENCODINGS: readonly Transform[] = withoutParams('encoding', [
  {
    name: 'base64',
    summary: 'Encodes the text as Base64 (RFC 4648).',
    apply: (text) => Buffer.from(text).toString('base64'),
    inverse: (text) => Buffer.from(text, 'base64').toString(),
  },
  {
    name: 'base32',
    summary: 'Encodes the text as Base32 (RFC 4648).',
    apply: toBase32,
    inverse: fromBase32,
  },
  {
    name: 'hex',
    summary: 'Writes the UTF-8 bytes as lower-case hexadecimal digits.',
    apply: (text) => Buffer.from(text).toString('hex'),
    inverse: (text) => Buffer.from(text, 'hex').toString(),
  },
  {
    name: 'binary',
    summary: 'Writes the UTF-8 bytes as groups of eight binary digits.',
    apply: toBinary,
    inverse: fromBinary,
  },
  {
    name: 'url',
    summary: 'Percent-encodes everything but letters, digits and "-._~" (RFC 3986).',
    apply: toUrl,
    inverse: decodeURIComponent,
  },
  {
    name: 'ascii85',
    summary: 'Encodes the text as Ascii85, without delimiters.',
    apply: toAscii85,
    inverse: fromAscii85,
  },
  {
    name: 'html_entities',
    summary: 'Writes each character as a decimal character reference of HTML.',
    apply: (text) => Array.from(text, (character) => `&#${codeOf(character)};`).join(''),
    inverse: (text) => text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code))),
  },
  {
    name: 'unicode_escape',
    summary: 'Escapes backslashes, control characters and all that is not ASCII, as Python does.',
    apply: (text) => text.replaceAll(/[^ -[\]-~]/gu, escapeCharacter),
    inverse: unescape,
  },
]);
