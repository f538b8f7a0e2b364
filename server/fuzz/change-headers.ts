/** Changes to headers: content type, encoding, credential, and framing of the body. */
import { ODD_TEXTS } from './odd-values.ts';
import type { Random } from './random.ts';
import type { FuzzRequest } from './request.ts';

type Header = readonly [name: string, value: string];

function set(request: FuzzRequest, ...[name, value]: Header): void {
  remove(request, name);
  request.headers.push([name, value]);
}

function remove(request: FuzzRequest, name: string): void {
  request.headers = request.headers.filter(([given]) => given.toLowerCase() !== name.toLowerCase());
}

/** Characters that a header can carry: no line breaks, no NUL; all others are sent unchanged. */
const headerText = (random: Random) =>
  Buffer.from(
    random
      .pick(ODD_TEXTS)
      .toWellFormed()
      .replace(/[\0\r\n]/g, ''),
  )
    .toString('latin1')
    .slice(0, 4_000);

const CONTENT_TYPES = [
  '',
  'text/plain',
  'application/json; charset=utf-8',
  'application/json; charset=latin1',
  'application/json;charset="utf-16"',
  'application/json; charset=',
  'application/json;',
  'APPLICATION/JSON',
  'application/json, application/json',
  'application/jsonx',
  'application/x-protobuf',
  'application/gzip',
  'application/gzip; charset=utf-8',
  'application/x-gzip',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'text/event-stream',
  '*/*',
  'json',
  'a'.repeat(5_000),
  'application/json; a=b; __proto__=c',
];

const ENCODINGS = [
  'gzip',
  'deflate',
  'br',
  'zstd',
  'identity',
  'gzip, gzip',
  '',
  'IDENTITY',
  'x'.repeat(3_000),
];

export function changeContentHeaders(request: FuzzRequest, random: Random): void {
  random.weighted<() => void>([
    [4, () => set(request, 'Content-Type', random.pick(CONTENT_TYPES))],
    [1, () => remove(request, 'Content-Type')],
    [1, () => request.headers.push(['Content-Type', 'application/xml'])],
    [3, () => set(request, 'Content-Encoding', random.pick(ENCODINGS))],
    [1, () => set(request, 'Expect', '100-continue')],
    [1, () => set(request, 'Expect', random.pick(['wonders', '200-ok', '']))],
  ])();
}

/** Lengths that do not match the body. Node's parser must refuse them, and no request may hang. */
export function changeFraming(request: FuzzRequest, random: Random): void {
  const length = request.body?.length ?? 0;
  request.isMalframed = true;
  request.delivery = 'whole';
  random.weighted<() => void>([
    [1, () => set(request, 'Content-Length', String(length + random.integer(1, 1_000)))],
    [1, () => set(request, 'Content-Length', String(Math.max(0, length - 1)))],
    [
      1,
      () =>
        set(
          request,
          'Content-Length',
          random.pick(['-1', '1e3', '0x10', '', '99999999999999999999999', '+5', '1, 1']),
        ),
    ],
    [
      1,
      () => request.headers.push(['Content-Length', String(length)], ['Content-Length', String(length + 1)]),
    ],
    [
      1,
      () =>
        set(
          request,
          'Transfer-Encoding',
          random.pick(['chunked', 'gzip', 'chunked, chunked', 'identity', ' chunked']),
        ),
    ],
    [1, () => request.headers.push(['Transfer-Encoding', 'chunked'], ['Content-Length', String(length)])],
  ])();
}

export function changeOtherHeaders(request: FuzzRequest, random: Random): void {
  random.weighted<() => void>([
    [
      2,
      () =>
        set(
          request,
          'Accept',
          random.pick(['text/html', 'application/xml', '*/*;q=0', '', 'x', 'a/b;'.repeat(500)]),
        ),
    ],
    [1, () => set(request, 'Accept-Encoding', random.pick(['gzip', 'br', '*;q=0', '']))],
    [
      3,
      () =>
        set(
          request,
          'Idempotency-Key',
          random.pick(['', 'x', 'a'.repeat(255), 'a'.repeat(256), 'a'.repeat(5_000), headerText(random)]),
        ),
    ],
    [
      2,
      () =>
        set(
          request,
          'Last-Event-ID',
          random.pick(['0', '-1', '', '1e400', '99999999999999999999', 'x', headerText(random)]),
        ),
    ],
    [
      2,
      () =>
        set(
          request,
          'X-Client-Version',
          random.pick(['0.0.0', '1', 'v1.2.3', '', '999999999999.0.0', headerText(random)]),
        ),
    ],
    [
      2,
      () =>
        set(
          request,
          'X-Forwarded-For',
          random.pick(['', 'x', '1.2.3.4', '1.2.3.4, 5.6.7.8', '::1', '999.1.1.1', ','.repeat(1_000)]),
        ),
    ],
    [1, () => set(request, 'X-Request-Id', headerText(random))],
    [1, () => set(request, 'Traceparent', random.pick(['', '00-0-0-0', headerText(random)]))],
    [1, () => set(request, 'Cookie', `a=${headerText(random)}`)],
    [1, () => set(request, 'Origin', random.pick(['null', 'http://elsewhere.example', headerText(random)]))],
    [1, () => set(request, 'Range', random.pick(['bytes=0-', 'bytes=9-1', 'x']))],
    [1, () => set(request, 'If-None-Match', '*')],
    [1, () => set(request, 'Upgrade', random.pick(['h2c', 'websocket']))],
    [1, () => set(request, 'Host', random.pick(['', 'a b', 'elsewhere.example:99999', headerText(random)]))],
    [1, () => remove(request, 'Host')],
    [1, () => set(request, 'X-Odd', headerText(random))],
    [1, () => set(request, 'X-Huge', 'x'.repeat(random.pick([8_000, 15_000, 20_000, 200_000])))],
    [
      1,
      () =>
        request.headers.push(
          ...Array.from({ length: random.pick([50, 2_500]) }, (_, at) => [`X-${at}`, '1'] as const),
        ),
    ],
    [1, () => set(request, '__proto__', 'x')],
    [1, () => set(request, 'constructor', 'x')],
  ])();
}

/** Replaces the credential by an invalid one. */
export function changeCredential(request: FuzzRequest, random: Random): void {
  remove(request, 'Authorization');
  remove(request, 'X-API-Key');
  request.isStranger = true;
  const wrong = random.pick([
    '',
    'Bearer',
    'Bearer ',
    'Bearer  x',
    'Bearer null',
    'Basic b3duZXI6eA==',
    'Digest x',
    `Bearer dd_${'a'.repeat(40)}`,
    `Bearer dd_${'a'.repeat(39)}`,
    `Bearer dd_${'a'.repeat(4_000)}`,
    'Bearer a.b',
    'Bearer a.b.c',
    `Bearer ${Buffer.from('{"user":1}').toString('base64url')}.${'A'.repeat(43)}`,
    'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.',
    `Bearer ${headerText(random)}\u00e9`,
    'Bearer a b',
    'Bearer __proto__',
    "Bearer ' OR 1=1",
  ]);
  random.weighted<() => void>([
    [4, () => request.headers.push(['Authorization', wrong])],
    [2, () => request.headers.push(['X-API-Key', wrong.replace(/^Bearer ?/, '')])],
    [1, () => request.headers.push(['X-API-Key', 'a'], ['X-API-Key', 'b'])],
    [1, () => request.headers.push(['Authorization', wrong], ['Authorization', 'Bearer x'])],
    [1, () => undefined],
  ])();
}
