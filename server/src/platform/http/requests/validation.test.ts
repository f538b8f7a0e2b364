import { expect, test } from 'vitest';
import { z } from 'zod';
import { ApiError, type Issue } from '../../errors.ts';
import { validate } from './validation.ts';

function complaints(body: z.ZodType, given: unknown): { detail: string; issues: readonly Issue[] } {
  try {
    validate({ body }, { path: {}, query: {}, body: given });
  } catch (error) {
    if (error instanceof ApiError && error.issues) return { detail: error.message, issues: error.issues };
    throw error;
  }
  return { detail: '', issues: [] };
}

test('validate returns valid values as parsed by the schema', () => {
  const schemas = {
    path: z.object({ id: z.string() }),
    query: undefined,
    body: z.object({ a: z.int().default(1) }),
  };
  expect(validate(schemas, { path: { id: 'x', y: 1 }, query: { z: 1 }, body: { b: 2 } })).toEqual({
    path: { id: 'x' },
    query: undefined,
    body: { a: 1 },
  });
});

test('validate reports a value that breaks two rules once', () => {
  const { issues } = complaints(
    z.object({
      key: z
        .string()
        .min(3)
        .regex(/^[a-z]+$/),
    }),
    { key: '1' },
  );
  expect(issues).toEqual([{ loc: ['body', 'key'], msg: expect.any(String), type: 'too_small' }]);
});

test('validate judges a union by the alternative that was meant', () => {
  const Item = z.union([
    z.string().min(2),
    z.object({ id: z.int(), of: z.union([z.string(), z.object({ to: z.int() })]) }),
  ]);
  const { issues } = complaints(z.array(Item), [
    'x',
    5,
    { of: 7 },
    { id: 'y', of: { to: 'z' } },
    { id: 1, of: 'w' },
  ]);
  expect(issues.map(({ loc, type }) => [loc.slice(1), type])).toEqual([
    [[0], 'too_small'],
    [[1], 'invalid_union'],
    [[2, 'id'], 'missing'],
    [[2, 'of'], 'invalid_union'],
    [[3, 'id'], 'invalid_type'],
    [[3, 'of', 'to'], 'invalid_type'],
  ]);
});

test('validate reports the first hundred mistakes and counts all', () => {
  const { detail, issues } = complaints(
    z.array(z.string()),
    Array.from({ length: 5_000 }, () => 7),
  );
  expect(issues).toHaveLength(100);
  expect(issues[99]?.loc).toEqual(['body', 99]);
  expect(detail).toBe('body.0: must be a string, not a number. There are 4999 more mistakes; see "errors".');
});

test('validate finds NUL and lone surrogates in keys and values, at any depth', () => {
  const Deep = z.object({ list: z.array(z.record(z.string(), z.string())) });
  const { issues } = complaints(Deep, {
    list: [{ ok: 'fine' }, { bad: 'a\0b' }, { 'k\ud800': 'x' }, { x: '\udfff' }],
  });
  expect(issues.map(({ loc }) => loc)).toEqual([
    ['body', 'list', 1, 'bad'],
    ['body', 'list', 2, 'k\ufffd'],
    ['body', 'list', 3, 'x'],
  ]);
});

test('validate says what an invalid record key must be', () => {
  const body = z.object({ env: z.record(z.string().regex(/^[A-Z]+$/, 'must be in capitals'), z.string()) });
  expect(complaints(body, { env: { low: 'x' } }).issues).toEqual([
    { loc: ['body', 'env', 'low'], msg: 'must be in capitals', type: 'invalid_key' },
  ]);
});
