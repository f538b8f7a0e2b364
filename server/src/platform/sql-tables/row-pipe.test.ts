/** Rows through pipes in segments, to a reader that opens one after the other, as DuckDB does. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { makeFolder } from '../../../test/processes.ts';
import { isGiven, makePipes } from '../analytics/row-transfer.ts';
import { RowPipe } from './row-pipe.ts';
import { pipePath, segmentBytes } from './segments.ts';

const parent = makeFolder();
const HEADER = '"n","a ""b"""\n';
const COLUMNS = ['n', 'a "b"'];
const MIB = 1024 ** 2;

async function begin(segments: number) {
  const folder = mkdtempSync(join(parent, 'pipes-'));
  await makePipes(folder, 1, new AbortController().signal);
  return { folder, pipe: new RowPipe({ folder, need: 0, columns: COLUMNS, segments }) };
}

async function readSegments(folder: string, segments: number): Promise<string[]> {
  const read = [];
  for (let segment = 0; segment < segments; segment++)
    read.push(await readFile(pipePath(folder, 0, segment), 'utf8'));
  return read;
}

const row = (n: number) => `${n},${'x'.repeat(1000)}\n`;

async function give(pipe: RowPipe, count: number): Promise<void> {
  for (let n = 0; n < count; n += 50) {
    const rows = Array.from({ length: Math.min(50, count - n) }, (_, index) => row(n + index)).join('');
    if (!pipe.write(rows)) await once(pipe, 'drain');
  }
  pipe.end();
  await finished(pipe);
}

test('each segment has a header and whole rows, and unused segments have a header', async () => {
  const { folder, pipe } = await begin(6);
  expect(isGiven(folder, 0)).toBe(false);
  const [read] = await Promise.all([readSegments(folder, 6), give(pipe, 70_000)]);
  expect(isGiven(folder, 0)).toBe(true);
  expect(read.every((text) => text.startsWith(HEADER) && text.endsWith('\n'))).toBe(true);
  const sizes = read.map((text) => text.length - HEADER.length);
  for (const [segment, size] of sizes.slice(0, 3).entries()) {
    expect(size).toBeGreaterThanOrEqual(segmentBytes(segment));
    expect(size).toBeLessThan(segmentBytes(segment) + MIB);
  }
  expect(sizes[3]).toBeGreaterThan(0);
  expect(sizes.slice(4)).toEqual([0, 0]);
  const all = read.map((text) => text.slice(HEADER.length)).join('');
  expect(all === Array.from({ length: 70_000 }, (_, n) => row(n)).join('')).toBe(true);
});

test('the last segment takes the rest', async () => {
  const { folder, pipe } = await begin(2);
  const [[first = '', second = '']] = await Promise.all([readSegments(folder, 2), give(pipe, 50_000)]);
  expect(first.length).toBeLessThan(2 * MIB);
  expect(second.length).toBeGreaterThan(40 * MIB);
});

test('a table without rows has a header', async () => {
  const { folder, pipe } = await begin(8);
  const [read] = await Promise.all([readSegments(folder, 8), give(pipe, 0)]);
  expect(read).toEqual(Array.from({ length: 8 }, () => HEADER));
});

test('a disconnected reader is reported as an error, and the rows do not count as delivered', async () => {
  const { folder, pipe } = await begin(8);
  const giving = give(pipe, 70_000).catch((error: unknown) => error);
  pipe.on('error', () => undefined);
  const reader = await open(pipePath(folder, 0, 0), 'r');
  await reader.read(Buffer.alloc(1000));
  await reader.close();
  expect(await giving).toMatchObject({ code: 'EPIPE' });
  expect(isGiven(folder, 0)).toBe(false);
});

test('a path that is not a pipe is not written to', async () => {
  const file = join(parent, 'elsewhere');
  writeFileSync(file, 'kept');
  for (const place of [
    (path: string) => symlinkSync(file, path),
    (path: string) => writeFileSync(path, 'kept'),
  ]) {
    const { folder, pipe } = await begin(8);
    rmSync(pipePath(folder, 0, 0));
    place(pipePath(folder, 0, 0));
    pipe.write(row(1));
    await expect(finished(pipe)).rejects.toThrow(/ELOOP|not a pipe any more/);
    expect(await readFile(pipePath(folder, 0, 0), 'utf8')).toBe('kept');
  }
});

test('a pipe without a reader can be closed', async () => {
  const { pipe } = await begin(8);
  pipe.write(row(1));
  pipe.destroy();
  await expect(finished(pipe)).rejects.toThrow();
});
