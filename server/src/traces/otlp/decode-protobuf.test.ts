import { describe, expect, test } from 'vitest';
import {
  bytesField,
  doubleField,
  encodeProtobuf,
  encodeSpan,
  encodeValue,
  fixed32Field,
  fixed64Field,
  makeChatSpan,
  makeSource,
  makeSpan,
  varint,
  varintField,
} from '../../../test/otlp-messages.ts';
import { ApiError } from '../../platform/errors.ts';
import { decodeProtobuf } from './decode-protobuf.ts';
import { type AnyValue, type DecodedSpan, Double, KeyValueList } from './model.ts';

const decode = (body: Uint8Array) => [...decodeProtobuf(body)];
const request = (...spans: Uint8Array[]) =>
  bytesField(1, bytesField(2, Buffer.concat(spans.map((span) => bytesField(2, span)))));
const decodeSpan = (...fields: Uint8Array[]): DecodedSpan => {
  const [item] = decode(request(Buffer.concat(fields)));
  if (!item) throw new Error('There is no span.');
  return item.span;
};
const attribute = (...value: Uint8Array[]) =>
  bytesField(9, Buffer.concat([bytesField(1, 'key'), ...value.map((each) => bytesField(2, each))]));
const decodeValue = (...value: Uint8Array[]) => decodeSpan(attribute(...value)).attributes[0]?.value;

function refusalOf(body: Uint8Array): string {
  try {
    decode(body);
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).type).toBe('invalid_error');
    return (error as ApiError).message;
  }
  return 'none';
}

test('decodeProtobuf reads an empty body as an empty request, and an empty span as the defaults', () => {
  expect(decode(Buffer.alloc(0))).toEqual([]);
  const { startTimeUnixNano, endTimeUnixNano, ...span } = decodeSpan();
  expect({ startTimeUnixNano, endTimeUnixNano }).toEqual({ startTimeUnixNano: 0n, endTimeUnixNano: 0n });
  expect(span).toMatchObject({ name: '', kind: 0, flags: 0, attributes: [], events: [], statusCode: 0 });
  expect(span.traceId).toHaveLength(0);
});

const VALUES: readonly (readonly [name: string, AnyValue])[] = [
  ['a string', 'naïve ☃ 𝄞'],
  ['an empty string', ''],
  ['true', true],
  ['false', false],
  ['the greatest integer', 2n ** 63n - 1n],
  ['the least integer', -(2n ** 63n)],
  ['minus one', -1],
  ['an integer that a double just holds', Number.MAX_SAFE_INTEGER],
  ['an integer that a double just does not hold', 2n ** 53n],
  ['a double that is whole', new Double(3)],
  ['the negative zero', new Double(-0)],
  ['NaN', new Double(NaN)],
  ['infinity', new Double(-Infinity)],
  ['bytes', new Uint8Array([0, 255, 10])],
  ['no bytes', new Uint8Array(0)],
  ['nothing', null],
  ['an array', ['a', 1, [null, new KeyValueList([])], true]],
  ['keys and values', new KeyValueList([{ key: 'a', value: [new Double(0.5)] }])],
];

test.each(VALUES)('%s', (_name, value) => {
  expect(decodeValue(encodeValue(value))).toStrictEqual(value);
});

