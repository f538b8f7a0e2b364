import { describe, expect, test } from 'vitest';
import { nestingOf, parseExactly, toNumber } from './json.ts';

describe('parseExactly', () => {
  test.each([
    '18446744073709551615',
    '-9223372036854775808',
    '12345678901234567890.5',
    '0.12345678901234567890',
    '123456789.123456789',
    '1e400',
    '-2E-400',
    `1${'0'.repeat(200)}1`,
  ])('keeps %s as written', (number) => {
    expect(JSON.stringify(parseExactly(`{"n":[${number}],"t":"${number}"}`))).toBe(
      `{"n":[${number}],"t":"${number}"}`,
    );
  });

  test.each([
    ['1.0000000000000e3', 1_000],
    ['0.1', 0.1],
    ['1e21', 1e21],
    ['-0', -0],
  ])('converts %s to a number', (text, number) => {
    expect(parseExactly(`[${text}]`)).toEqual([number]);
  });

  test('parses a text of very many values as doubles, without the slow path', () => {
    const text = `[12345678901234567890${',1'.repeat(200_000)}]`;
    expect((parseExactly(text) as unknown[])[0]).toBe(Number('12345678901234567890'));
  });

  test('takes the last of two members with the same name, and refuses text that is not JSON', () => {
    expect(parseExactly('{"a":1,"a":12345678901234567890,"__proto__":{"b":1}}')).toHaveProperty('a');
    expect(() => parseExactly('{"a":12345678901234567890')).toThrow(SyntaxError);
  });
});

test('toNumber converts a preserved number to a double and leaves every other value unchanged', () => {
  const [kept, text] = parseExactly('[12345678901234567890,"12345678901234567890"]') as unknown[];
  expect([toNumber(kept), toNumber(text), toNumber(7)]).toEqual([
    Number('12345678901234567890'),
    '12345678901234567890',
    7,
  ]);
});

test.each([
  ['1', 0, 0],
  ['{}', 1, 1],
  ['{"a":[1,{"b":2}],"c":[]}', 3, 4],
  ['["[[[", "\\"[", "\\\\", [[]]]', 3, 3],
  ['[[[', 3, 3],
  ['"[', 0, 0],
])('nestingOf %j returns depth %d and %d objects and arrays', (json, depth, count) => {
  expect(nestingOf(json)).toMatchObject({ depth, count });
});
