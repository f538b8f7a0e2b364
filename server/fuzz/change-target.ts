/** Changes to the request line: method, path, query. */
import { ODD_TEXTS, ODD_UUIDS } from './odd-values.ts';
import type { Random } from './random.ts';
import type { FuzzRequest } from './request.ts';

/** Methods that Node's parser knows and the server does not, unknown methods, and other spellings. */
const METHODS = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'QUERY',
  'PURGE',
];
const WRONG_METHODS = ['get', 'Post', 'FOO', 'G E T', '', 'GET\t', 'GETGETGETGETGETGETGET'];

const SEGMENTS = [
  '',
  '.',
  '..',
  '...',
  '%2e%2e',
  '%2f',
  'a%2fb',
  '%2F..%2F..',
  '%00',
  'a%00b',
  '%ff',
  '%c0%af',
  '%ed%a0%80',
  '%',
  '%zz',
  '%u0041',
  '%25',
  '%252e',
  '*',
  ':id',
  '{id}',
  '__proto__',
  'constructor',
  'self',
  'me',
  'null',
  'undefined',
  '-1',
  '0',
  'a;b=c',
  'a,b',
  'a=b',
  'a:b',
  '~',
  '@',
  "'--",
  '%20',
  '%09',
  '%F0%9F%92%A5',
  'MAIN',
  'a'.repeat(63),
  'a'.repeat(64),
  'a'.repeat(2_047),
  'a'.repeat(2_048),
  'a'.repeat(2_049),
  'a'.repeat(20_000),
];

export function changeMethod(request: FuzzRequest, random: Random): void {
  const isUnknown = random.chance(0.2);
  request.method = random.pick(isUnknown ? WRONG_METHODS : METHODS);
  // Node's parser takes some of them for the beginning of another method and waits for the rest.
  if (isUnknown) request.isMalframed = true;
  if (request.method === 'HEAD') request.delivery = 'whole';
}

export function changePath(request: FuzzRequest, random: Random): void {
  const [path = '', ...query] = request.target.split('?');
  const segments = path.split('/');
  const at = Math.min(1, segments.length - 1) && random.integer(1, segments.length - 1);
  const changed = random.weighted<() => string[]>([
    [6, () => segments.with(at, random.pick(SEGMENTS))],
    [2, () => segments.with(at, encodeURIComponent(random.pick(ODD_TEXTS).toWellFormed()))],
    [2, () => segments.with(at, encodeURIComponent(random.pick(ODD_UUIDS)))],
    [1, () => [...segments, random.pick(SEGMENTS)]],
    [1, () => segments.toSpliced(at, 1)],
    [1, () => segments.toSpliced(at, 0, random.pick(SEGMENTS))],
    [1, () => segments.with(at, (segments[at] ?? '').toUpperCase())],
    [1, () => segments.with(at, escapeAll(segments[at] ?? ''))],
  ])();
  request.target = [changed.join('/'), ...query].join('?');
}

const escapeAll = (text: string) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join('');

/** Replaces the whole target: other forms that HTTP defines, and invalid bytes. */
export function changeTarget(request: FuzzRequest, random: Random): void {
  const { target } = request;
  request.target = random.pick([
    `http://elsewhere.example${target}`,
    `//${target}`,
    `${target}#fragment`,
    `${target} extra`,
    `${target}\u00e9`,
    `\\${target}`,
    '*',
    '/',
    '/api/v1',
    '/api/v1/',
    `${target}/`,
    target.replace('/api/v1', '/api/v2'),
    target.replace('/api/v1', ''),
  ]);
  if (!/^[!-~]*$/.test(request.target)) request.isMalframed = true;
}

const FLAGS = ['true', 'false', 'TRUE', '1', '0', 'yes', 'on', '', 'null'];

export function changeQuery(request: FuzzRequest, random: Random): void {
  const names = [...request.operation.query.map(({ name }) => name), 'limit', 'page', 'unknown', '__proto__'];
  const name = encodeURIComponent(random.pick(names));
  const odd = () => encodeURIComponent(random.pick(ODD_TEXTS).toWellFormed());
  const addition = random.weighted<() => string>([
    [4, () => `${name}=${odd()}`],
    [2, () => `${name}=${random.pick(FLAGS)}`],
    [2, () => `${name}=1&${name}=2`],
    [1, () => `${name}[]=1&${name}[]=2`],
    [1, () => `${name}[a][b]=1`],
    [1, () => `${name}[__proto__][x]=1`],
    [1, () => name],
    [1, () => `=${odd()}`],
    [1, () => `${name}=%`],
    [1, () => `${name}=%zz`],
    [1, () => `${name}=%ff%fe`],
    [1, () => `${name}=%00`],
    [1, () => `${name}=+&&&;;${name}`],
    [
      1,
      () =>
        `${name}=${random.pick(['-1', '0', '1e3', '99999999999999999999', '1.5', '0x10', ' 1', '٣', 'NaN'])}`,
    ],
    [
      1,
      () =>
        Array.from({ length: random.pick([500, 2_000]) }, (_, at) => `p${at}=1`)
          .join('&')
          .slice(0, 15_000),
    ],
    [1, () => Array.from({ length: 5_000 }, () => `${name}=1`).join('&')],
    [1, () => `?${name}=1?`],
  ])();
  request.target += (request.target.includes('?') ? '&' : '?') + addition;
}
