/** Changes to the body: single values of its JSON, its text, its bytes. */
import { gzipSync } from 'node:zlib';
import type { Schema } from './document.ts';
import { nest, RawJson, toJsonText } from './json-text.ts';
import { ODD_KEYS, oddValue } from './odd-values.ts';
import type { FuzzRequest } from './request.ts';
import { badValue, type ValueContext } from './values.ts';

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof RawJson);

/** Replaces a field of a valid body by an invalid one, removes it, or adds others. */
export function changeFields(context: ValueContext, schema: Schema, good: unknown): unknown {
  if (!isFields(good)) return badValue(context, schema);
  const { random, document } = context;
  const { properties = {} } = document.resolve(schema);
  const names = Object.keys(properties);
  const name = names.length > 0 ? random.pick(names) : 'x';
  return random.weighted<() => unknown>([
    [8, () => ({ ...good, [name]: changeValue(context, properties[name] ?? {}, good[name]) })],
    [2, () => ({ ...good, [name]: undefined })],
    [1, () => ({ ...good, [name]: null })],
    [2, () => Object.fromEntries([...Object.entries(good), [random.pick(ODD_KEYS), oddValue(random)]])],
    [1, () => twice(good, name, badValue(context, properties[name] ?? {}))],
    [
      1,
      () =>
        Object.fromEntries([
          ...Object.entries(good),
          ...Array.from({ length: 5_000 }, (_, at) => [`f${at}`, at]),
        ]),
    ],
  ])();
}

/** A part of a structured value may be what changes. */
function changeValue(context: ValueContext, schema: Schema, good: unknown): unknown {
  const { random, document } = context;
  if (isFields(good) && random.chance(0.6)) {
    const resolved = document.resolve(schema);
    const inner = (resolved.anyOf ?? resolved.oneOf ?? [resolved]).map((choice) => document.resolve(choice));
    return changeFields(context, inner.find(({ properties }) => properties) ?? resolved, good);
  }
  return badValue(context, schema);
}

function twice(good: Fields, name: string, value: unknown): RawJson {
  const pairs = [...Object.entries(good), [name, value] as const].filter(([, item]) => item !== undefined);
  return new RawJson(
    `{${pairs.map(([key, item]) => `${JSON.stringify(key)}:${toJsonText(item)}`).join(',')}}`,
  );
}

const BROKEN = [
  '{',
  '[',
  '{"a"',
  '{"a":}',
  '{a:1}',
  "{'a':1}",
  '{"a":1,}',
  '{"a":NaN}',
  '{"a":01}',
  'nul',
  '"\u0001"',
  '"\\x"',
  '{}{}',
  '{"a":1}x',
];
const SCALARS = ['null', 'true', '0', '1e400', '-0', '"text"', '""', '[]', '[{}]', '{}', '"\\ud800"'];
const MEBIBYTE = 1024 * 1024;

/** Replaces the whole body: not JSON, not UTF-8, another type, too large. */
export function changeBody(request: FuzzRequest, { random }: ValueContext): void {
  const good = request.body ?? Buffer.from('{}');
  request.body = random.weighted<() => Buffer | undefined>([
    [3, () => Buffer.from(random.pick(BROKEN))],
    [3, () => Buffer.from(random.pick(SCALARS))],
    [2, () => undefined],
    [2, () => Buffer.alloc(0)],
    [1, () => Buffer.from(' \n\t ')],
    [1, () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), good])],
    [1, () => Buffer.concat([good, Buffer.from([0xff])])],
    [
      2,
      () => withBytes(good, random.pick(['ff', 'c0af', 'eda080', 'f4908080', '00', '80']), random.fraction()),
    ],
    [1, () => gzipSync(good)],
    [1, () => Buffer.from(good.toString(), 'utf16le')],
    [1, () => Buffer.from('--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n')],
    [1, () => Buffer.from('name=x&value=y')],
    [2, () => good.subarray(0, Math.floor(random.fraction() * good.length))],
    [
      1,
      () =>
        Buffer.from(nest(random.pick([63, 64, 65, 1_000, 100_000]), random.pick(['array', 'object'])).text),
    ],
    [
      1,
      () =>
        Buffer.alloc(
          random.pick([MEBIBYTE - 1, MEBIBYTE, MEBIBYTE + 1, 3 * MEBIBYTE]),
          random.pick([' ', '[', '"', '0']),
        ),
    ],
    [1, () => Buffer.from(`{"name":"${'x'.repeat(MEBIBYTE - 100)}"}`)],
  ])();
}

function withBytes(body: Buffer, hex: string, at: number): Buffer {
  const place = Math.floor(at * body.length);
  return Buffer.concat([body.subarray(0, place), Buffer.from(hex, 'hex'), body.subarray(place)]);
}
