import { describe, expect, test, vi } from 'vitest';
import { DrydockError, type DrydockErrorType } from './errors.ts';
import { backOffMs, findPauseMs, pause } from './retries.ts';

const FIRST_PAUSE_MS = 100;

const failure = (type: DrydockErrorType, status?: number, retryAfterSeconds?: number) =>
  new DrydockError({ type, status, retryAfterSeconds, request: 'GET /', detail: 'no' });

const repeatable = { isRepeatable: true, hasIdempotencyKey: false, failures: 1 };

describe('a retry', () => {
  test.each([
    failure('connection_error'),
    failure('timeout_error'),
    failure('usage_limit_exceeded_error', 429),
    failure('object_storage_error', 502),
    failure('gateway_timeout_error', 504),
  ])('follows $status $type, for repeatable requests only', (error) => {
    expect(findPauseMs(repeatable, error, FIRST_PAUSE_MS)).toBeGreaterThan(0);
    expect(findPauseMs({ ...repeatable, isRepeatable: false }, error, FIRST_PAUSE_MS)).toBeUndefined();
  });

  test.each([
    failure('server_error', 500),
    failure('not_found_error', 404),
    failure('validation_error', 422),
    failure('authentication_error', 401),
    failure('unexpected_answer_error', 200),
  ])('does not follow $status $type', (error) => {
    expect(findPauseMs(repeatable, error, FIRST_PAUSE_MS)).toBeUndefined();
  });

  test('follows a 409 only when the first call with our own key is still running', () => {
    const keyed = { ...repeatable, hasIdempotencyKey: true };
    expect(findPauseMs(keyed, failure('conflict_error', 409, 1), FIRST_PAUSE_MS)).toBeGreaterThan(0);
    expect(findPauseMs(keyed, failure('conflict_error', 409), FIRST_PAUSE_MS)).toBeUndefined();
    expect(findPauseMs(repeatable, failure('conflict_error', 409, 1), FIRST_PAUSE_MS)).toBeUndefined();
  });

  test('waits at least as long as the server asks, and is not made when that is too long', () => {
    const busy = (seconds: number) => failure('usage_limit_exceeded_error', 429, seconds);
    const pauseMs = findPauseMs({ ...repeatable, failures: 5 }, busy(3), FIRST_PAUSE_MS);
    expect(pauseMs).toBeGreaterThanOrEqual(3_050);
    expect(pauseMs).toBeLessThanOrEqual(3_100);
    expect(findPauseMs(repeatable, busy(61), FIRST_PAUSE_MS)).toBeUndefined();
  });
});

test.each([
  [1, 50, 100],
  [2, 100, 200],
  [4, 400, 800],
  [30, 4_000, 8_000],
])('backOffMs after %i failures is between %i and %i ms', (failures, least, most) => {
  const pauses = Array.from({ length: 50 }, () => backOffMs(failures, FIRST_PAUSE_MS));
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(least);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(most);
  expect(new Set(pauses).size).toBeGreaterThan(1);
});

test('backOffMs is at most a minute', async () => {
  vi.useFakeTimers();
  try {
    const onEnd = vi.fn();
    const waiting = pause(9_999_999_999, undefined).finally(onEnd);
    await vi.advanceTimersByTimeAsync(59_999);
    expect(onEnd).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await waiting;
  } finally {
    vi.useRealTimers();
  }
});

test('pause ends at once when it is aborted, before or after it began', async () => {
  const reason = new Error('enough');
  const abort = new AbortController();
  const waiting = pause(60_000, abort.signal);
  abort.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await expect(pause(60_000, abort.signal)).rejects.toBe(reason);
});
