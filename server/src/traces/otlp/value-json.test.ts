import { expect, test } from 'vitest';
import { Random } from '../../../fuzz/random.ts';
import { randomAttributes } from '../../../test/random-spans.ts';
import { type AnyValue, Double, KeyValueList } from './model.ts';
import { attributesToJson, parseExact, toJson } from './value-json.ts';

const list = (...entries: [string, AnyValue][]) =>
  new KeyValueList(entries.map(([key, value]) => ({ key, value })));

const VALUES: readonly (readonly [AnyValue, json: string])[] = [
  ['text', '"text"'],
  ['" \\ \n ☃', '"\\" \\\\ \\n ☃"'],
  ['nul \0 and half \ud800', '"nul \ufffd and half \ufffd"'],
  [true, 'true'],
  [null, 'null'],
  [5, '5'],
  [-(2n ** 63n), '-9223372036854775808'],
  [new Double(1), '1.0'],
  [new Double(-0), '-0.0'],
  [new Double(0.1), '0.1'],
  [new Double(1e21), '1e+21'],
  [new Double(1e20), '100000000000000000000.0'],
  [new Double(5e-324), '5e-324'],
  [new Double(NaN), '{"doubleValue":"NaN"}'],
  [new Double(-Infinity), '{"doubleValue":"-Infinity"}'],
  [new Uint8Array([1, 2]), '{"bytesValue":"AQI="}'],
  [new Uint8Array([0, 1, 2]).subarray(1), '{"bytesValue":"AQI="}'],
  [[], '[]'],
  [['a', [1, null]], '["a",[1,null]]'],
  [list(), '{}'],
  [list(['b', 1], ['a', 2], ['b', 3]), '{"b":1,"a":2,"b":3}'],
  [list(['bytesValue', 'AQI=']), '{"kvlistValue":{"bytesValue":"AQI="}}'],
  [list(['doubleValue', 'NaN']), '{"kvlistValue":{"doubleValue":"NaN"}}'],
  [list(['kvlistValue', list(['a', 1])]), '{"kvlistValue":{"kvlistValue":{"a":1}}}'],
  [list(['bytesValue', 1], ['bytesValue', 2]), '{"kvlistValue":{"bytesValue":1,"bytesValue":2}}'],
  [list(['bytesValue', 1], ['other', 2]), '{"bytesValue":1,"other":2}'],
  [list(['k\0', 1]), '{"k\ufffd":1}'],
];

test.each(VALUES)('toJson writes %o as %s', (value, json) => {
  expect(toJson(value)).toBe(json);
});

test('attributesToJson writes an object, whatever the attribute names', () => {
  expect(attributesToJson([])).toBe('{}');
  expect(attributesToJson([{ key: 'bytesValue', value: 'x' }])).toBe('{"bytesValue":"x"}');
  expect(attributesToJson([{ key: '__proto__', value: 1 }])).toBe('{"__proto__":1}');
});

test('attributesToJson handles more keys than it caches', () => {
  const attributes = Array.from({ length: 5000 }, (_, index) => ({ key: `key ${index}`, value: index }));
  expect(Object.entries(JSON.parse(attributesToJson(attributes)) as object)).toEqual(
    attributes.map(({ key, value }) => [key, value]),
  );
});

test('parseExact and stringify return the original text', () => {
  const texts = [
    '{"a":1.0,"b":[1e+21,-0.0,0.1,100,9223372036854775807],"c":"1.0"}',
    '1.0',
    '"1.0"',
    '{"a":5,"b":{"c":[]}}',
    '[5e-324,100000000000000000000.0]',
    '{"__proto__":{"a":2.0}}',
  ];
  for (const text of texts) expect(JSON.stringify(parseExact(text))).toBe(text);
  expect(parseExact('{"a":1.5,"b":2,"b":3}')).toEqual({ a: 1.5, b: 3 });
  expect(({} as Record<string, unknown>).a).toBeUndefined();
});

/** Inverse of `toJson`, except for repeated keys. */
function fromJson(value: unknown): AnyValue {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number') return fromLiteral(String(value));
  if (Array.isArray(value)) return value.map(fromJson);
  const object = value as Record<string, unknown>;
  if (Object.isFrozen(object) && typeof object.rawJSON === 'string') return fromLiteral(object.rawJSON);
  const [first, ...others] = Object.entries(object);
  if (first && others.length === 0) {
    if (first[0] === 'doubleValue') return new Double(Number(first[1]));
    if (first[0] === 'bytesValue') return new Uint8Array(Buffer.from(first[1] as string, 'base64'));
    if (first[0] === 'kvlistValue') return toList(first[1] as Record<string, unknown>);
  }
  return toList(object);
}

const toList = (object: Record<string, unknown>) =>
  new KeyValueList(Object.entries(object).map(([key, value]) => ({ key, value: fromJson(value) })));

function fromLiteral(text: string): AnyValue {
  const value = Number(text);
  if (!/^-?\d+$/.test(text)) return new Double(value);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}

/** Keeps the last value of each repeated key. */
function lastOfEach(value: AnyValue): unknown {
  if (Array.isArray(value)) return value.map(lastOfEach);
  if (!(value instanceof KeyValueList)) return value;
  return { entries: new Map(value.entries.map(({ key, value: each }) => [key, lastOfEach(each)])) };
}

test('toJson is unambiguous', () => {
  for (let seed = 0; seed < 500; seed++) {
    const value = new KeyValueList(randomAttributes(new Random(String(seed), 'json'), 0));
    expect(lastOfEach(fromJson(parseExact(toJson(value))))).toStrictEqual(lastOfEach(value));
  }
});
