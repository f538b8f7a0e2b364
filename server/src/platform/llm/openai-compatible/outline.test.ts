import { describe, expect, test } from 'vitest';
import { outline } from './outline.ts';
import { withId } from './own-id.ts';

const OWN = '"own"';

/** What becomes of it. */
function rewritten(text: string): string | undefined {
  const bytes = Buffer.from(text);
  const found = outline(bytes);
  return found && withId(bytes, found, OWN).toString();
}

describe('the id', () => {
  test.each([
    ['first', '{"id":"x","a":1}', '{"id":"own","a":1}'],
    ['last', '{"a":1.10,"id":"x"}', '{"a":1.10,"id":"own"}'],
    ['among spaces', ' {\n "id" :\t"x" , "a": 1}\r\n', ' {\n "id" :\t"own" , "a": 1}\r\n'],
    [
      'after nested ones',
      '{"a":{"id":"no"},"b":[{"id":"no"}],"id":"x"}',
      '{"a":{"id":"no"},"b":[{"id":"no"}],"id":"own"}',
    ],
    [
      'after a text that looks like one',
      '{"a":"\\",\\"id\\":\\"no","id":"x"}',
      '{"a":"\\",\\"id\\":\\"no","id":"own"}',
    ],
    ['that is a value', '{"a":"id","id":"x"}', '{"a":"id","id":"own"}'],
    ['after a text that ends with a backslash', '{"a":"\\\\","id":"x"}', '{"a":"\\\\","id":"own"}'],
    ['with escapes', '{"\\u0069\\u0064":"x"}', '{"\\u0069\\u0064":"own"}'],
    ['that is null', '{"id":null}', '{"id":"own"}'],
    ['that is a number', '{"id":-1.5e+3,"a":2}', '{"id":"own","a":2}'],
    ['that is an object', '{"id":{"id":[1]},"a":2}', '{"id":"own","a":2}'],
    ['said twice', '{"id":"x","id":"y"}', '{"id":"own","id":"own"}'],
    ['with quotes and characters in it', '{"id":"\\"ü😀","a":"ü"}', '{"id":"own","a":"ü"}'],
    ['missing', '{"a":1}', '{"id":"own","a":1}'],
    ['missing, in nothing', ' { } ', ' {"id":"own" } '],
    [
      'missing, but for one with other letters',
      '{"ID":1,"idx":2,"i":3}',
      '{"id":"own","ID":1,"idx":2,"i":3}',
    ],
  ])('%s', (_, given, expected) => {
    expect(rewritten(given)).toBe(expected);
  });

  test('said again and again is no completion', () => {
    const saying = (count: number) => `{${Array.from({ length: count }, () => '"id":1').join()}}`;
    expect(rewritten(saying(16))).toBe(saying(16).replaceAll('1', '"own"'));
    expect(rewritten(saying(17))).toBeUndefined();
  });

  test('is all that changes, also where the text is no UTF-8 or has numbers that no double holds', () => {
    const head = Buffer.from('{"n":12345678901234567890.00100,"t":"');
    const bytes = Buffer.concat([head, Buffer.from([0xff, 0xc3, 0xed, 0xa0]), Buffer.from('","id":"x"}')]);
    const found = outline(bytes);
    const expected = Buffer.concat([bytes.subarray(0, -4), Buffer.from(`${OWN}}`)]);
    expect(found && withId(bytes, found, OWN)).toEqual(expected);
  });
});

test.each([
  '',
  ' ',
  'null',
  '[]',
  '"text"',
  '<html>',
  '{',
  '{"a"',
  '{"a":',
  '{"a":1',
  '{"a":1,',
  '{"a":1,}',
  '{,}',
  '{a:1}',
  "{'a':1}",
  '{"a":1]',
  '{"a":[1}',
  '{"a":[1,]}',
  '{"a":oops}',
  '{"a":NaN}',
  '{"a":01}',
  '{"a":1.}',
  '{"a":+1}',
  '{"a":--1}',
  '{"a":"x}',
  '{"a":"x\\"}',
  '{"a":"\\x"}',
  '{"a":"\\u12g4"}',
  '{"a":"x\ny"}',
  '{"a":"\u0000"}',
  '{"a":1}{"b":2}',
  '{"a":1} x',
  '\uFEFF{"a":1}',
  `{"a":${'['.repeat(100_000)}`,
  `{"a":${'['.repeat(1_000)}${']'.repeat(1_000)}}`,
])('%.30j is no answer', (text) => {
  expect(outline(Buffer.from(text))).toBeUndefined();
});

describe('random values', () => {
  let state = 1;
  const random = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  // No name is a backslash alone: V8's own JSON.parse takes some others for that one.
  const TEXTS = ['id', 'usage', '"', 'a\\b', 'ü', '😀', '\n', '{"id":1}', '', 'content', 'a b', '\u2028'];
  const value = (depth: number): unknown => {
    const kind = random(depth > 3 ? 4 : 6);
    if (kind === 0) return TEXTS[random(TEXTS.length)];
    if (kind === 1) return random(1_000) / 8 - 50;
    if (kind === 2) return random(2) === 0;
    if (kind === 3) return null;
    if (kind === 4) return Array.from({ length: random(4) }, () => value(depth + 1));
    return object(depth + 1);
  };
  const object = (depth: number): Record<string, unknown> =>
    Object.fromEntries(
      Array.from({ length: random(5) }, () => [TEXTS[random(TEXTS.length)] ?? '', value(depth)]),
    );

  test('keep all but the id', () => {
    for (let n = 0; n < 3_000; n++) {
      const given = object(0);
      const text = JSON.stringify(given, null, random(2) ? 2 : 0);
      const { id, ...others } = JSON.parse(rewritten(text) ?? '') as Record<string, unknown>;
      expect(id).toBe('own');
      const { id: _, ...expected } = given;
      expect(JSON.stringify(others)).toBe(JSON.stringify(expected));
      // No part of one is taken for whole.
      const part = text.slice(0, random(text.length));
      if (part.trim() !== text.trim()) expect(outline(Buffer.from(part))).toBeUndefined();
    }
  });
});

