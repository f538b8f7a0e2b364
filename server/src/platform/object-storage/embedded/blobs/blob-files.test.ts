import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { listFiles } from '../../../../../test/embedded-stores.ts';
import { BlobFiles, isMissing } from './blob-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'drydock-blobs-'));
const files = new BlobFiles(folder);
await files.prepare();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const drafts = () => readdirSync(join(folder, 'incoming'));
const openDescriptors = () => readdirSync('/proc/self/fd').length;

async function readAll(...args: Parameters<BlobFiles['read']>): Promise<Buffer> {
  const content = await files.read(...args);
  return Buffer.isBuffer(content) ? content : buffer(content);
}

test('a blob is one private file in a folder named after the end of its id', async () => {
  const content = randomBytes(10_000);
  const blob = await files.write([content.subarray(0, 7), content.subarray(7)]);
  expect(blob).toMatchObject({ sizeBytes: 10_000, md5: createHash('md5').update(content).digest('hex') });
  const path = join(folder, blob.id.slice(-2), blob.id);
  expect(readFileSync(path)).toEqual(content);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
  expect(drafts()).toEqual([]);
});

test('write consumes a body with backpressure from the disk', async () => {
  const chunk = randomBytes(60_000);
  let mostAhead = 0;
  async function* body() {
    for (let given = 0; given < 30_000_000; given += chunk.length) {
      const [draft] = drafts();
      const written = draft ? statSync(join(folder, 'incoming', draft)).size : 0;
      mostAhead = Math.max(mostAhead, given - written);
      yield chunk;
    }
  }
  const blob = await files.write(body());
  expect(blob.sizeBytes).toBe(30_000_000);
  expect(statSync(files.pathOf(blob.id)).size).toBe(30_000_000);
  expect(mostAhead).toBeLessThan(400_000);
});

test('write accepts single bytes, and creates no file for an empty body', async () => {
  const chunk = Buffer.from('x');
  let mostAhead = 0;
  async function* body() {
    for (let given = 0; given < 20_000; given++) {
      const [draft] = drafts();
      const written = draft ? statSync(join(folder, 'incoming', draft)).size : 0;
      mostAhead = Math.max(mostAhead, given - written);
      yield chunk;
    }
  }
  expect(await files.write(body())).toMatchObject({ sizeBytes: 20_000 });
  expect(mostAhead).toBeLessThanOrEqual(1_024);
  const before = listFiles(folder).length;
  await files.write(Array.from({ length: 3_000 }, () => Buffer.alloc(0)));
  expect(listFiles(folder)).toHaveLength(before);
});

test('write leaves nothing behind when the body fails at any point', async () => {
  const before = listFiles(folder).length;
  for (const chunks of [0, 1, 20]) {
    async function* body() {
      for (let count = 0; count < chunks; count++) yield Buffer.alloc(50_000);
      throw new Error('the client has gone');
    }
    await expect(files.write(body())).rejects.toThrow('the client has gone');
  }
  expect(drafts()).toEqual([]);
  expect(listFiles(folder)).toHaveLength(before);
});

test('an empty blob has no file, and can be read and linked', async () => {
  const before = listFiles(folder).length;
  const empty = await files.write([Buffer.alloc(0)]);
  expect(empty).toMatchObject({ sizeBytes: 0, md5: 'd41d8cd98f00b204e9800998ecf8427e' });
  expect(await files.read([empty])).toEqual(Buffer.alloc(0));
  expect(await files.read([])).toEqual(Buffer.alloc(0));
  const link = await files.link(empty);
  expect(link.id).not.toBe(empty.id);
  expect(listFiles(folder)).toHaveLength(before);
});

test('read returns small content as a buffer, larger content and several blobs as a stream', async () => {
  const small = await files.write([randomBytes(65_536)]);
  const large = await files.write([randomBytes(65_537)]);
  expect(await files.read([small])).toBeInstanceOf(Buffer);
  expect(await files.read([large], { start: 60_000, end: 65_000 })).toBeInstanceOf(Buffer);
  const streams = [await files.read([large]), await files.read([small, small])];
  for (const stream of streams) {
    expect(stream).toBeInstanceOf(Readable);
    (stream as Readable).destroy();
  }
});

test('read returns any range of several blobs', async () => {
  const parts = [300_000, 1, 0, 700_000, 70_000].map((size) => randomBytes(size));
  const whole = Buffer.concat(parts);
  const blobs = [];
  for (const part of parts) blobs.push(await files.write([part]));
  expect(await readAll(blobs)).toEqual(whole);
  const edges = [0, 1, 262_143, 262_144, 299_999, 300_000, 300_001, 562_145, 1_000_000, 1_000_001, 1_070_000];
  for (const start of edges) {
    for (const end of edges.filter((edge) => edge >= start)) {
      const range = { start, end };
      expect((await readAll(blobs, range)).equals(whole.subarray(start, end + 1)), `${start}-${end}`).toBe(
        true,
      );
    }
  }
});

test('read reports a missing first file immediately, and a later one through the stream', async () => {
  const [first, second] = [
    await files.write([randomBytes(70_000)]),
    await files.write([randomBytes(70_000)]),
  ];
  await files.remove([second.id]);
  const small = { id: second.id, sizeBytes: 10 };
  for (const gone of [[second], [second, first], [small]])
    await expect(files.read(gone)).rejects.toSatisfy(isMissing);
  await expect(readAll([first, second])).rejects.toSatisfy(isMissing);
});

test('read fails when a file is shorter than its blob', async () => {
  const blob = await files.write([randomBytes(300_000)]);
  truncateSync(files.pathOf(blob.id), 299_999);
  await expect(readAll([blob])).rejects.toThrow('ends before byte 300000');
  await expect(readAll([blob], { start: 299_990, end: 299_999 })).rejects.toThrow('ends before byte 300000');
});

test('read leaves no file open, whether the stream was read completely, destroyed or never started', async () => {
  const blobs = [await files.write([randomBytes(3_000_000)]), await files.write([randomBytes(3_000_000)])];
  const before = openDescriptors();
  await readAll(blobs);
  for (let count = 0; count < 20; count++) {
    const stream = (await files.read(blobs)) as Readable;
    if (count % 4 === 1) stream.read();
    if (count % 4 === 2) await stream.iterator().next();
    const closed = new Promise((resolve) => stream.once('close', resolve));
    if (count % 4 === 3) stream.resume();
    stream.destroy();
    await closed;
  }
  expect(openDescriptors()).toBe(before);
});

test('a link is the same file under another id, and outlives the original', async () => {
  const content = randomBytes(1_000);
  const blob = await files.write([content]);
  const link = await files.link(blob);
  expect(statSync(files.pathOf(link.id)).ino).toBe(statSync(files.pathOf(blob.id)).ino);
  await files.remove([blob.id, blob.id]);
  expect(await files.read([link])).toEqual(content);
  await expect(files.link(blob)).rejects.toSatisfy(isMissing);
});

test('missing folders are created again, except when the whole store is missing', async () => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  const blob = await files.write([Buffer.from('again')]);
  expect(await files.read([blob])).toEqual(Buffer.from('again'));
  await files.check();
  const lost = new BlobFiles(join(folder, 'lost'));
  await expect(lost.write([Buffer.from('x')])).rejects.toSatisfy(isMissing);
  await expect(lost.check()).rejects.toSatisfy(isMissing);
  expect(readdirSync(folder)).not.toContain('lost');
});
