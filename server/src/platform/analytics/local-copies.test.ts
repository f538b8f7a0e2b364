import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { until } from '../../../test/processes.ts';
import { openTestWork } from '../../../test/work-folders.ts';
import { LocalCopies } from './local-copies.ts';

const work = await openTestWork();
const folder = join(work.path, 'copies');

const { signal } = new AbortController();
const turn = { owner: 'one', signal };

/** Content of a source that counts how often it is opened, and may differ from its digest. */
function contentOf(text: string, { owner = 'one', held = text } = {}) {
  const content = {
    owner,
    sha256: createHash('sha256').update(text).digest('hex'),
    size_bytes: Buffer.byteLength(text),
    opened: 0,
    open: async () => {
      content.opened++;
      return Readable.from([held.slice(0, 2), held.slice(2)].map((part) => Buffer.from(part)));
    },
  };
  return content;
}

const read = async (path: string) => readFileSync(path, 'utf8');
const tell = async (path: string) => path;

test('concurrent and repeated users share one download', async () => {
  const copies = new LocalCopies({ work });
  const content = contentOf('hello');
  const asked = Array.from({ length: 20 }, () => copies.with(content, turn, read));
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['hello']));
  expect(await copies.with(content, turn, read)).toBe('hello');
  expect(content.opened).toBe(1);
});

test('a copy of one organization is not used for another', async () => {
  const copies = new LocalCopies({ work });
  const content = contentOf('secret');
  await copies.with(content, turn, read);
  const refused = { ...content, owner: 'two', open: async () => Promise.reject(new Error('not yours')) };
  await expect(copies.with(refused, turn, read)).rejects.toThrow('not yours');
  expect(content.opened).toBe(1);
});

test('the least recently used copy is removed first, never one in use', async () => {
  const copies = new LocalCopies({ work, maxBytes: 10 });
  const [a, b, c] = ['aaaaa', 'bbbbb', 'ccccc'].map((text) => contentOf(text)) as [Each, Each, Each];
  const use = (content: Each) => copies.with(content, turn, tell);
  const paths = [await use(a), await use(b)];
  await use(a);
  await use(c);
  expect(paths.map((path) => existsSync(path))).toEqual([true, false]);
  await copies.with(a, turn, async (path) => {
    await use(b);
    await use(c);
    await use(b);
    expect(await read(path)).toBe('aaaaa');
  });
  expect([a.opened, b.opened, c.opened]).toEqual([1, 3, 2]);
});

type Each = ReturnType<typeof contentOf>;

test('copies in use stay below the limit: others wait, and a larger one is used alone', async () => {
  const copies = new LocalCopies({ work, maxBytes: 10 });
  const inUse = new Map<string, number>();
  const most: number[] = [];
  const use = (text: string) =>
    copies.with(contentOf(text), turn, async () => {
      inUse.set(text, text.length);
      most.push(inUse.size === 1 ? 0 : [...inUse.values()].reduce((sum, size) => sum + size));
      await sleep(5);
      inUse.delete(text);
    });
  await Promise.all(['aaaa', 'b'.repeat(25), 'cccc', 'dd', 'eeeeeeee', 'ff'].map(use));
  expect(most).toHaveLength(6);
  expect(Math.max(...most)).toBeLessThanOrEqual(10);
});

test('a caller that disconnects is released at once, and the download ends with the last one', async () => {
  const copies = new LocalCopies({ work });
  const before = filesIn();
  const endless = new Readable({ read() {} });
  endless.push('he');
  const content = { ...contentOf('hello'), open: async () => endless };
  const leaving = [new AbortController(), new AbortController()] as const;
  const [first, second] = leaving.map(({ signal: each }) =>
    copies.with(content, { owner: 'one', signal: each }, read).catch((error: unknown) => error),
  );
  await until('it has begun', () => filesIn().length > before.length);
  leaving[0].abort(new Error('first'));
  expect(await first).toEqual(new Error('first'));
  expect(endless.destroyed).toBe(false);
  leaving[1].abort(new Error('second'));
  expect(await second).toEqual(new Error('second'));
  await until('nothing is left of it', () => endless.destroyed && filesIn().length === before.length);
  expect(await copies.with(contentOf('hello'), turn, read)).toBe('hello');
});

const filesIn = () => (existsSync(folder) ? readdirSync(folder) : []);

test.each([
  ['is too long', 'hello!'],
  ['is too short', 'hell'],
  ['is other content', 'hallo'],
])('a download that %s is refused, leaves nothing, and is retried', async (_what, held) => {
  const copies = new LocalCopies({ work });
  const before = readdirSync(folder);
  await expect(copies.with(contentOf('hello', { held }), turn, read)).rejects.toThrow('The object is');
  expect(readdirSync(folder)).toEqual(before);
  expect(await copies.with(contentOf('hello'), turn, read)).toBe('hello');
});