describe('what begins as the one before', () => {
  const HEAD = '{"id":"x","created":1,"choices":';
  const REST = [
    '[{"delta":{"content":"a"}}]}',
    '[{"delta":{"content":"ü😀"},"finish_reason":"stop"}],"id":"y","usage":{"a":1}}',
    '[],"usage":{"total_tokens":3}}',
    '[],"error":{"message":"no"}}',
    '[{}],"choices":[{"delta":{"content":"twice"}},{}]}',
    'null,"id":"z"}',
    ' []}',
    '\n\t [{"delta":{"content":"a"}}] , "id" : 1 }',
    '[ ] } ',
  ];
  const facts = (found: ReturnType<typeof outline>) => {
    if (!found) return undefined;
    const { ids, usage, error, choiceCount, isFinished, outputLength } = found;
    return { ids, usage, error, choiceCount, isFinished, outputLength };
  };
  const beginning = outline(Buffer.from(`${HEAD}[]}`))?.beginning;

  test.each(REST)('is understood alike: %s', (rest) => {
    const bytes = Buffer.from(HEAD + rest);
    const expected = facts(outline(bytes));
    expect(expected).toBeDefined();
    const found = outline(bytes, beginning);
    expect(facts(found)).toEqual(expected);
    expect(found?.beginning).toBe(beginning);
    // No part of it is taken for whole, and nothing behind it is passed over.
    for (let end = 0; end < bytes.length - 3; end++)
      expect(outline(bytes.subarray(0, end), beginning)).toBeUndefined();
    expect(outline(Buffer.from(`${HEAD}${rest}x`), beginning)).toBeUndefined();
  });

  test.each([
    ['another id', '{"id":"y","created":1,"choices":[{"delta":{"content":"a"}}]}'],
    ['less before its choices', '{"id":"x","choices":[]}'],
    ['a shorter one', '{"id":"x"}'],
  ])('and what does not is understood as well: %s', (_, text) => {
    const bytes = Buffer.from(text);
    expect(facts(outline(bytes, beginning))).toEqual(facts(outline(bytes)));
    expect(outline(bytes, beginning)?.beginning).not.toBe(beginning);
  });

  test.each([
    ['a usage', '{"usage":{"a":1},"choices":[]}'],
    ['an error', '{"error":{},"choices":[]}'],
    ['more than is kept', `{"a":"${'x'.repeat(2_000)}","choices":[]}`],
    ['no choices', '{"id":"x"}'],
  ])('none is kept with %s', (_, text) => {
    const found = outline(Buffer.from(text));
    expect(found).toBeDefined();
    expect(found?.beginning).toBeUndefined();
  });

  test('of several ids those before the choices are kept', () => {
    const text = '{"id":1,"id":2,"choices":[],"id":3}';
    const first = outline(Buffer.from(text));
    expect(first?.beginning?.ids).toHaveLength(2);
    expect(facts(outline(Buffer.from(text), first?.beginning))).toEqual(facts(first));
  });
});

test('what was said is counted in the units of strings', () => {
  const said = (message: object, more = {}) =>
    outline(Buffer.from(JSON.stringify({ content: 'no', choices: [{ message, ...more }] })))?.outputLength;
  expect(said({ role: 'assistant', content: 'abc' })).toBe(3);
  expect(said({ content: 'aü😀\n"\u0001' })).toBe('aü😀\n"\u0001'.length);
  expect(said({ content: null, refusal: 'no' })).toBe(2);
  expect(said({ reasoning_content: 'ab', content: 'c' })).toBe(3);
  expect(said({ reasoning: 'ab', reasoning_details: [{ type: 'text', text: 'ab' }] })).toBe(2);
  expect(said({ content: [{ type: 'text', text: 'abc' }] })).toBe(3);
  expect(
    said({
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'ab', arguments: '{"c":1}' } }],
    }),
  ).toBe(9);
  expect(
    said({ content: 'a' }, { logprobs: { content: [{ token: 'a', top_logprobs: [{ token: 'b' }] }] } }),
  ).toBe(1);
});

test('choices, their end, usage and errors are found where they are', () => {
  const find = (value: object) => outline(Buffer.from(JSON.stringify(value)));
  expect(find({})).toMatchObject({
    choiceCount: undefined,
    isFinished: false,
    usage: undefined,
    error: undefined,
  });
  expect(find({ choices: null })).toMatchObject({ choiceCount: undefined });
  expect(find({ choices: [] })).toMatchObject({ choiceCount: 0 });
  expect(find({ choices: [{}, { finish_reason: null }] })).toMatchObject({
    choiceCount: 2,
    isFinished: false,
  });
  expect(find({ choices: [{}, { finish_reason: 'stop' }] })).toMatchObject({ isFinished: true });
  expect(find({ finish_reason: 'stop', choices: [] })).toMatchObject({ isFinished: false });
  expect(find({ usage: null, error: null })).toMatchObject({ usage: undefined, error: undefined });
  expect(find({ usage: { a: 1 } })?.usage).toEqual({ start: 9, end: 16 });
  expect(find({ error: 'x' })?.error).toEqual({ start: 9, end: 12 });
  expect(find({ choices: [{ usage: {}, error: {} }] })).toMatchObject({ usage: undefined, error: undefined });
});