describe('protobuf encoding variants', () => {
  test('resource and scope may follow the spans, in several parts', () => {
    const scope = Buffer.concat([
      bytesField(2, encodeSpan(makeSpan(1))),
      bytesField(1, bytesField(1, 'first name')),
      bytesField(3, 'scope schema'),
      bytesField(1, Buffer.concat([bytesField(1, 'name'), varintField(4, 7)])),
      bytesField(1, bytesField(2, '2.0')),
    ]);
    const named = (key: string) => bytesField(1, bytesField(1, bytesField(1, key)));
    const body = bytesField(1, Buffer.concat([bytesField(2, scope), named('a'), named('b')]));
    const [item] = decode(body);
    expect(item?.source).toStrictEqual({
      resource: {
        attributes: [
          { key: 'a', value: null },
          { key: 'b', value: null },
        ],
        droppedAttributesCount: 0,
        schemaUrl: '',
      },
      scope: {
        name: 'name',
        version: '2.0',
        attributes: [],
        droppedAttributesCount: 7,
        schemaUrl: 'scope schema',
      },
    });
  });

  test('spans of one scope share their source', () => {
    const source = makeSource();
    const items = decode(encodeProtobuf([{ source, spans: [makeSpan(1), makeSpan(2)] }]));
    expect(items).toHaveLength(2);
    expect(items[0]?.source).toBe(items[1]?.source);
  });

  test('the last of a repeated field counts, and repeated messages are merged', () => {
    const span = decodeSpan(
      bytesField(5, 'first'),
      bytesField(5, 'second'),
      bytesField(15, Buffer.concat([bytesField(2, 'why'), varintField(3, 1)])),
      bytesField(15, varintField(3, 2)),
    );
    expect(span).toMatchObject({ name: 'second', statusMessage: 'why', statusCode: 2 });
    expect(decodeValue(encodeValue('a'), encodeValue(1))).toBe(1);
    expect(decodeValue(encodeValue(['a']), encodeValue(['b']))).toEqual(['a', 'b']);
    expect(decodeValue(encodeValue(['a']), encodeValue('c'), encodeValue(['b']))).toEqual(['b']);
    const list = (key: string) => encodeValue(new KeyValueList([{ key, value: 1 }]));
    expect(decodeValue(Buffer.concat([list('a'), list('b')]))).toStrictEqual(
      new KeyValueList([
        { key: 'a', value: 1 },
        { key: 'b', value: 1 },
      ]),
    );
    expect(decodeValue(encodeValue('a'), Buffer.alloc(0))).toBe('a');
  });

  test('unknown fields are skipped', () => {
    const unknown = Buffer.concat([
      varintField(99, 2n ** 64n - 1n),
      fixed64Field(100, 1n),
      bytesField(101, 'something new'),
      fixed32Field(536_870_911, 1),
    ]);
    expect(decodeSpan(unknown, bytesField(5, 'name'), unknown).name).toBe('name');
    expect(decode(Buffer.concat([unknown, request(bytesField(5, 'x'))]))).toHaveLength(1);
    expect(decodeValue(Buffer.concat([unknown, encodeValue(5)]))).toBe(5);
    // Field 1 of a status is reserved.
    expect(decodeSpan(bytesField(15, varintField(1, 3))).statusCode).toBe(0);
  });

  test('overlong varints are read, and numbers too large for their field are truncated', () => {
    const padded = Buffer.from([0x18, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00]);
    expect(decodeValue(padded)).toBe(1);
    expect(decodeSpan(varintField(10, 2n ** 32n + 5n)).droppedAttributesCount).toBe(5);
    expect(decodeSpan(fixed32Field(16, 2 ** 32 - 1)).flags).toBe(2 ** 32 - 1);
    expect(decodeValue(varintField(2, 2n ** 40n))).toBe(true);
  });

  test('unknown kinds and codes are read as unspecified', () => {
    expect(decodeSpan(varintField(6, 6)).kind).toBe(0);
    expect(decodeSpan(varintField(6, -1)).kind).toBe(0);
    expect(decodeSpan(bytesField(15, varintField(3, 3))).statusCode).toBe(0);
  });

  test('times use all 64 bits', () => {
    const span = decodeSpan(fixed64Field(7, 2n ** 64n - 1n), fixed64Field(8, 1n));
    expect(span.startTimeUnixNano).toBe(2n ** 64n - 1n);
    expect(span.endTimeUnixNano).toBe(1n);
  });

  test('a body may be a view of a larger buffer', () => {
    const body = encodeProtobuf([{ source: makeSource(), spans: [makeChatSpan(1)] }]);
    const larger = Buffer.concat([Buffer.alloc(3, 1), body, Buffer.alloc(3, 1)]);
    expect(decode(larger.subarray(3, -3))).toStrictEqual(decode(body));
  });
});

test('invalid or unstorable text becomes U+FFFD', () => {
  expect(decodeValue(encodeValue('a\0b'))).toBe('a\ufffdb');
  expect(decodeValue(encodeValue(`${'a'.repeat(100)}\0`))).toBe(`${'a'.repeat(100)}\ufffd`);
  expect(decodeValue(bytesField(1, new Uint8Array([0x61, 0xff, 0x62])))).toBe('a\ufffdb');
  expect(decodeValue(bytesField(1, new Uint8Array([0xed, 0xa0, 0x80])))).toBe('\ufffd\ufffd\ufffd');
  expect(decodeSpan(bytesField(5, 'na\0me')).name).toBe('na\ufffdme');
  const [first] = decodeSpan(bytesField(9, bytesField(1, 'ke\0y'))).attributes;
  expect(first?.key).toBe('ke\ufffdy');
});

