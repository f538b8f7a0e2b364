import { expect, test, vi } from 'vitest';
import { AnswerBody } from './answer-body.ts';

function openBody(encoding?: string) {
  const source = { pause: vi.fn(), resume: vi.fn(), destroy: vi.fn(), left: vi.fn() };
  return { body: new AnswerBody(encoding, 2_000, source), source };
}

function openEnded() {
  const { body } = openBody();
  body.end();
  return body;
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

test('all of it is there at once where all of it has come', async () => {
  const { body, source } = openBody();
  body.take(Buffer.from('some, '));
  body.take(Buffer.from('and more'));
  body.end();
  expect((await body.whole(() => undefined)).toString()).toBe('some, and more');
  expect(source.destroy).not.toHaveBeenCalled();
  expect((await openEnded().whole(() => undefined)).toString()).toBe('');
});

test('all of it is waited for, and taken as it comes', async () => {
  const { body, source } = openBody();
  const whole = body.whole(() => undefined);
  for (let n = 0; n < 8; n++) {
    body.take(Buffer.alloc(300_000, 'x'));
    await new Promise(setImmediate);
  }
  expect(source.resume).toHaveBeenCalledTimes(source.pause.mock.calls.length);
  body.end();
  expect(await whole).toHaveLength(2_400_000);
});

test('of what is longer than is wanted the rest is not waited for', async () => {
  const { body, source } = openBody();
  body.take(Buffer.alloc(101));
  const tooLong = new Error('too long');
  await expect(body.whole((length) => (length > 100 ? tooLong : undefined))).rejects.toBe(tooLong);
  expect(source.destroy).toHaveBeenCalledOnce();
  expect(source.left).toHaveBeenCalledOnce();
});

test('what breaks off is no whole', async () => {
  const { body } = openBody();
  body.take(Buffer.from('some'));
  const whole = body.whole(() => undefined);
  body.fail(new Error('broken'));
  await expect(whole).rejects.toThrow('broken');
});
