/** Changes to a body of bytes: not an archive, a truncated one, one with false headers, a hostile one. */
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { makeTar } from './bundle.ts';
import { ODD_TEXTS } from './odd-values.ts';
import type { Random } from './random.ts';
import type { FuzzRequest } from './request.ts';

const MEBIBYTE = 1024 * 1024;
const GZIP_MAGIC = [0x1f, 0x8b, 8];
const EXTRA_FIELD = 4;
const FILE_NAME = 8;

export function changeUpload(request: FuzzRequest, random: Random): void {
  const good = request.body ?? Buffer.alloc(0);
  request.body = random.weighted<() => Buffer | undefined>([
    [2, () => undefined],
    [2, () => Buffer.alloc(0)],
    [2, () => noise(random, random.pick([1, 10, 1_000, 100_000]))],
    [4, () => good.subarray(0, Math.floor(random.fraction() * good.length))],
    [3, () => gzipSync(noise(random, 10_000))],
    [1, () => gzipSync(Buffer.alloc(0))],
    [2, () => Buffer.concat([good, noise(random, 100)])],
    [1, () => Buffer.concat([good, good])],
    [3, () => withFlippedByte(good, random)],
    [2, () => withHeader(random)],
    [1, () => gzipSync(good)],
    [1, () => random.pick([deflateSync, deflateRawSync])(good)],
    [1, () => makeTar([{ path: 'dataset.yaml', content: '' }])],
    [1, () => gzipSync(Buffer.alloc(random.pick([1, 32]) * MEBIBYTE))],
    [1, () => Buffer.from('{"json": true}')],
    [8, () => gzipSync(hostileTar(random))],
  ])();
}

const noise = (random: Random, length: number) =>
  Buffer.from(Array.from({ length }, () => random.integer(0, 255)));

function withFlippedByte(bytes: Buffer, random: Random): Buffer {
  const changed = Buffer.from(bytes);
  const at = Math.floor(random.fraction() * changed.length);
  if (changed.length > 0) changed[at] = (changed[at] ?? 0) ^ (1 << random.integer(0, 7));
  return changed;
}

/** The optional fields of gzip's header: as long as possible, and without their terminators. */
function withHeader(random: Random): Buffer {
  const head = (flags: number) => Buffer.from([...GZIP_MAGIC, flags, 0, 0, 0, 0, 0, 3]);
  const content = deflateRawSync(makeTar([]));
  return random.pick([
    () => Buffer.concat([head(EXTRA_FIELD), Buffer.from([0xff, 0xff]), Buffer.alloc(0xffff), content]),
    () => Buffer.concat([head(EXTRA_FIELD), Buffer.from([0xff, 0xff])]),
    () => Buffer.concat([head(FILE_NAME), Buffer.alloc(MEBIBYTE, 'x'), Buffer.from([0]), content]),
    () => Buffer.concat([head(FILE_NAME), Buffer.alloc(MEBIBYTE, 'x')]),
    () => Buffer.concat([head(0xff), content]),
  ])();
}

function hostileTar(random: Random): Buffer {
  const manifests = ['dataset', 'model', 'task', 'capability'].map((kind) => ({
    path: `${kind}.yaml`,
    content: random.pick(MANIFESTS),
  }));
  const odd = random.pick([
    { path: '../../etc/passwd', content: 'x' },
    { path: '/etc/passwd', content: 'x' },
    { path: 'a/../../b', content: 'x' },
    { path: 'link', type: '2', target: '/etc/passwd' },
    { path: 'hard', type: '1', target: '../x' },
    { path: 'device', type: '3' },
    { path: 'folder/', type: '5' },
    { path: 'huge', size: 8 ** 11 - 1 },
    { path: 'train.jsonl', content: random.pick(ODD_TEXTS).toWellFormed() },
    { path: 'train.csv', content: 'a,b\n"x' },
    { path: 'train.parquet', content: 'PAR1' },
    { path: random.pick(ODD_TEXTS).toWellFormed(), content: 'x' },
    { path: 'dataset.yaml', content: 'twice' },
    { path: '', content: 'x' },
    { path: 'x', type: 'L', content: 'a'.repeat(100_000) },
    { path: 'x', type: 'x', content: '11 path=a\n' },
    { path: 'x', type: 'g', content: '99999999999 path=a\n' },
  ]);
  return makeTar(random.chance(0.5) ? [...manifests, odd] : [odd, ...manifests]);
}

const MANIFESTS = [
  '',
  '{}',
  '[]',
  'a: &a [*a]',
  `a: &a [x]\nb: &b [*a,*a,*a]\nc: &c [*b,*b,*b]\nd: [*c,*c,*c]`,
  ': : :',
  '\t- x',
  '--- 1\n--- 2',
  'summary: !!js/function "x"',
  'name: 1\nversion: 1.0',
  'splits: {train: ../x.jsonl}',
  'splits: {train: missing.jsonl}',
  'tags: x',
  `summary: ${'x'.repeat(100_000)}`,
  `x: ${'['.repeat(5_000)}`,
  '\0',
  '__proto__: {x: 1}',
];
