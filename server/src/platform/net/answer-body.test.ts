import { expect, test, vi } from 'vitest';
import { AnswerBody } from './answer-body.ts';

function openBody(encoding?: string) {
  const source = { pause: vi.fn(), resume: vi.fn(), destroy: vi.fn(), left: vi.fn() };
  return { body: new AnswerBody(encoding, 2_000, source), source };
}

test.each([
  [1, 3_000],
  [1_000, 300],
  [100_000, 3],
])('in pieces of %d bytes, fewer than %d wait for their reader', async (size, most) => {
  const { body, source } = openBody();
  let count = 0;
  while (source.pause.mock.calls.length === 0) {
    body.take(Buffer.alloc(size, 'x'));
    count++;
  }
  expect(count).toBeLessThanOrEqual(most);
  expect(count * size).toBeGreaterThan(size === 1 ? 1_000 : 200_000);
  expect(source.resume).not.toHaveBeenCalled();
  expect((await body.next()).value).toHaveLength(count * size);
  expect(source.resume).toHaveBeenCalledOnce();
});
