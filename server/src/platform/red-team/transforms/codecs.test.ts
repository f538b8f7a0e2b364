import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PythonRandom } from '../../random/python-random.ts';
import { findTransform, TRANSFORMS } from './catalogue.ts';
import type { PureTransform } from './transform.ts';

interface Row {
  readonly text: string;
  readonly encoded: Readonly<Record<string, string>>;
}
const FIXTURE = join(import.meta.dirname, '../../../../test/red-team/codecs.json');
/** Written by test/red-team/codecs.py. */
const rows = JSON.parse(readFileSync(FIXTURE, 'utf8')) as Row[];

type Codec = PureTransform & Required<Pick<PureTransform, 'inverse'>>;
const isCodec = (transform: (typeof TRANSFORMS)[number]): transform is Codec =>
  !transform.isModelBased && transform.inverse !== undefined;
const codecs = TRANSFORMS.filter(isCodec);

const STANDARD = [
  'base64',
  'base32',
  'hex',
  'binary',
  'url',
  'ascii85',
  'html_entities',
  'unicode_escape',
  'rot13',
  'rot47',
  'atbash',
  'caesar',
];

function codecOf(name: string): Codec {
  const transform = findTransform(name);
  if (!transform || !isCodec(transform)) throw new Error(`${name} is not a codec.`);
  return transform;
}

/** Each call gets a generator of its own, which shows that codecs draw nothing. */
const encode = (codec: Codec, text: string, params: Record<string, unknown> = {}) =>
  codec.apply(text, codec.params.parse(params), new PythonRandom(0));
const decode = (codec: Codec, text: string, params: Record<string, unknown> = {}) =>
  codec.inverse(text, codec.params.parse(params));

test.each(STANDARD)('%s encodes as Python does', (name) => {
  const codec = codecOf(name);
  expect(rows.length).toBeGreaterThanOrEqual(60);
  for (const { text, encoded } of rows) {
    expect(encode(codec, text)).toBe(encoded[name]);
    expect(decode(codec, encoded[name] as string)).toBe(text);
  }
});

test('TRANSFORMS has the inverses of all codecs', () => {
  expect(codecs.map(({ name }) => name).toSorted()).toEqual(
    [...STANDARD, 'vigenere', 'reverse', 'bidi_override'].toSorted(),
  );
});

/** Ends of the ranges of code points to draw from: small ones give texts with many ASCII letters, NULs and marks. */
const RANGES: readonly (readonly [first: number, end: number])[] = [
  [0, 0x02],
  [0x20, 0x7f],
  [0x00, 0x100],
  [0x0300, 0x0370],
  [0x0100, 0xd800],
  [0xe000, 0x10000],
  [0x1f300, 0x1fb00],
  [0x10000, 0x110000],
];

function drawText(random: PythonRandom): string {
  const ranges = random.sample(RANGES, random.randint(1, 3));
  const codes = Array.from({ length: random.randint(0, 30) }, () =>
    random.randrange(...random.choice(ranges)),
  );
  return String.fromCodePoint(...codes);
}

const SPECIAL = [
  '',
  '\0',
  '\0\0\0\0',
  '\n',
  '\r\n',
  '\\',
  '%',
  '&#65;',
  'z',
  '=',
  '\u202e',
  'e\u0301',
  '\u{10ffff}',
];

test.each(codecs)('$name is reversed exactly by its inverse', (codec) => {
  const random = new PythonRandom(20_261_118);
  const texts = [...SPECIAL, ...Array.from({ length: 3_000 }, () => drawText(random))];
  const broken = texts.filter((text) => decode(codec, encode(codec, text)) !== text);
  expect(broken).toEqual([]);
});

test('caesar is reversed exactly by its inverse with any shift', () => {
  const text = 'The quick brown fox jumps over the lazy dog. Größe 🌍';
  for (let shift = 1; shift <= 25; shift++) {
    const encoded = encode(codecOf('caesar'), text, { shift });
    expect(encoded).not.toBe(text);
    expect(decode(codecOf('caesar'), encoded, { shift })).toBe(text);
  }
});

test('vigenere encodes the published example, and ignores the case of the key', () => {
  const [text, encoded] = ['attack at dawn', 'lxfopv ef rnhr'];
  expect(encode(codecOf('vigenere'), text, { key: 'LEMON' })).toBe(encoded);
  expect(encode(codecOf('vigenere'), text)).toBe(encoded);
  expect(decode(codecOf('vigenere'), encoded, { key: 'Lemon' })).toBe(text);
});

test.each([
  ['caesar', { shift: 0 }],
  ['caesar', { shift: 26 }],
  ['caesar', { shift: 1.5 }],
  ['vigenere', { key: '' }],
  ['vigenere', { key: 'two words' }],
  ['base64', { shift: 3 }],
])('%s rejects the parameters %j', (name, params) => {
  expect(codecOf(name).params.safeParse(params).success).toBe(false);
});
