/** Bundles sent over a real connection: large, slow and incomplete ones. */
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { END_OF_TAR, tar, tarEntry } from '../../../test/bundles.ts';
import { startPublisher } from '../../../test/publisher.ts';

const { server, leftovers } = await startPublisher();
const { owner } = server;
const member = await server.addPerson('member', { role: 'member' });
const address = server.app.listen({ port: 0, host: '127.0.0.1' });

/** Compresses by half, so that no ratio limit applies. */
function* noise(bytes: number) {
  const block = Buffer.alloc(2 ** 16);
  for (let index = 0; index < block.length; index++)
    block[index] = (index * index * 31 + (index >> 3)) & 0xff;
  for (let left = bytes, count = 0; left > 0; left -= block.length, count++) {
    block.writeUInt32LE(count, 0);
    yield Buffer.from(block.subarray(0, Math.min(left, block.length)));
  }
}

function* large(files: number, bytes: number) {
  yield tarEntry({ name: 'model.yaml', content: 'a: 1' });
  for (let file = 0; file < files; file++) {
    yield tarEntry({ name: `part-${file}.bin`, size: bytes });
    yield* noise(bytes);
  }
  yield END_OF_TAR;
}

/** Sends with a client that buffers as little as possible. */
async function send(
  path: string,
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  { signal, key = member.key }: { signal?: AbortSignal; key?: string } = {},
) {
  const request = httpRequest(`${await address}/api/v1${path}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/gzip' },
    ...(signal && { signal }),
  });
  const responses = once(request, 'response') as Promise<[IncomingMessage]>;
  const sending = pipeline(chunks, createGzip({ level: 0 }), request);
  const [[response]] = await Promise.all([responses, sending]);
  return {
    status: response.statusCode,
    body: JSON.parse(Buffer.concat(await response.toArray()).toString()),
  };
}

test('a bundle of 300 MB is streamed without being held in memory', async () => {
  await send('/org/main/models/warm/1.0.0', large(1, 2 ** 24));
  const before = process.memoryUsage.rss();
  let peak = 0;
  const watching = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss() - before);
  }, 20);
  const response = await send('/org/main/models/large/1.0.0', large(3, 100 * 2 ** 20));
  clearInterval(watching);
  expect(response).toMatchObject({
    status: 201,
    body: { file_count: 4, file_size_bytes: 3 * 100 * 2 ** 20 + 4 },
  });
  expect(peak).toBeLessThan(150 * 2 ** 20);
}, 120_000);

async function* slowly(milliseconds: number) {
  for (const chunk of large(1, 8 * 2 ** 20)) {
    yield chunk;
    await sleep(milliseconds);
  }
}

test('publishing fails if the caller loses membership before the bundle has arrived', async () => {
  const leaver = await server.addPerson('leaver', { role: 'member' });
  const before = (await leftovers()) as { keys: string[]; versions: number };
  const sending = send('/org/main/models/left/1.0.0', slowly(10), { key: leaver.key });
  await sleep(100);
  expect((await server.as(owner).delete(`/org/main/members/${leaver.id}`)).status).toBe(204);
  expect((await sending).status).toBe(403);
  await expect.poll(leftovers).toMatchObject({ keys: before.keys, versions: before.versions, uploads: 0 });
});

test('a client that disconnects leaves nothing behind', async () => {
  const before = await leftovers();
  const leaving = new AbortController();
  const sending = send('/org/main/models/broken/1.0.0', slowly(5), { signal: leaving.signal });
  sending.catch(() => undefined);
  await sleep(200);
  expect(await leftovers()).not.toEqual(before);
  leaving.abort();
  await expect(sending).rejects.toThrow();
  await expect.poll(leftovers, { timeout: 5_000 }).toEqual(before);
});

test('many small files are stored concurrently and completely', async () => {
  const files = Array.from({ length: 2_000 }, (_, index) => ({
    name: `f/${index}.txt`,
    content: `file ${index}`,
  }));
  const body = gzipSync(tar({ name: 'model.yaml', content: 'a: 1' }, ...files), { level: 1 });
  const response = await server.as(member).put('/org/main/models/many/1.0.0', body);
  expect(response).toMatchObject({ status: 201, body: { file_count: 2_001 } });
});
