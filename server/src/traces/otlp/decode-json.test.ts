import { describe, expect, test } from 'vitest';
import { encodeJson, makeChatSpan, makeSource, makeSpan, toDocument } from '../../../test/otlp-messages.ts';
import { ApiError } from '../../platform/errors.ts';
import { decodeJson } from './decode-json.ts';
import { type AnyValue, type DecodedSpan, Double, KeyValueList } from './model.ts';

const decode = (body: unknown) => [
  ...decodeJson(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))),
];
const request = (...spans: unknown[]) => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
const decodeSpan = (span: unknown): DecodedSpan => {
  const [item] = decode(
    typeof span === 'string' ? JSON.stringify(request(0)).replace('0', () => span) : request(span),
  );
  if (!item) throw new Error('There is no span.');
  return item.span;
};
const decodeValue = (value: unknown) =>
  decodeSpan(
    `{"attributes":[{"key":"k","value":${typeof value === 'string' ? value : JSON.stringify(value)}}]}`,
  ).attributes[0]?.value;

function errorOf(work: () => unknown): ApiError {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    return error as ApiError;
  }
  throw new Error('Nothing was refused.');
}

const SPAN = ['body', 'resourceSpans', 0, 'scopeSpans', 0, 'spans', 0];

test('decodeJson uses defaults for missing fields, and treats null as missing', () => {
  expect(decode({})).toEqual([]);
  expect(decode({ resourceSpans: null })).toEqual([]);
  expect(decode({ resourceSpans: [{ scopeSpans: null, resource: null }] })).toEqual([]);
  const bare = decodeSpan({});
  expect(bare).toMatchObject({ name: '', kind: 0, startTimeUnixNano: 0n, attributes: [], events: [] });
  const fields = Object.keys(
    toDocument([{ source: makeSource(), spans: [makeSpan(1)] }]).resourceSpans[0]!.scopeSpans[0]!.spans[0]!,
  );
  expect(fields.length).toBeGreaterThan(15);
  expect(decodeSpan(Object.fromEntries(fields.map((field) => [field, null])))).toStrictEqual(bare);
  expect(decodeValue({ intValue: null })).toBeNull();
  expect(decodeValue('null')).toBeNull();
});

const VALUES: readonly (readonly [text: string, AnyValue])[] = [
  ['{}', null],
  ['{"stringValue":"\\u2603 \\" \\\\ ü"}', '☃ " \\ ü'],
  ['{"stringValue":""}', ''],
  ['{"stringValue":"a\\u0000b\\ud800"}', 'a\ufffdb\ufffd'],
  ['{"boolValue":false}', false],
  ['{"intValue":"-5"}', -5],
  ['{"intValue":7}', 7],
  ['{"intValue":-0}', 0],
  ['{"intValue":"-0"}', 0],
  ['{"intValue":1.0}', 1],
  ['{"intValue":1e3}', 1000],
  ['{"intValue":"9007199254740991"}', Number.MAX_SAFE_INTEGER],
  ['{"intValue":"9007199254740993"}', 9007199254740993n],
  ['{"intValue":9007199254740993}', 9007199254740993n],
  ['{"intValue":-9223372036854775808}', -(2n ** 63n)],
  ['{"intValue":"9223372036854775807"}', 2n ** 63n - 1n],
  ['{"doubleValue":3}', new Double(3)],
  ['{"doubleValue":-0.0}', new Double(-0)],
  ['{"doubleValue":12345678901234567890}', new Double(1.2345678901234567e19)],
  ['{"doubleValue":0.12345678901234567890}', new Double(0.12345678901234568)],
  ['{"doubleValue":"1.5e3"}', new Double(1500)],
  ['{"doubleValue":"NaN"}', new Double(NaN)],
  ['{"doubleValue":"-Infinity"}', new Double(-Infinity)],
  ['{"bytesValue":"+/8="}', new Uint8Array([0xfb, 0xff])],
  ['{"bytesValue":"-_8"}', new Uint8Array([0xfb, 0xff])],
  ['{"bytesValue":""}', new Uint8Array(0)],
  ['{"arrayValue":{}}', []],
  ['{"arrayValue":{"values":[{"intValue":1},{}]}}', [1, null]],
  ['{"kvlistValue":{"values":[{"key":"a"}]}}', new KeyValueList([{ key: 'a', value: null }])],
  ['{"somethingNew":1,"stringValue":"a","alsoNew":2}', 'a'],
  ['{"stringValue":"a","intValue":1}', 1],
];

