import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { toSteadyBody } from './steady-body.ts';

const MAX_SILENCE_MS = 1_000;

/** The clock stands still unless a test moves it. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}

test('toSteadyBody lets its reader pause for any time', async () => {
  stopClock();
  // More than the buffers of both streams hold, so that the source is blocked during the pause.
  const chunks = Array.from({ length: 64 }, () => Buffer.alloc(64 * 1024, 'x'));
  const body = toSteadyBody(Readable.from(chunks, { objectMode: false }), MAX_SILENCE_MS);
  let bytes = 0;
  for await (const chunk of body) {
    if (bytes === 0) {
      await nextTurn();
      await vi.advanceTimersByTimeAsync(1_000 * MAX_SILENCE_MS);
    }
    bytes += (chunk as Buffer).length;
  }
  expect(bytes).toBe(64 * 64 * 1024);
});

test('toSteadyBody fails when its source stalls while the reader waits', async () => {
  stopClock();
  const source = new Readable({ read() {} });
  const body = toSteadyBody(source, MAX_SILENCE_MS);
  source.push('a');
  const failed = expect(body.toArray()).rejects.toThrow('stopped sending in the middle of an object');
  await nextTurn();
  await vi.advanceTimersByTimeAsync(MAX_SILENCE_MS - 1);
  expect(body.destroyed).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await failed;
  expect(source.destroyed).toBe(true);
});