test('a byte order mark stays part of its text', () => {
  const texts = ['\ufeffshort', `\ufeff${'long '.repeat(20)}`];
  expect(texts.map((text) => decodeValue(encodeValue(text)))).toEqual(texts);
});

test('keys that look alike stay distinct', () => {
  const names = Array.from({ length: 5000 }, (_, index) => `key ${index % 2500}`);
  const keys = names.map((name) => bytesField(9, bytesField(1, name)));
  expect(decodeSpan(...keys).attributes.map(({ key }) => key)).toEqual(names);
});

/** A request that goes on after the span with this end. */
const followed = (end: Uint8Array) => Buffer.concat([request(end), request(bytesField(5, 'x'.repeat(99)))]);

const longNumber = (field: number) =>
  Buffer.concat([varint(field * 8), Buffer.from([...Array(9).fill(0xff), 0x7f])]);

const BAD: readonly (readonly [name: string, body: Uint8Array, says: RegExp])[] = [
  ['a length beyond the end', Buffer.from([0x0a, 0x05, 0x00]), /ends in the middle/],
  [
    'a length beyond its message',
    request(bytesField(9, Buffer.from([0x0a, 0x02, 0x61]))),
    /ends in the middle/,
  ],
  ['a length of 64 bits', Buffer.concat([Buffer.from([0x0a]), varint(2n ** 63n)]), /ends in the middle/],
  ['a length of 33 bits', Buffer.from([0x0a, 0x80, 0x80, 0x80, 0x80, 0x10]), /ends in the middle/],
  ['a length of six bytes', Buffer.from([0x0a, ...Array(5).fill(0x80), 0]), /ends in the middle/],
  ['a number beyond its message', followed(Buffer.from([0x30, 0x80])), /ends in the middle/],
  ['a time beyond its message', followed(Buffer.from([0x39, 1, 2, 3])), /ends in the middle/],
  ['flags beyond their message', followed(Buffer.from([0x85, 0x01, 1])), /ends in the middle/],
  ['an unknown number beyond its message', followed(Buffer.from([0x98, 0x06, 0x80])), /ends in the middle/],
  ['an unknown text beyond its message', followed(Buffer.from([0x9a, 0x06, 9])), /ends in the middle/],
  ['an unknown number of 70 bits', request(longNumber(99)), /more than 64 bits/],
  ['a tag alone', Buffer.from([0x0a]), /ends in the middle/],
  ['half a number', request(Buffer.from([0x30, 0x80])), /ends in the middle/],
  ['half a time', request(Buffer.from([0x39, 1, 2, 3])), /ends in the middle/],
  ['half of the flags', request(Buffer.from([0x85, 0x01, 1, 2])), /ends in the middle/],
  ['a number of 11 bytes', request(Buffer.from([0x30, ...Array(10).fill(0x80), 0])), /more than 64 bits/],
  ['a number of 70 bits', request(Buffer.from([0x30, ...Array(9).fill(0xff), 0x7f])), /more than 64 bits/],
  ['field number 0', Buffer.from([0x02, 0x00]), /without a valid number/],
  ['a field number of 30 bits', Buffer.concat([varint(2 ** 33), Buffer.from([0])]), /without a valid number/],
  ['a name that is a number', request(varintField(5, 1)), /field 5 as wire type 0/],
  ['packed kinds', request(bytesField(6, Buffer.from([1, 2]))), /field 6 as wire type 2/],
  ['a time as a varint', request(varintField(7, 1)), /field 7 as wire type 0/],
  ['flags of 64 bits', request(fixed64Field(16, 1n)), /field 16 as wire type 1/],
  ['a resource that is a number', varintField(1, 1), /field 1 as wire type 0/],
  ['scopes that are a double', bytesField(1, doubleField(2, 1)), /field 2 as wire type 1/],
  ['spans that are a number', bytesField(1, bytesField(2, varintField(2, 1))), /field 2 as wire type 0/],
  ['the start of a group', request(varint((99 << 3) | 3)), /wire type 3/],
  ['the end of a group', request(varint((99 << 3) | 4)), /wire type 4/],
  ['a wire type that there is not', request(varint((99 << 3) | 6)), /wire type 6/],
  ['JSON', Buffer.from('{"resourceSpans":[]}'), /not a valid ExportTraceServiceRequest/],
];