test.each(VALUES)('decodeJson reads the value %s', (text, value) => {
  expect(decodeValue(text)).toStrictEqual(value);
});

test('decodeJson accepts numbers as text or number, and ids in either case', () => {
  const span = decodeSpan(`{"traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"eee19b7ec3c1b174",
    "startTimeUnixNano":1790000000123456789,"endTimeUnixNano":"18446744073709551615","flags":"257","kind":3,
    "droppedAttributesCount":4294967295,"events":[{"timeUnixNano":1.5e18}]}`);
  expect(Buffer.from(span.traceId).toString('hex')).toBe('5b8efff798038103d269b633813fc60c');
  expect(Buffer.from(span.spanId).toString('hex')).toBe('eee19b7ec3c1b174');
  expect(span.startTimeUnixNano).toBe(1790000000123456789n);
  expect(span.endTimeUnixNano).toBe(2n ** 64n - 1n);
  expect(span.events[0]?.timeUnixNano).toBe(1_500_000_000_000_000_000n);
  expect(span).toMatchObject({ flags: 257, kind: 3, droppedAttributesCount: 2 ** 32 - 1 });
});

test('decodeJson marks an id that is not hexadecimal as unusable without refusing the request', () => {
  for (const id of ['W47/95gDgQPSabYzgT/GDA==', 'abc', 'gg', '0x', '☃☃']) {
    const { traceId, parentSpanId } = decodeSpan({ traceId: id, parentSpanId: id });
    expect([traceId.length, parentSpanId.length]).toEqual([1, 1]);
  }
});

test('decodeJson reads unknown kinds and codes as unspecified', () => {
  expect(decodeSpan({ kind: 6, status: { code: 3 } })).toMatchObject({ kind: 0, statusCode: 0 });
  expect(decodeSpan({ kind: -1, status: { code: 2 } })).toMatchObject({ kind: 0, statusCode: 2 });
});

describe('the JSON document around the spans', () => {
  test('fields may be in any order, with spaces, unknown fields and escaped names', () => {
    const span = JSON.stringify({ name: 'a', later: [{ x: '}' }] });
    const [item, ...others] =
      decode(`\ufeff\n { "new" : [ { "a" : "]" } ] , "resource\\u0053pans" : [ { "scopeSpans" : [
      { "spans" : [ ${span} ] , "scope" : { "name" : "s" } , "new" : null } ] , "schemaUrl" : "u" , "resource" :
      { "attributes" : [ { "key" : "k" , "value" : { "intValue" : 1 } } ] } } ] }\t`);
    expect(others).toEqual([]);
    expect(item).toMatchObject({
      span: { name: 'a' },
      source: { resource: { attributes: [{ key: 'k', value: 1 }], schemaUrl: 'u' }, scope: { name: 's' } },
    });
  });

  test('the last of two fields with the same name counts', () => {
    const items = decode(
      '{"resourceSpans":1,"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"x"}],"spans":[{"name":"a","name":"b"}]}]}]}',
    );
    expect(items.map(({ span }) => span.name)).toEqual(['b']);
  });

  test('spans of one scope share their source', () => {
    const spans = Array.from({ length: 20 }, (_, index) => makeChatSpan(index));
    const items = [...decodeJson(encodeJson([{ source: makeSource(), spans }]))];
    expect(new Set(items.map(({ source }) => source)).size).toBe(1);
    expect(items.map(({ span }) => span)).toStrictEqual(spans);
  });

  test('names of prototype properties are ordinary names', () => {
    const span = decodeSpan(
      '{"__proto__":{"name":"no"},"constructor":1,"attributes":[{"key":"__proto__","__proto__":{"value":1}}]}',
    );
    expect(span).toMatchObject({ name: '', attributes: [{ key: '__proto__', value: null }] });
  });
});

const MALFORMED: readonly string[] = [
  '',
  ' ',
  '{',
  '}',
  '{]',
  '[}',
  '{"resourceSpans":[}]',
  '{"resourceSpans":[]',
  '{"resourceSpans":[]}}',
  '{"resourceSpans":[]} x',
  '{"resourceSpans":[],}',
  '{"resourceSpans":[{},]}',
  '{"resourceSpans":[{} {}]}',
  '{"resourceSpans" []}',
  '{resourceSpans:[]}',
  '{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"a" "kind":1}]}]}]}',
  '{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"a\nb"}]}]}]}',
  '{"resourceSpans":[{"scopeSpans":[{"spans":[{]}]}]}]}',
  '{"resourceSpans":[{"scopeSpans":[{"spans":[{}],"new":[1 2]}]}]}',
  '{"resourceSpans":nul}',
  '{"resourceSpans":@}',
  '{"new":01}',
  '{"new":"\\x"}',
  '{"new":"',
  '{"new":"\\',
  '{"new":[01],"new":1}',
  '{"resourceSpans":[x],"resourceSpans":[]}',
  'NaN',
];

