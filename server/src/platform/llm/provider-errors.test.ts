import { expect, test } from 'vitest';
import { removeKey, toGarbageError, toRefusalError, toRetryAfterSeconds } from './provider-errors.ts';

const PROVIDER = { name: 'acme', apiKey: 'sk-secret/key+1' };
const refuse = (status: number, text = '{"error":{"message":"Its words."}}', retryAfter?: string) =>
  toRefusalError(PROVIDER, { status, text, retryAfter });

test.each([
  [400, 'invalid_error', 'Its words.'],
  [413, 'invalid_error', 'Its words.'],
  [415, 'invalid_error', 'Its words.'],
  [422, 'invalid_error', 'Its words.'],
  [401, 'bad_gateway_error', 'refused its API key. An admin of the organization can change'],
  [403, 'bad_gateway_error', 'refused its API key'],
  [404, 'bad_gateway_error', 'no such model'],
  [402, 'bad_gateway_error', 'It said 402: Its words.'],
  [409, 'bad_gateway_error', 'It said 409'],
  [408, 'usage_limit_exceeded_error', 'It said 408'],
  [429, 'usage_limit_exceeded_error', 'try again later'],
  [301, 'bad_gateway_error', 'redirects are not followed'],
  [500, 'bad_gateway_error', 'It said 500: Its words.'],
  [529, 'bad_gateway_error', 'Try again later'],
] as const)("a provider's status %d becomes %s: %s", (status, type, detail) => {
  expect(refuse(status)).toMatchObject({ type, message: expect.stringContaining(detail) });
});

test.each([
  ['{"error":{"message":"A"}}', ': A'],
  ['{"error":"A"}', ': A'],
  ['{"message":"A"}', ': A'],
  ['{"detail":"A"}', ': A'],
  ['{"detail":[{"loc":["body"],"msg":"A"}]}', ': A'],
  ['[{"error":{"message":"A"}}]', ': A'],
  ['A', ': A'],
  ['<html>A</html>', 'request.'],
  ['', 'request.'],
  ['{}', 'request.'],
  ['{"error":{"code":1}}', 'request.'],
  [`"${'x'.repeat(5_000)}"`, `${'x'.repeat(999)}…`],
])('the message of %.40j is part of the error', (text, expected) => {
  expect(refuse(400, text).message).toBe(
    `The provider acme refused the request${expected.startsWith(':') || expected === 'request.' ? expected.replace('request', '') : `: ${expected}`}`,
  );
});

test.each([
  ['7', 7],
  [' 7 ', 7],
  ['0', 0],
  ['1.2', 2],
  ['999999999', 86_400],
  [new Date(Date.now() + 30_000).toUTCString(), 30],
  [new Date(Date.now() - 30_000).toUTCString(), 0],
  ['-1', undefined],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('toRetryAfterSeconds parses %s', (header, expected) => {
  const seconds = toRetryAfterSeconds(header);
  if (expected === 30) expect(seconds).toBeGreaterThan(27);
  else expect(seconds).toBe(expected);
  expect(refuse(429, '', header).headers).toEqual(
    seconds === undefined ? {} : { 'Retry-After': String(seconds) },
  );
});

test.each([
  ['objects', '{"error":', '}', 6_000],
  ['lists', '[', ']', 30_000],
  ['all that may hold a message', '{"msg":{},"detail":{},"message":{},"error":', '}', 1_200],
])('deeply nested errors are parsed quickly: %s', (_, open, close, depth) => {
  const text = `${open.repeat(depth)}"A"${close.repeat(depth)}`;
  // This normally takes 6 ms. The best of three discards moments in which the machine was busy.
  const times = [1, 2, 3].map(() => {
    const begun = performance.now();
    expect(refuse(400, text).message).toBe('The provider acme refused the request.');
    expect(toGarbageError(PROVIDER, 'failed', JSON.parse(text)).message).toContain('failed. Try again');
    return performance.now() - begun;
  });
  expect(Math.min(...times)).toBeLessThan(1_000);
});

test("the key is removed from a provider's text in every spelling", () => {
  const { apiKey } = PROVIDER;
  const spellings = [apiKey, encodeURIComponent(apiKey), btoa(apiKey), 'sk-secret\\/key+1'];
  for (const spelling of spellings) {
    expect(removeKey(`You sent ${spelling}, ${spelling}.`, apiKey)).toBe('You sent [API key], [API key].');
    expect(refuse(500, `not JSON ${spelling}`).message).not.toContain('secret');
  }
  expect(removeKey('You sent a\\"b\\\\c.', 'a"b\\c')).toBe('You sent [API key].');
  expect(removeKey('text', undefined)).toBe('text');
  expect(removeKey('text', '')).toBe('text');
});

test('no part of the key remains where a text was truncated, by the provider or here', () => {
  const apiKey = `sk-${'k'.repeat(200)}`;
  const provider = { name: 'acme', apiKey };
  const refuseCut = (text: string, isCut: boolean) =>
    toRefusalError(provider, { status: 500, retryAfter: undefined, text, isCut }).message;
  expect(refuseCut(`${apiKey.repeat(10)}${apiKey.slice(0, 150)}`, true)).not.toContain('kk');
  expect(refuseCut(`${'x'.repeat(900)}${apiKey}`, false)).not.toContain('kk');
});
