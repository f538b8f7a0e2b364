import { describe, expect, test } from 'vitest';
import { PATIENCE } from '../../../test/outbound-calls.ts';
import { OutboundError } from './outbound-error.ts';
import type { OutboundRequest } from './outbound-request.ts';
import { toRequestBytes } from './request-bytes.ts';

const request = (more: Partial<OutboundRequest>): OutboundRequest => ({
  url: new URL('http://models.test:8080/v1/chat?x=ü'),
  method: 'POST',
  headers: {},
  patience: PATIENCE,
  ...more,
});

const BEGINNING =
  'POST /v1/chat?x=%C3%BC HTTP/1.1\r\nhost: models.test:8080\r\nconnection: keep-alive\r\naccept-encoding: identity\r\n';

describe('what is sent', () => {
  test.each([
    ['a text', 'ü😀', 6],
    ['bytes', Buffer.from('ü😀'), 6],
    ['a text of one byte a character', 'plain', 5],
    ['nothing', undefined, 0],
  ])('%s', (_, body, length) => {
    const sent = toRequestBytes(request({ headers: { a: 'b' }, body }));
    expect(Buffer.from(sent).toString()).toBe(
      `${BEGINNING}a: b\r\ncontent-length: ${length}\r\n\r\n${body?.toString() ?? ''}`,
    );
  });

  test('the characters of a header are bytes, those of a body are UTF-8', () => {
    const sent = toRequestBytes(request({ headers: { a: 'ü' }, body: 'ü' }));
    const expected = [
      Buffer.from(`${BEGINNING}a: ü\r\ncontent-length: 2\r\n\r\n`, 'latin1'),
      Buffer.from('ü'),
    ];
    expect(sent).toEqual(Buffer.concat(expected));
    // A text is sent by one byte for each character.
    const text = toRequestBytes(request({ headers: { a: 'ü' }, body: 'u' }));
    expect(Buffer.from(text as string, 'latin1')).toEqual(
      Buffer.from(`${BEGINNING}a: ü\r\ncontent-length: 1\r\n\r\nu`, 'latin1'),
    );
  });

  test('headers that cannot change are looked at once, others each time', () => {
    const looks = (headers: Record<string, string>, freeze: boolean) => {
      let count = 0;
      const watched = new Proxy(freeze ? Object.freeze(headers) : headers, {
        get: (target, name: string) => {
          count++;
          return target[name];
        },
      });
      const texts = [1, 2, 3].map(() => toRequestBytes(request({ headers: watched })));
      expect(new Set(texts).size).toBe(1);
      expect(texts[0]).toContain('a: b\r\n');
      return count;
    };
    expect(looks({ a: 'b' }, true)).toBe(1);
    expect(looks({ a: 'b' }, false)).toBe(3);
  });

  test('headers that have changed are sent as they are now', () => {
    const headers = { a: '1' };
    toRequestBytes(request({ headers }));
    headers.a = '2';
    expect(toRequestBytes(request({ headers }))).toContain('\r\na: 2\r\n');
  });
});

test.each<[string, Partial<OutboundRequest>]>([
  ['a line end in a value', { headers: { a: 'b\r\nc: d' } }],
  ['a character that is no byte', { headers: { a: '😀' } }],
  ['a name that is none', { headers: { 'a b': 'c' } }],
  ['a header that is decided here', { headers: { 'Content-Length': '1' } }],
  ['a method that is none', { method: 'PO ST' }],
])('%s is refused', (_, more) => {
  expect(() => toRequestBytes(request(more))).toThrow(OutboundError);
  // Also when it is asked for again.
  const frozen = Object.freeze({ ...more.headers });
  for (let n = 0; n < 2; n++)
    expect(() => toRequestBytes(request({ ...more, headers: frozen }))).toThrow(OutboundError);
});
