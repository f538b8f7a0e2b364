import { expect, test } from 'vitest';
import { z } from 'zod';
import { createSigner } from '../../auth/signing.ts';
import { Cursors, offsetOf, pageOf, pageQuery, toPage } from './pages.ts';

test.each([
  [0, 1, 50, { total_pages: 0, has_next: false, has_previous: false }],
  [50, 1, 50, { total_pages: 1, has_next: false, has_previous: false }],
  [51, 1, 50, { total_pages: 2, has_next: true, has_previous: false }],
  [51, 2, 50, { total_pages: 2, has_next: false, has_previous: true }],
  [51, 9, 50, { total_pages: 2, has_next: false, has_previous: true }],
])('a list of %i items returns page %i of %i each', (total, page, limit, expected) => {
  expect(toPage(total, { page, limit })).toEqual({ total, page, limit, ...expected });
});

test('a page names its items by their plural', () => {
  const Page = pageOf('sessions', z.string());
  const page = { sessions: ['a'], ...toPage(1, { page: 1, limit: 50 }) };
  expect(Page.parse(page)).toEqual(page);
  expect(Object.keys(z.toJSONSchema(Page).properties ?? {})).toEqual(Object.keys(page));
});

test('page and limit have limits and defaults', () => {
  const Query = z.object(pageQuery({ defaultLimit: 50, maxLimit: 100 }));
  expect(Query.parse({})).toEqual({ page: 1, limit: 50 });
  expect(Query.safeParse({ page: 0 }).success).toBe(false);
  expect(Query.safeParse({ limit: 101 }).success).toBe(false);
});

test('offsetOf computes the offset of a page', () => {
  expect(offsetOf({ page: 3, limit: 50 })).toBe(100);
  expect(offsetOf({ page: Number.MAX_SAFE_INTEGER, limit: 10_000 })).toBe(Number.MAX_SAFE_INTEGER);
});

const signer = createSigner('a secret key for cursors');
const cursors = new Cursors<{ id: string }>(signer, 'things of org 1');
const rows = ['a', 'b', 'c'].map((id) => ({ id }));

test('a cursor leads to the next page and ends with the last one', () => {
  const first = cursors.toPage(rows, 2, { color: 'red' }, ({ id }) => ({ id }));
  expect(first.items).toEqual([{ id: 'a' }, { id: 'b' }]);
  expect(cursors.read(first.next_cursor ?? '', { color: 'red' })).toEqual({ id: 'b' });
  expect(cursors.toPage(rows, 3, {}, ({ id }) => ({ id })).next_cursor).toBeNull();
  expect(cursors.read(undefined, {})).toBeUndefined();
});

test('a cursor accepts its filters in any order', () => {
  const { next_cursor } = cursors.toPage(rows, 1, { a: 1, b: 2 }, ({ id }) => ({ id }));
  expect(cursors.read(next_cursor ?? '', { b: 2, a: 1 })).toEqual({ id: 'a' });
});

test('a cursor with other filters, list, key or text is refused', () => {
  const cursor = cursors.toPage(rows, 1, { color: 'red' }, ({ id }) => ({ id })).next_cursor ?? '';
  const elsewhere = new Cursors(signer, 'things of org 2');
  const foreign = new Cursors(createSigner('another secret key'), 'things of org 1');
  const red = { color: 'red' };
  const attempts = [
    () => cursors.read(cursor, { color: 'blue' }),
    () => elsewhere.read(cursor, red),
    () => foreign.read(cursor, red),
    () => cursors.read(`x${cursor}`, red),
    () => cursors.read('', red),
  ];
  for (const attempt of attempts) {
    const error = catchError(attempt);
    expect(error).toMatchObject({ type: 'validation_error', issues: [{ loc: ['query', 'cursor'] }] });
  }
});

function catchError(attempt: () => unknown): unknown {
  try {
    return attempt();
  } catch (error) {
    return error;
  }
}
