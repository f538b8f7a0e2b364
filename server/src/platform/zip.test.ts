import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { atEndOfFile } from '../../test/end-of-file.ts';
import { writeZip, type ZipFile } from './zip.ts';

const folder = mkdtempSync(join(tmpdir(), 'drydock-zip-'));
atEndOfFile(() => rmSync(folder, { recursive: true }));

const NOW = new Date('2026-03-04T05:06:08Z');
const zip = async (files: Iterable<ZipFile>) => Buffer.concat(await Array.fromAsync(writeZip(files, NOW)));

test('writeZip writes archives that unzip reads', async () => {
  const noise = randomBytes(300_000);
  const files = {
    'empty.txt': [],
    'folder/text.txt': [Buffer.from('one '), Buffer.from('two')],
    'noise.bin': [noise.subarray(0, 7), noise.subarray(7)],
  };
  const path = join(folder, 'some.zip');
  writeFileSync(path, await zip(Object.entries(files).map(([name, content]) => ({ path: name, content }))));
  expect(execFileSync('unzip', ['-tq', path]).toString()).toContain('No errors detected');
  execFileSync('unzip', ['-q', path, '-d', join(folder, 'out')]);
  for (const [name, content] of Object.entries(files))
    expect(readFileSync(join(folder, 'out', name)).equals(Buffer.concat(content))).toBe(true);
  expect(execFileSync('unzip', ['-lv', path]).toString()).toContain('2026-03-04 05:06');
});

test('writeZip deflates a file of 30 MB in small chunks', async () => {
  const piece = Buffer.alloc(1_000_000, 'a line of text\n');
  let sent = 0;
  const content = (function* () {
    for (; sent < 30; sent++) yield piece;
  })();
  let sentAtFirst: number | undefined;
  const chunks: Buffer[] = [];
  for await (const chunk of writeZip([{ path: 'a', content }], NOW)) {
    chunks.push(chunk);
    if (chunks.length === 2) sentAtFirst = sent;
  }
  expect(sentAtFirst).toBeLessThan(30);
  const bytes = Buffer.concat(chunks);
  expect(inflateRawSync(bytes.subarray(31)).length).toBe(30 * piece.length);
});

test('writeZip fails when a file fails', async () => {
  const content = (function* () {
    yield Buffer.from('some');
    throw new Error('gone');
  })();
  await expect(zip([{ path: 'a', content }])).rejects.toThrow('gone');
});

test('writeZip stops reading a file when its reader stops', async () => {
  let isEnded = false;
  const content = (async function* () {
    try {
      for (;;) yield randomBytes(100_000);
    } finally {
      isEnded = true;
    }
  })();
  for await (const chunk of writeZip([{ path: 'a', content }], NOW)) if (chunk.length > 10_000) break;
  await expect.poll(() => isEnded).toBe(true);
});
