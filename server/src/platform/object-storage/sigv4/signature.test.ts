import { describe, expect, test } from 'vitest';
import {
  parseQuery,
  sha256Hex,
  toCanonicalQuery,
  toCanonicalText,
  toHeaderValues,
} from './canonical-request.ts';
import { findMilliseconds, sign, signingKeyFor, toAmzDate, toStringToSign } from './signature.ts';
import { canonicaliseUriPath, encodeUri, encodeUriPath } from './uri-encoding.ts';

const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const SCOPE = { date: '20150830', region: 'us-east-1', service: 'service' };
const DATE = '20150830T123600Z';

interface SuiteRequest {
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
}

/** Converts text to one character per byte, as node:http provides requests. */
const bytes = (text: string) => Buffer.from(text).toString('latin1');

function signatureOf({ method = 'GET', path = '/', query = '', headers = [], body = '' }: SuiteRequest) {
  const values = toHeaderValues(['Host', 'example.amazonaws.com', 'X-Amz-Date', DATE, ...headers]);
  const canonicalText = toCanonicalText({
    method,
    path: canonicaliseUriPath(bytes(path)) ?? '',
    query: toCanonicalQuery(parseQuery(bytes(query)) ?? []),
    headers: [...values].toSorted(([a], [b]) => (a < b ? -1 : 1)),
    payloadHash: sha256Hex(body),
  });
  return sign(signingKeyFor(SECRET, SCOPE), toStringToSign(DATE, SCOPE, canonicalText));
}

const header1 = (...values: string[]) => values.flatMap((value) => ['My-Header1', value]);

describe('signatures match the AWS test suite', () => {
  test.each<[string, SuiteRequest, string]>([
    ['get-vanilla', {}, '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    [
      'get-unreserved',
      { path: '/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz' },
      '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
    ],
    [
      'get-vanilla-query-order-key-case',
      { query: 'Param2=value2&Param1=value1' },
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    [
      'get-vanilla-query-order-value',
      { query: 'Param1=value2&Param1=value1' },
      '5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694',
    ],
    [
      'get-vanilla-utf8-query',
      { query: '\u1234=bar' },
      '2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04',
    ],
    [
      'get-header-value-order',
      { headers: header1('value4', 'value1', 'value3', 'value2') },
      '08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01',
    ],
    [
      'get-header-key-duplicate',
      { headers: header1('value2', 'value2', 'value1') },
      'c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea',
    ],
    [
      'get-header-value-trim',
      { headers: ['My-Header1', ' value1', 'My-Header2', ' "a   b   c" '] },
      'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
    ],
    [
      'post-x-www-form-urlencoded',
      {
        method: 'POST',
        headers: ['Content-Type', 'application/x-www-form-urlencoded'],
        body: 'Param1=value1',
      },
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
    [
      'post-sts-header-before',
      {
        method: 'POST',
        headers: [
          'X-Amz-Security-Token',
          'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==',
        ],
      },
      '85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead',
    ],
  ])('%s', (_name, request, signature) => {
    expect(signatureOf(request)).toBe(signature);
  });
});

describe('a path is decoded once, encoded again and never normalized', () => {
  test.each([
    ['/a/b', '/a/b'],
    ['//a///b/', '//a///b/'],
    ['/a/../b/./c', '/a/../b/./c'],
    ['/a%2Fb', '/a/b'],
    ['/a%2fb%7e', '/a/b~'],
    ['/%61', '/a'],
    ['/a%252Fb', '/a%252Fb'],
    ['/a+b', '/a%2Bb'],
    ["/!$&'()*,:;=@", '/%21%24%26%27%28%29%2A%2C%3A%3B%3D%40'],
    ['/\u00c3\u00bc', '/%C3%BC'],
    ['/%c3%bc', '/%C3%BC'],
    ['/%ff', '/%FF'],
    ['/%', undefined],
    ['/%4', undefined],
    ['/%4g', undefined],
    ['/%%34', undefined],
    ['/\u1234', undefined],
  ])('%s', (raw, canonical) => {
    expect(canonicaliseUriPath(raw)).toBe(canonical);
  });
});

describe('canonical queries', () => {
  test.each([
    ['b&a=1', 'a=1&b='],
    ['a=10&a=9', 'a=10&a=9'],
    ['a-b=1&a=2', 'a=2&a-b=1'],
    ['x=a.b&x=a%2Fb', 'x=a%2Fb&x=a.b'],
    ['q=a+b', 'q=a%20b'],
    ['q=a%2Bb', 'q=a%2Bb'],
    ['a=1=2', 'a=1%3D2'],
    ['&&a=1&', 'a=1'],
    ['', ''],
  ])('the query %s is signed as %s', (raw, canonical) => {
    expect(toCanonicalQuery(parseQuery(raw) ?? [])).toBe(canonical);
  });

  test('a query with invalid encoding is refused', () => {
    expect(parseQuery('a=%zz')).toBeUndefined();
    expect(parseQuery('%=1')).toBeUndefined();
  });
});

test('an encoded query is its own canonical form', () => {
  const key = "a b//ü+%41&?#='(x)!*~/日本/%2F/\u{1f600}\u0001";
  expect(canonicaliseUriPath(encodeUriPath(key))).toBe(encodeUriPath(key));
  expect(decodeURIComponent(encodeUri(key))).toBe(key);
});

describe('dates of signatures', () => {
  test.each(['20260131T235959Z', '20240229T000000Z', '19700101T000000Z'])('the date %s is valid', (text) => {
    expect(toAmzDate(findMilliseconds(text) ?? Number.NaN)).toBe(text);
  });

  test.each([
    '20260229T000000Z',
    '20260100T000000Z',
    '20261301T000000Z',
    '20260132T000000Z',
    '20260101T240000Z',
    '20260101T006000Z',
    '20260101T000060Z',
    '2026-01-01T00:00:00Z',
    '20260101T000000',
    '20260101T000000Z,20260101T000000Z',
    '',
  ])('the date %s is invalid', (text) => {
    expect(findMilliseconds(text)).toBeUndefined();
  });
});

test('signing keys are specific to day, region, service and secret, regardless of the cache', () => {
  const keyOf = (index: number) => signingKeyFor(`secret ${index}`, SCOPE);
  const first = sign(keyOf(0), 'text');
  for (let index = 1; index <= 3000; index += 1) keyOf(index);
  expect(sign(keyOf(0), 'text')).toBe(first);
  const others = [
    signingKeyFor('secret 1', SCOPE),
    signingKeyFor('secret 0', { ...SCOPE, date: '20150831' }),
    signingKeyFor('secret 0', { ...SCOPE, region: 'us-east-2' }),
    signingKeyFor('secret 0', { ...SCOPE, service: 's3' }),
  ].map((key) => sign(key, 'text'));
  expect(new Set([first, ...others]).size).toBe(5);
});
