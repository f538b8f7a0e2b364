import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { Random } from '../../../../fuzz/random.ts';
import { findPage } from './page-rows.ts';
import { Selection } from './selection.ts';
import { FLAG_SHARED, NO_TIME, SessionColumns, SessionValues } from './session-columns.ts';
import { readUuid } from './uuid-words.ts';

const random = new Random('pages', 1);

/** Creates sessions, many of which have equal or missing values. */
function makeSessions(count: number, spread: number) {
  const columns = new SessionColumns();
  const values = new SessionValues();
  const sessions = Array.from({ length: count }, () => ({
    id: randomUUID() as string,
    message_count: random.integer(0, spread),
    last_message_at: random.chance(0.3) ? NO_TIME : random.integer(0, spread),
  }));
  for (const session of sessions) {
    readUuid(session.id, values.id);
    values.flags = FLAG_SHARED;
    values.messageCount = session.message_count;
    values.lastMessageAt = session.last_message_at;
    columns.put(values);
  }
  return { columns, sessions };
}

test.each([
  { count: 0, spread: 3 },
  { count: 1, spread: 3 },
  { count: 50, spread: 0 },
  { count: 1_000, spread: 5 },
  { count: 3_000, spread: 1_000_000 },
])('findPage returns every page of $count sessions in order', ({ count, spread }) => {
  const { columns, sessions } = makeSessions(count, spread);
  const selection = new Selection();
  for (let round = 0; round < 60; round++) {
    const sort_by = random.pick(['message_count', 'last_message_at'] as const);
    const sort_dir = random.pick(['asc', 'desc'] as const);
    const [offset, limit] = [random.integer(0, count + 5), random.integer(1, 100)];
    selection.select(columns, {
      userId: randomUUID(),
      filter: { archived: 'any', labels: [] },
      marks: undefined,
    });
    const sign = sort_dir === 'asc' ? 1 : -1;
    const expected = sessions.toSorted((a, b) => {
      const [left, right] = [a[sort_by], b[sort_by]];
      if (left === right) return a.id < b.id ? -1 : 1;
      return left === NO_TIME ? 1 : right === NO_TIME ? -1 : sign * (left - right);
    });
    expect(findPage(columns, selection, { sort_by, sort_dir, offset, limit })).toEqual(
      expected.slice(offset, offset + limit).map(({ id }) => id),
    );
  }
});
