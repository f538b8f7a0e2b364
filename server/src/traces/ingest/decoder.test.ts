import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  bytesField,
  encodeJson,
  encodeProtobuf,
  encodeSpan,
  encodeValue,
  makeSource,
  makeSpan,
  type SpanBatch,
} from '../../../test/otlp-messages.ts';
import { ApiError } from '../../platform/errors.ts';
import { DecodeThread, type EncodedSpans, failuresOf, type ThreadOptions } from './decode-thread.ts';
import { Decoder } from './decoder.ts';
import type { SpanChunk } from './span-chunk.ts';

const MEBIBYTE = 1024 * 1024;

function newDecoder(): Decoder {
  const decoder = new Decoder();
  onTestFinished(() => decoder.close());
  return decoder;
}

function newThread(options: Partial<ThreadOptions> = {}): DecodeThread {
  const bounds = { maxBytes: 128 * MEBIBYTE, isLast: true, heapMebibytes: 192, idleMs: 60_000 };
  const thread = new DecodeThread({ ...bounds, atOnce: 4, atOnceOfOne: 4, ...options });
  onTestFinished(() => thread.close());
  return thread;
}

const spans = (count: number, attributeBytes = 0): SpanBatch[] => {
  const attributes = attributeBytes > 0 ? [{ key: 'big', value: 'x'.repeat(attributeBytes) }] : [];
  return [
    { source: makeSource(), spans: Array.from({ length: count }, (_, at) => makeSpan(at, { attributes })) },
  ];
};

const encoded = (
  body: Buffer,
  contentType = 'application/x-protobuf',
  contentEncoding?: string,
): EncodedSpans => ({
  body: new Uint8Array(body),
  contentType,
  contentEncoding,
});

/** Counts chunks without storing them. */
function newStore(work: (chunk: SpanChunk) => Promise<void> = async () => undefined) {
  const stored = { spans: 0, chunks: [] as SpanChunk[], running: 0, most: 0 };
  const store = async (chunk: SpanChunk) => {
    stored.most = Math.max(stored.most, ++stored.running);
    await work(chunk);
    stored.running--;
    stored.spans += chunk.spans;
    stored.chunks.push(chunk);
  };
  return { stored, options: { organizationId: 'a', store, isWanted: () => true } };
}