test.each(BAD)('decodeProtobuf refuses %s', (_name, body, says) => {
  expect(refusalOf(body)).toMatch(says);
});

test('decodeProtobuf refuses a truncated body before its first span', () => {
  const body = encodeProtobuf([{ source: makeSource(), spans: [makeSpan(1), makeSpan(2)] }]);
  expect(() => decodeProtobuf(body.subarray(0, -1))).toThrow(ApiError);
});

describe('nesting depth in protobuf', () => {
  const nested = (levels: number) => {
    let value = encodeValue('deep');
    for (let level = 0; level < levels; level++) value = bytesField(5, bytesField(1, value));
    return request(attribute(value));
  };

  test('64 levels are accepted, 65 are refused', () => {
    // Request, resource, scope, span, attribute and value are six levels; each array and its value two more.
    expect(decode(nested(29))).toHaveLength(1);
    expect(refusalOf(nested(30))).toMatch('nested deeper than 64 levels');
  });

  test('extreme depth is refused without a stack overflow', () => {
    const levels = 20_000;
    const pieces: Uint8Array[] = [];
    let length = 0;
    for (let level = 0; level < levels; level++) {
      const head = Buffer.concat([Buffer.from([level % 2 === 0 ? 0x0a : 0x2a]), varint(length)]);
      pieces.push(head);
      length += head.length;
    }
    expect(refusalOf(request(attribute(Buffer.concat(pieces.toReversed()))))).toMatch('nested deeper');
  });
});

test('decodeProtobuf refuses a span with more values than memory should hold', () => {
  expect(refusalOf(request(Buffer.alloc(4_000_000, bytesField(9, ''))))).toMatch('more than 500,000 values');
  const items = bytesField(5, Buffer.alloc(4_000_000, bytesField(1, '')));
  expect(refusalOf(request(attribute(items)))).toMatch('more than 500,000 values');
});

test('decodeProtobuf refuses a value that replaces itself more often than a span has values', () => {
  const both = Buffer.concat([varintField(2, 1), varintField(3, 1)]);
  expect(refusalOf(request(attribute(Buffer.alloc(900_000, both))))).toBe('none');
  expect(refusalOf(request(attribute(Buffer.alloc(1_100_000, both))))).toMatch('more than 500,000 values');
});

test.each([
  ['events', 11],
  ['links', 13],
])('decodeProtobuf refuses a span with more %s than memory should hold', (_what, field) => {
  expect(refusalOf(request(Buffer.alloc(200_002, bytesField(field, ''))))).toMatch('more than 100,000');
});

test('decodeProtobuf refuses a span with too much text, in however many parts it comes', () => {
  const text = bytesField(2, bytesField(1, 'x'.repeat(1_000_000)));
  const some = Buffer.concat(Array.from({ length: 17 }, () => bytesField(9, text)));
  expect(refusalOf(request(some))).toMatch('more than 16 MiB');
  const resource = Buffer.concat(Array.from({ length: 5 }, () => bytesField(1, bytesField(1, text))));
  expect(refusalOf(bytesField(1, resource))).toMatch('more than 4 MiB');
});

test('decodeProtobuf refuses more bytes of small and of unknown fields than a message may take', () => {
  const unknown = Buffer.alloc(17 * 2 ** 20, Buffer.from([0x78, 0]));
  const kinds = Buffer.alloc(17 * 2 ** 20, varintField(6, 1));
  expect(refusalOf(unknown)).toMatch('more than 4 MiB');
  expect(refusalOf(bytesField(1, unknown))).toMatch('more than 4 MiB');
  expect(refusalOf(bytesField(1, bytesField(2, unknown)))).toMatch('more than 4 MiB');
  expect(refusalOf(request(kinds))).toMatch('more than 16 MiB');
});

test('decodeProtobuf reads a list given in many parts in linear time', () => {
  const entries = Array.from({ length: 50_000 }, () => ({ key: 'k', value: 1 }));
  const first = encodeValue(new KeyValueList(entries));
  const value = decodeValue(Buffer.concat([first, Buffer.alloc(1_000_000, bytesField(6, ''))]));
  expect((value as KeyValueList).entries).toHaveLength(50_000);
});
