import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { type TarFile, tarHeader } from '../../platform/tar.ts';
import { readBundle } from '../publish/bundle.ts';
import { createArchive } from './archive.ts';

const folder = mkdtempSync(join(tmpdir(), 'drydock-archive-'));
afterAll(() => rmSync(folder, { recursive: true }));

const never = new AbortController().signal;

async function* piecesOf(content: Buffer) {
  for (let at = 0; at < content.length; at += 1_000) yield content.subarray(at, at + 1_000);
}

const toFile = ([path, text]: readonly [string, string | Buffer]): TarFile => {
  const content = Buffer.from(text);
  return { path, size_bytes: content.length, open: async () => piecesOf(content) };
};

const CONTENTS: readonly (readonly [string, string | Buffer])[] = [
  ['dataset.yaml', 'summary: x\n'],
  ['empty', ''],
  ['exactly-one-block', 'b'.repeat(512)],
  [`${'d'.repeat(90)}/${'e'.repeat(60)}/${'f'.repeat(99)}`, 'its path just fits'],
  [`deep/${'long-folder/'.repeat(30)}${'n'.repeat(200)}.txt`, 'its path does not'],
  ['größe/данные/数据 🚀.jsonl', '{"a":1}\n'],
  ['large.bin', Buffer.alloc(3_000_001, 'drydock')],
];

test('GNU tar unpacks archives, including Unicode and long paths', async () => {
  const packed = await buffer(createArchive(CONTENTS.map(toFile), never));
  const file = join(folder, 'archive.tar.gz');
  writeFileSync(file, packed);
  const into = mkdtempSync(join(folder, 'unpacked-'));
  const output = execFileSync('tar', ['-xzvf', file, '-C', into, '--warning=all'], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect(output.trim().split('\n')).toHaveLength(CONTENTS.length);
  for (const [path, content] of CONTENTS)
    expect(readFileSync(join(into, path)).equals(Buffer.from(content))).toBe(true);
  const { mode, mtimeMs } = statSync(join(into, 'empty'));
  expect({ mode: mode & 0o777, mtimeMs }).toEqual({ mode: 0o644, mtimeMs: 0 });
  expect(readdirSync(into)).toHaveLength(7);
});

test('the bundle reader reads archives back', async () => {
  const archive = createArchive(CONTENTS.map(toFile), never);
  const read: [string, string][] = [];
  for await (const { path, body } of readBundle(archive)) read.push([path, digest(await buffer(body))]);
  expect(read).toEqual(CONTENTS.map(([path, content]) => [path, digest(Buffer.from(content))]));
});

const digest = (content: Buffer) => createHash('sha256').update(content).digest('hex');

test('archives of the same files have the same bytes', async () => {
  const [first, second] = await Promise.all(
    [1, 2].map(() => buffer(createArchive(CONTENTS.map(toFile), never))),
  );
  expect(first?.equals(second ?? Buffer.alloc(0))).toBe(true);
});

test('archiving fails when a file does not have its declared size', async () => {
  const short = { path: 'short', size_bytes: 11, open: async () => piecesOf(Buffer.alloc(10)) };
  await expect(buffer(createArchive([short], never))).rejects.toThrow('short holds 10 bytes instead of 11');
});

test('GNU tar reads sizes with more than eleven octal digits', () => {
  const input = Buffer.concat([tarHeader('größe.bin', 9 * 1024 ** 3), Buffer.alloc(512)]);
  const { stdout } = spawnSync('tar', ['-tvf', '-'], {
    input,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(stdout).toBe('-rw-r--r-- 0/0      9663676416 1970-01-01 00:00 größe.bin\n');
});

test('read errors of a file and aborts reach the reader of the archive', async () => {
  const broken = { path: 'a', size_bytes: 1, open: () => Promise.reject(new Error('gone')) };
  await expect(buffer(createArchive([broken], never))).rejects.toThrow('gone');
  const stopping = new AbortController();
  async function* endless() {
    for (;;) {
      yield Buffer.alloc(100_000);
      stopping.abort(new Error('stop'));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  const archive = createArchive(
    [{ path: 'a', size_bytes: 1e12, open: async () => endless() }],
    stopping.signal,
  );
  await expect(buffer(archive)).rejects.toThrow();
});

test('archiving no files creates an empty archive', async () => {
  expect(gunzipSync(await buffer(createArchive([], never))).equals(Buffer.alloc(1_024))).toBe(true);
});