describe('a decoder', () => {
  test('yields chunks of bounded size, and completes when they are stored', async () => {
    const { stored, options } = newStore(() => sleep(5));
    const decoder = newDecoder();
    expect(await decoder.decode(encoded(encodeProtobuf(spans(2_500))), options)).toMatchObject({ badIds: 0 });
    expect(stored.chunks.map(({ spans }) => spans)).toEqual([1_000, 1_000, 500]);
    expect(stored.running).toBe(0);
  });

  test('decodes only a few chunks ahead of the store', async () => {
    let most = 0;
    let under = 0;
    const { stored, options } = newStore(async ({ bytes }) => {
      under += bytes;
      most = Math.max(most, under);
      await sleep(30);
      under -= bytes;
    });
    const body = gzipSync(encodeJson(spans(30, MEBIBYTE)));
    await newDecoder().decode(encoded(body, 'application/json', 'gzip'), options);
    expect(stored.spans).toBe(30);
    expect(stored.chunks.every(({ bytes }) => bytes < 6 * MEBIBYTE)).toBe(true);
    expect(most).toBeLessThan(16 * MEBIBYTE);
  });

  test.each([
    ['a truncated body', encoded(encodeProtobuf(spans(3)).subarray(0, -1)), 'invalid_error'],
    [
      'a body with invalid compression',
      encoded(Buffer.from('abc'), 'application/json', 'gzip'),
      'invalid_error',
    ],
    ['wrong shapes', encoded(Buffer.from('{"resourceSpans":7}'), 'application/json'), 'validation_error'],
  ])('reports the error of the thread for %s, and keeps working', async (_what, body, type) => {
    const decoder = newDecoder();
    const { stored, options } = newStore();
    await expect(decoder.decode(body, options)).rejects.toMatchObject({ type });
    await decoder.decode(encoded(encodeProtobuf(spans(3))), options);
    expect(stored.spans).toBe(3);
  });

  test('names the location of each wrong shape', async () => {
    const body = encoded(
      Buffer.from('{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":5}]}]}]}'),
      'application/json',
    );
    await expect(newDecoder().decode(body, newStore().options)).rejects.toMatchObject({
      issues: [{ loc: ['body', 'resourceSpans', 0, 'scopeSpans', 0, 'spans', 0, 'name'] }],
    });
  });

  test('stops with the error of the store when storing fails', async () => {
    const { stored, options } = newStore(async () => {
      if (stored.spans >= 4) throw new Error('no more');
    });
    const thread = newThread();
    const body = () => encoded(encodeProtobuf(spans(30, 2 * MEBIBYTE)));
    await expect(thread.decode(body(), options)).rejects.toThrow('no more');
    expect(stored.spans).toBeLessThan(10);
    await thread.decode(encoded(encodeProtobuf(spans(2))), newStore().options);
  });

  test('stops when the client disconnects', async () => {
    const { stored, options } = newStore(() => sleep(10));
    const thread = newThread({ atOnce: 1 });
    const isWanted = () => stored.spans < 4;
    const first = thread.decode(encoded(encodeProtobuf(spans(30, 2 * MEBIBYTE))), { ...options, isWanted });
    const second = thread.decode(encoded(encodeProtobuf(spans(1))), { ...options, isWanted });
    await expect(first).rejects.toMatchObject({
      type: 'invalid_error',
      message: expect.stringMatching(/aborted/),
    });
    expect(stored.spans).toBeLessThan(16);
    await expect(second).rejects.toMatchObject({ message: expect.stringMatching(/aborted/) });
  });

  test.each([
    ['of spans', 1, 40_000],
    ['of scopes', 2_000, 1],
  ])('refuses a resource that would be repeated with each chunk %s', async (_what, scopes, each) => {
    const attribute = [bytesField(1, 'big'), bytesField(2, encodeValue('x'.repeat(3 * MEBIBYTE)))];
    const span = (at: number) => bytesField(2, encodeSpan(makeSpan(at)));
    const scope = (at: number) =>
      bytesField(2, Buffer.concat(Array.from({ length: each }, (_, index) => span(at * each + index))));
    const resource = [
      bytesField(1, bytesField(1, Buffer.concat(attribute))),
      ...Array.from({ length: scopes }, (_, at) => scope(at)),
    ];
    const body = gzipSync(bytesField(1, Buffer.concat(resource)), { level: 1 });
    const { stored, options } = newStore();
    await expect(
      newDecoder().decode(encoded(body, 'application/x-protobuf', 'gzip'), options),
    ).rejects.toMatchObject({ type: 'invalid_error', message: expect.stringMatching(/take many times/) });
    expect(stored.chunks.length).toBeLessThan(40);
  });

  test('decodes small bodies without waiting for large ones', async () => {
    const decoder = newDecoder();
    await decoder.decode(encoded(encodeProtobuf(spans(1))), newStore().options); // wait until the thread runs
    const order: string[] = [];
    const wide = gzipSync(encodeJson(spans(40, MEBIBYTE)), { level: 1 });
    expect(wide.length).toBeLessThan(MEBIBYTE);
    const large = decoder.decode(
      encoded(wide, 'application/json', 'gzip'),
      newStore(() => sleep(20)).options,
    );
    const small = Array.from({ length: 20 }, async () => {
      await decoder.decode(encoded(encodeProtobuf(spans(5))), newStore().options);
      order.push('small');
    });
    await Promise.all([large.then(() => order.push('large')), ...small]);
    expect(order.at(-1)).toBe('large');
  });
});

