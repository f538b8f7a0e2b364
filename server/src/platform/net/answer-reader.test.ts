import { describe, expect, test } from 'vitest';
import type { AnswerHead } from './answer-head.ts';
import { AnswerReader } from './answer-reader.ts';

interface Read {
  readonly head?: AnswerHead | undefined;
  readonly text: string;
  /** undefined: its end has not come. */
  readonly keptForMs?: number | undefined;
}

/** Fed in pieces of so many bytes. */
function read(answer: string, size = answer.length, { method = 'POST', isFinished = false } = {}): Read {
  let head: AnswerHead | undefined;
  let text = '';
  let keptForMs: number | undefined;
  const reader = new AnswerReader(method, {
    onHead: (given) => {
      head = given;
    },
    onData: (piece) => {
      text += piece.toString('latin1');
    },
    onEnd: (given) => {
      keptForMs = given;
    },
  });
  const bytes = Buffer.from(answer, 'latin1');
  for (let at = 0; at < bytes.length; at += size) reader.feed(bytes.subarray(at, at + size));
  if (isFinished) reader.finish();
  return { head, text, keptForMs };
}

const LENGTH = 'HTTP/1.1 200 OK\r\nX-Name:  a value \r\nContent-Length: 11\r\n\r\nhello world';
const CHUNKED =
  'HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n' +
  '5\r\nhello\r\n6;name="a value"\r\n world\r\n0\r\nx-sum: 1\r\n\r\n';
const CLOSED = 'HTTP/1.0 200\r\n\r\nhello world';

test.each([
  ['a length', LENGTH, Number.POSITIVE_INFINITY],
  ['chunks', CHUNKED, Number.POSITIVE_INFINITY],
  ['the end of the connection', CLOSED, 0],
])('an answer with %s is the same however it is cut', (_, answer, keptForMs) => {
  for (let size = 1; size <= answer.length; size++) {
    const got = read(answer, size, { isFinished: answer === CLOSED });
    expect(got).toMatchObject({ head: { status: 200 }, text: 'hello world', keptForMs });
  }
  expect(read(LENGTH).head?.headers).toEqual({ 'x-name': 'a value', 'content-length': '11' });
});

test.each([
  ['HTTP/1.1 204 No Content\r\n\r\n', 'POST'],
  ['HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n', 'GET'],
  ['HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', 'POST'],
  ['HTTP/1.1 200 OK\r\ncontent-length: 00\r\n\r\n', 'POST'],
  ['HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n', 'HEAD'],
  ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', 'POST'],
])('%j has no body', (answer, method) => {
  expect(read(answer, undefined, { method })).toMatchObject({
    text: '',
    keptForMs: Number.POSITIVE_INFINITY,
  });
});

test.each([
  ['connection: close', 0],
  ['connection: x, Close', 0],
  ['connection: keep-alive\r\nkeep-alive: timeout=5, max=100', 4_000],
  ['keep-alive: timeout=1', 0],
  ['keep-alive: max=100', Number.POSITIVE_INFINITY],
])('with %j a connection is kept for %d ms', (headers, expected) => {
  const answer = `HTTP/1.1 200 OK\r\n${headers}\r\ncontent-length: 2\r\n\r\nhi`;
  expect(read(answer).keptForMs).toBe(expected);
  expect(read(`${answer}more`).keptForMs).toBe(0);
});

test('a header that comes again is a list, whatever its name', () => {
  const { head } = read(
    'HTTP/1.1 200 OK\r\nset-cookie: a\r\nSet-Cookie: b\r\nset-cookie: c\r\n__proto__: x\r\n\r\n',
  );
  expect(Object.entries(head?.headers ?? {})).toEqual([
    ['set-cookie', ['a', 'b', 'c']],
    ['__proto__', 'x'],
  ]);
});

describe('what is no answer', () => {
  const ok = 'HTTP/1.1 200 OK\r\n';
  test.each([
    ['220 mail.example.com ESMTP\r\n'],
    ['HTTP/2 200\r\n\r\n'],
    ['HTTP/1.1 20 OK\r\n\r\n'],
    ['HTTP/1.1 099 OK\r\n\r\n'],
    ['HTTP/1.1 600 OK\r\n\r\n'],
    ['HTTP/1.1 999 OK\r\n\r\n'],
    ['HTTP/1.1 200 OK\n\n\r\n\r\n'],
    ['HTTP/1.1 200 OK\n'],
    [`${ok}a: b\n`],
    [`${ok}no colon\r\n\r\n`],
    [`${ok}name : value\r\n\r\n`],
    [`${ok}a: b\r\n folded\r\n\r\n`],
    [`${ok}a: b\nc: d\r\n\r\n`],
    [`${ok}a: b\0\r\n\r\n`],
    [`${ok}content-length: 5\r\ncontent-length: 5\r\n\r\nhello`],
    [`${ok}content-length: +5\r\n\r\nhello`],
    [`${ok}content-length: 5, 5\r\n\r\nhello`],
    [`${ok}content-length: -1\r\n\r\n`],
    [`${ok}content-length: 9999999999999999\r\n\r\n`],
    [`${ok}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    [`${ok}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    [`${ok}transfer-encoding: identity\r\n\r\n`],
    [`${ok}transfer-encoding: chunked\r\n\r\nzz\r\n`],
    [`${ok}transfer-encoding: chunked\r\n\r\n-5\r\n`],
    [`${ok}transfer-encoding: chunked\r\n\r\n5\nhello`],
    [`${ok}transfer-encoding: chunked\r\n\r\n5\r\nhelloXX`],
    [`${ok}transfer-encoding: chunked\r\n\r\n123456789\r\n`],
    [`${ok}transfer-encoding: chunked\r\n\r\n5;${'x'.repeat(5_000)}`],
    [`${ok}transfer-encoding: chunked\r\n\r\n0\r\n${'x: y\r\n'.repeat(200)}`],
    [`${ok}x: ${'x'.repeat(40_000)}`],
    ['HTTP/1.1 100 Continue\r\n\r\n'.repeat(30)],
  ])('%.80j', (answer) => {
    for (const size of [1, 7, answer.length]) expect(() => read(answer, size)).toThrow(/^[A-Z]/);
  });

  test.each([['HTTP/1.1 200'], [LENGTH.slice(0, -1)], [CHUNKED.slice(0, -1)], [CHUNKED.slice(0, -12)]])(
    '%.80j is broken off there',
    (answer) => {
      expect(() => read(answer, 3, { isFinished: true })).toThrow('broke off');
    },
  );
});
