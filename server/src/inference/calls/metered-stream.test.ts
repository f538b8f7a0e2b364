import { expect, test, vi } from 'vitest';
import type { StreamPiece } from '../../platform/llm/chat-model.ts';
import type { BegunCall, CallEnd } from '../call-ledger.ts';
import { FREE } from '../simulated-models.ts';
import { CallRecord } from './call-record.ts';
import { MeteredStream } from './metered-stream.ts';

const PIECE: StreamPiece = { chunks: [{ id: 'x', choices: [] }], outputLength: 40 };
const BROKEN = new Error('the stream broke');

async function* saying(pieces: readonly StreamPiece[], error?: Error): AsyncGenerator<StreamPiece> {
  yield* pieces;
  if (error) throw error;
}

/** Creates a metered stream over these pieces, and records what it stores and how often it is closed. */
function relay(pieces: AsyncIterable<StreamPiece>, write: () => Promise<void> = async () => undefined) {
  const ends: CallEnd[] = [];
  const caller = new AbortController();
  const { signal } = caller;
  const call = { model: { price: FREE } } as BegunCall;
  const end = async (_call: BegunCall, one: CallEnd) => {
    await write();
    ends.push(one);
    return undefined;
  };
  const request = { model: 'a/b', messages: [{ role: 'user' }] };
  const record = new CallRecord({ ledger: { begin: () => undefined, end }, call, request, signal });
  const close = vi.fn<() => void>();
  const leave = async (_source: AsyncIterator<StreamPiece>, error: unknown) =>
    void (await (error === undefined ? record.cancel() : record.fail(error)));
  const following = { observe: () => undefined, completed: async () => undefined };
  const response = new MeteredStream({ pieces, signal, record, ...following, leave, close });
  return { response, caller, ends, close };
}

test('next stores the call once, before it ends the stream', async () => {
  const { response, ends, close } = relay(saying([PIECE]));
  expect((await response.next()).value).toBe(PIECE.chunks);
  expect([ends.length, close.mock.calls.length, response.totals]).toEqual([0, 0, undefined]);
  for (let again = 0; again < 2; again++) expect((await response.next()).done).toBe(true);
  await response.return();
  expect([ends.map(({ status }) => status), close.mock.calls.length]).toEqual([['completed'], 1]);
  expect(response.totals).toMatchObject({ usage: { outputTokens: 10 }, isEstimated: true });
});

test('next counts the output before the caller disconnected', async () => {
  const { response, caller, ends, close } = relay(saying([PIECE, PIECE]));
  caller.abort();
  await response.next();
  await expect(response.next()).rejects.toThrow(caller.signal.reason as Error);
  expect(ends).toMatchObject([{ status: 'cancelled', usage: { outputTokens: 10 } }]);
  expect(close).toHaveBeenCalledTimes(1);
});

test('return cancels the call once', async () => {
  const { response, ends, close } = relay(saying([PIECE, PIECE]));
  await response.next();
  for (let again = 0; again < 2; again++) await response.return();
  expect([ends.map(({ status }) => status), close.mock.calls.length]).toEqual([['cancelled'], 1]);
});

test('return counts the first output when nothing was read', async () => {
  const { response, ends, close } = relay(saying([PIECE, PIECE]));
  await response.return();
  expect(ends).toMatchObject([{ status: 'cancelled', usage: { outputTokens: 10 } }]);
  expect(close).toHaveBeenCalledTimes(1);
});

test('next stores a broken stream as failed, with its output', async () => {
  const { response, ends, close } = relay(saying([PIECE], BROKEN));
  await response.next();
  await expect(response.next()).rejects.toBe(BROKEN);
  expect(ends).toMatchObject([{ status: 'failed', usage: { outputTokens: 10 } }]);
  expect([(await response.next()).done, close.mock.calls.length]).toEqual([true, 1]);
});

test('next throws when the call cannot be stored, and does not store it as another', async () => {
  const write = vi.fn<() => Promise<void>>(() => Promise.reject(BROKEN));
  const { response, close } = relay(saying([PIECE]), write);
  await response.next();
  await expect(response.next()).rejects.toBe(BROKEN);
  expect([write.mock.calls.length, close.mock.calls.length]).toEqual([1, 1]);
});