test.each(MALFORMED)('decodeJson refuses malformed JSON: %s', (text) => {
  expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  const error = errorOf(() => decode(text));
  expect([error.type, error.message]).toEqual(['invalid_error', 'The body is not valid JSON.']);
});

test('decodeJson refuses invalid UTF-8', () => {
  const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]);
  expect(errorOf(() => decodeJson(body)).message).toBe('The body is not valid UTF-8.');
});

test('decodeJson refuses a truncated body before its first span', () => {
  const body = encodeJson([{ source: makeSource(), spans: [makeSpan(1), makeSpan(2)] }]);
  for (let length = 0; length < body.length; length++)
    expect(errorOf(() => decodeJson(body.subarray(0, length))).type).toBe('invalid_error');
});

const WRONG: readonly (readonly [loc: readonly (string | number)[], document: unknown])[] = [
  [['body'], []],
  [['body'], 'null'],
  [['body'], '1'],
  [['body'], '"text"'],
  [['body', 'resourceSpans'], { resourceSpans: {} }],
  [['body', 'resourceSpans', 1], { resourceSpans: [{}, 1] }],
  [['body', 'resourceSpans', 0], { resourceSpans: [null] }],
  [['body', 'resourceSpans', 0, 'resource'], { resourceSpans: [{ resource: [] }] }],
  [['body', 'resourceSpans', 0, 'schemaUrl'], { resourceSpans: [{ schemaUrl: 1 }] }],
  [
    ['body', 'resourceSpans', 0, 'resource', 'attributes'],
    { resourceSpans: [{ resource: { attributes: {} } }] },
  ],
  [['body', 'resourceSpans', 0, 'scopeSpans'], { resourceSpans: [{ scopeSpans: 'x' }] }],
  [['body', 'resourceSpans', 0, 'scopeSpans', 0], { resourceSpans: [{ scopeSpans: [[]] }] }],
  [
    ['body', 'resourceSpans', 0, 'scopeSpans', 0, 'scope', 'name'],
    { resourceSpans: [{ scopeSpans: [{ scope: { name: 1 } }] }] },
  ],
  [[...SPAN], request('span')],
  [[...SPAN, 'traceId'], request({ traceId: 1 })],
  [[...SPAN, 'name'], request({ name: 1 })],
  [[...SPAN, 'kind'], request({ kind: 'SPAN_KIND_SERVER' })],
  [[...SPAN, 'flags'], request({ flags: -1 })],
  [[...SPAN, 'flags'], request({ flags: 2 ** 32 })],
  [[...SPAN, 'flags'], request({ flags: 0.5 })],
  [[...SPAN, 'startTimeUnixNano'], request({ startTimeUnixNano: '-1' })],
  [[...SPAN, 'startTimeUnixNano'], request({ startTimeUnixNano: '18446744073709551616' })],
  [[...SPAN, 'startTimeUnixNano'], request({ startTimeUnixNano: 1.5 })],
  [[...SPAN, 'startTimeUnixNano'], request({ startTimeUnixNano: '' })],
  [[...SPAN, 'startTimeUnixNano'], request({ startTimeUnixNano: true })],
  [[...SPAN, 'status'], request({ status: 2 })],
  [[...SPAN, 'status', 'code'], request({ status: { code: '2' } })],
  [[...SPAN, 'events', 0], request({ events: [1] })],
  [[...SPAN, 'links', 0, 'spanId'], request({ links: [{ spanId: {} }] })],
  [[...SPAN, 'attributes', 0, 'key'], request({ attributes: [{ key: 1 }] })],
  [[...SPAN, 'attributes', 0, 'value'], request({ attributes: [{ key: 'k', value: 'text' }] })],
  ...([
    { stringValue: 1 },
    { boolValue: 'true' },
    { intValue: '1.5' },
    { intValue: 1.5 },
    { intValue: '9223372036854775808' },
    { intValue: true },
    { intValue: 1e300 },
    { intValue: '1'.repeat(100) },
    { intValue: '' },
    { intValue: ' 1' },
    { doubleValue: '' },
    { doubleValue: '0x10' },
    { doubleValue: true },
    { bytesValue: 'a b' },
    { bytesValue: 'abcde' },
    { bytesValue: 1 },
    { arrayValue: [] },
    { kvlistValue: [] },
  ].map((value) => [
    [...SPAN, 'attributes', 0, 'value', Object.keys(value)[0] ?? ''],
    request({ attributes: [{ key: 'k', value }] }),
  ]) as [(string | number)[], unknown][]),
  [
    [...SPAN, 'attributes', 0, 'value', 'arrayValue', 'values', 1],
    request({ attributes: [{ value: { arrayValue: { values: [{}, null] } } }] }),
  ],
  [
    [...SPAN, 'attributes', 0, 'value', 'kvlistValue', 'values', 0, 'value', 'boolValue'],
    request({ attributes: [{ value: { kvlistValue: { values: [{ value: { boolValue: 1 } }] } } }] }),
  ],
];

