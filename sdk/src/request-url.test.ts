import { describe, expect, test } from 'vitest';
import { fillPath, toQueryString } from './request-url.ts';

describe('fillPath', () => {
  test('inserts each value at its place, escaped', () => {
    const path = fillPath('/org/{org}/members/{user_id}', { org: 'main', user_id: 'a/b?c d', other: 'x' });
    expect(path).toBe('/org/main/members/a%2Fb%3Fc%20d');
  });

  test('keeps the slashes of a name or a file', () => {
    const values = { name: 'main/notes', path: '../a b/ü.txt' };
    expect(fillPath('/{name}/files/{path}', values)).toBe('/main%2Fnotes/files/..%2Fa%20b%2F%C3%BC.txt');
  });

  test.each([undefined, null, '', '.', '..'])(
    'refuses %j, which would lead to another operation',
    (project) => {
      expect(() => fillPath('/projects/{project}', { project })).toThrow(/"project" must be the id or slug/);
    },
  );
});

describe('toQueryString', () => {
  test.each([
    [undefined, ''],
    [{}, ''],
    [{ a: undefined, b: null }, ''],
    [{ limit: 5, all: false, q: 'a&b c' }, '?limit=5&all=false&q=a%26b+c'],
    [{ tag: ['x', 'y'], none: [] }, '?tag=x&tag=y'],
  ])('turns %j into %j', (query, expected) => {
    expect(toQueryString(query)).toBe(expected);
  });
});
