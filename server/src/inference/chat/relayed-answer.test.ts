import { expect, test, vi } from 'vitest';
import type { StreamPiece } from '../../platform/llm/chat-model.ts';
import type { BegunCall, CallEnd } from '../call-book.ts';
import { CallRecord } from './call-record.ts';
import { RelayedAnswer } from './relayed-answer.ts';

const SAID: StreamPiece = { bytes: Buffer.from('data: {}\n\n'), outputLength: 40 };
const BROKEN = new Error('it broke off');

async function* saying(pieces: readonly StreamPiece[], error?: Error): AsyncGenerator<StreamPiece> {
  yield* pieces;
  if (error) throw error;
}

/** With what is written of the call, and how often it was over. */
function relay(pieces: AsyncIterable<StreamPiece>, write: () => Promise<void> = async () => undefined) {
  const ends: CallEnd[] = [];
  const caller = new AbortController();
  const { signal } = caller;
  const call = {} as BegunCall;
  const end = async (_call: BegunCall, one: CallEnd) => {
    await write();
    ends.push(one);
  };
  const request = { model: 'a/b', messages: [{ role: 'user' }] };
  const record = new CallRecord({ book: { begin: () => undefined, end }, call, request, signal });
  const over = vi.fn<() => void>();
  const leave = (_source: AsyncIterator<StreamPiece>, error: unknown) =>
    error === undefined ? record.cancel() : record.fail(error);
  return { answer: new RelayedAnswer({ pieces, signal, record, leave, over }), caller, ends, over };
}

test('it is written down before its last event, and over after it', async () => {
  const { answer, ends, over } = relay(saying([SAID]));
  expect((await answer.next()).value).toBe(SAID.bytes);
  expect(ends).toEqual([]);
  expect(String((await answer.next()).value)).toBe('data: [DONE]\n\n');
  expect([ends.length, over.mock.calls.length]).toEqual([1, 0]);
  for (let again = 0; again < 2; again++) expect((await answer.next()).done).toBe(true);
  await answer.return();
  expect([ends.map(({ status }) => status), over.mock.calls.length]).toEqual([['completed'], 1]);
});

test('what was said before its caller left counts, also where nothing of it was taken', async () => {
  const { answer, caller, ends, over } = relay(saying([SAID, SAID]));
  caller.abort();
  await answer.next();
  await expect(answer.next()).rejects.toThrow(caller.signal.reason as Error);
  expect(ends).toMatchObject([{ status: 'cancelled', usage: { outputTokens: 10 } }]);
  expect(over).toHaveBeenCalledTimes(1);
});

test('who wants no more of it leaves it once', async () => {
  const { answer, ends, over } = relay(saying([SAID, SAID]));
  await answer.next();
  for (let again = 0; again < 2; again++) await answer.return();
  expect([ends.map(({ status }) => status), over.mock.calls.length]).toEqual([['cancelled'], 1]);
});

test('one that breaks off has failed, with what was said', async () => {
  const { answer, ends, over } = relay(saying([SAID], BROKEN));
  await answer.next();
  await expect(answer.next()).rejects.toBe(BROKEN);
  expect(ends).toMatchObject([{ status: 'failed', usage: { outputTokens: 10 } }]);
  expect([(await answer.next()).done, over.mock.calls.length]).toEqual([true, 1]);
});

test('one that cannot be written down has no last event, and is not tried as another', async () => {
  const write = vi.fn<() => Promise<void>>(() => Promise.reject(BROKEN));
  const { answer, over } = relay(saying([SAID]), write);
  await answer.next();
  await expect(answer.next()).rejects.toBe(BROKEN);
  expect([write.mock.calls.length, over.mock.calls.length]).toEqual([1, 1]);
});