test.each(WRONG)('decodeJson reports a wrong value at %j', (loc, document) => {
  const error = errorOf(() => decode(document));
  expect(error.type).toBe('validation_error');
  expect(error.issues).toEqual([
    { loc, msg: expect.stringMatching(/^Expected .*\.$/), type: 'invalid_type' },
  ]);
});

test('decodeJson parses a number of a million digits in no time', () => {
  const error = errorOf(() => decodeSpan(`{"flags":${'1'.repeat(1_000_000)}}`));
  expect(error.issues?.[0]?.loc.at(-1)).toBe('flags');
  expect(decodeValue(`{"doubleValue":${'1'.repeat(30)}}`)).toStrictEqual(new Double(Number('1'.repeat(30))));
});

test('decodeJson reports up to a hundred mistakes, and yields no span after the first', () => {
  const spans = [{ name: 'good' }, { name: 1, kind: 'x' }, { name: 'late' }, { flags: {} }];
  const names: string[] = [];
  const error = errorOf(() => {
    for (const { span } of decodeJson(Buffer.from(JSON.stringify(request(...spans))))) names.push(span.name);
  });
  expect(names).toEqual(['good']);
  expect(error.message).toMatch(/spans\.1\.name: .* There are 2 more mistakes; see "errors"\.$/);
  expect(error.issues?.map(({ loc }) => loc.slice(-2))).toEqual([
    [1, 'name'],
    [1, 'kind'],
    [3, 'flags'],
  ]);
  const many = errorOf(() => decode(request(...Array.from({ length: 1000 }, () => ({ name: 1 })))));
  expect(many.issues).toHaveLength(100);
});

describe('nesting depth in JSON', () => {
  // The document has six levels above a span's attribute.
  const nested = (levels: number) =>
    JSON.stringify(request(0)).replace('0', `{"a":${'['.repeat(levels - 7)}${']'.repeat(levels - 7)}}`);

  test('64 levels are accepted, 65 are refused', () => {
    expect(decode(nested(64))).toHaveLength(1);
    expect(errorOf(() => decode(nested(65))).message).toBe('The JSON is nested deeper than 64 levels.');
    expect(errorOf(() => decode('['.repeat(5_000_000))).message).toMatch('nested deeper');
  });

  test('brackets in strings do not count', () => {
    expect(decodeSpan({ name: '[{'.repeat(100) }).name).toHaveLength(200);
  });
});

test('decodeJson refuses a span with more values than memory should hold', () => {
  const error = errorOf(() => decodeSpan(`{"a":[${'[],'.repeat(3_000_000)}[]]}`));
  expect([error.type, error.message]).toEqual(['invalid_error', expect.stringMatching('more than 500,000')]);
});

test('decodeJson refuses a span with too many events or too much text', () => {
  const refusals = [
    () => decodeSpan(`{"events":[${'{},'.repeat(100_000)}{}]}`),
    () => decodeSpan({ name: 'x'.repeat(26_000_000) }),
    () => decode(`{"resourceSpans":[{"resource":{"x":"${'x'.repeat(5_000_000)}"}}]}`),
  ].map((refused) => errorOf(refused).message);
  expect(refusals).toEqual([
    'A span has more than 100,000 events or links.',
    expect.stringMatching('more than 24 MiB'),
    expect.stringMatching('more than 4 MiB'),
  ]);
});