describe('the decoding thread', () => {
  // Out-of-memory is simulated: a full heap may end the whole process, including this test.
  test('blames only the body it was decoding when it died', () => {
    const death = Object.assign(new Error(), { code: 'ERR_WORKER_OUT_OF_MEMORY' });
    const failureOf = failuresOf(death, 7);
    expect(failureOf(7)).toMatchObject({ type: 'invalid_error', message: expect.stringMatching(/memory/) });
    expect(failureOf(8)).toMatchObject({
      type: 'usage_limit_exceeded_error',
      headers: { 'retry-after': '1' },
    });
    expect(failuresOf(new TypeError(), 7)(7)).not.toBeInstanceOf(ApiError);
  });

  test('is replaced with all of its bodies after it died', async () => {
    const thread = newThread();
    const { stored, options } = newStore();
    await thread.decode(encoded(encodeProtobuf(spans(2))), options);
    const body = gzipSync(encodeProtobuf(spans(20, MEBIBYTE)));
    const dying = thread.decode(encoded(body, 'application/x-protobuf', 'gzip'), options);
    await (thread as unknown as { worker: Worker }).worker.terminate();
    await expect(dying).rejects.toThrow('The decoder died.');
    const before = stored.spans;
    await thread.decode(encoded(encodeProtobuf(spans(2))), options);
    expect(stored.spans).toBe(before + 2);
  });

  test('leaves new bodies to the next thread while it stops for lack of work', async () => {
    const thread = newThread({ idleMs: 1 });
    const { stored, options } = newStore();
    for (let round = 0; round < 40; round++) {
      await thread.decode(encoded(encodeProtobuf(spans(1))), options);
      await sleep(round % 4);
    }
    expect(stored.spans).toBe(40);
  });

  test('decodes nothing after close, and reports that the spans can be sent again', async () => {
    const thread = newThread({ atOnce: 1 });
    const { stored, options } = newStore();
    const body = () => encoded(encodeProtobuf(spans(1)));
    const jobs = [thread.decode(body(), options), thread.decode(body(), options)];
    await Promise.all([thread.close(), Promise.allSettled(jobs)]);
    const again = { type: 'usage_limit_exceeded_error', headers: { 'retry-after': '1' } };
    for (const job of [...jobs, thread.decode(body(), options)])
      await expect(job).rejects.toMatchObject(again);
    expect(stored.spans).toBe(0);
  });

  test('serves an organization without waiting for decoding or storing of another one', async () => {
    const thread = newThread({ atOnceOfOne: 3 });
    const released = Promise.withResolvers<void>();
    const slow = newStore(() => released.promise);
    const [large, small] = [encodeProtobuf(spans(20_000)), encodeProtobuf(spans(2_000))];
    const send = (organizationId: string, body: Buffer, store: typeof slow) =>
      thread.decode(encoded(body), { ...store.options, organizationId });
    const ofOne = Array.from({ length: 10 }, () => send('a', large, slow));
    await send(
      'b',
      small,
      newStore(() => sleep(1)),
    );
    expect(slow.stored.most).toBeGreaterThan(0);
    // At most a few chunks are decoded ahead, although three bodies are being decoded.
    expect(slow.stored.running).toBeLessThan(8);
    released.resolve();
    await Promise.all(ofOne);
    expect(slow.stored.spans).toBe(200_000);
  });

  test('stops when idle, and starts again', async () => {
    const thread = newThread({ idleMs: 10 });
    const { stored, options } = newStore();
    for (let round = 0; round < 3; round++) {
      await thread.decode(encoded(encodeProtobuf(spans(2))), options);
      await sleep(60);
    }
    expect(stored.spans).toBe(6);
  });
});

test('decoding a large body does not block the event loop', async () => {
  const decoder = newDecoder();
  const noise = Array.from(
    { length: 100 },
    () => randomBytes(80_000).toString('base64') + 'x'.repeat(940_000),
  );
  const batch = spans(100);
  const big = batch.map(({ source, spans }) => ({
    source,
    spans: spans.map((span, at) => ({ ...span, attributes: [{ key: 'big', value: noise[at] ?? '' }] })),
  }));
  const body = gzipSync(encodeProtobuf(big), { level: 1 });
  expect(body.length).toBeGreaterThan(8 * MEBIBYTE);
  expect(body.length).toBeLessThan(16 * MEBIBYTE);
  const sent = encoded(body, 'application/x-protobuf', 'gzip');
  const { stored, options } = newStore();
  let turns = 0;
  const counting = setInterval(() => turns++, 5);
  const [thread, all] = [process.threadCpuUsage(), process.cpuUsage()];
  await decoder.decode(sent, options);
  const [ofThread, ofAll] = [process.threadCpuUsage(thread), process.cpuUsage(all)];
  clearInterval(counting);
  expect(stored.spans).toBe(100);
  // The main thread does little of the work, and never in one long block.
  expect(ofThread.user).toBeLessThan(ofAll.user / 2);
  expect(turns).toBeGreaterThan(10);
});
