import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openLocalSandbox } from '../../../../test/local-executions.ts';
import { writeFile } from './files.ts';

const { folder, exec, executions } = await openLocalSandbox();
if (process.getuid?.() === 0) chmodSync(folder, 0o777);

const at = (path: string) => join(folder, path);
const content = (...pieces: (string | Buffer)[]) => Readable.from(pieces.map((piece) => Buffer.from(piece)));
const drafts = () => readdirSync(folder).filter((name) => name.startsWith('.drydock'));

test('writeFile creates a file and its parent folders with one command', async () => {
  const before = executions.length;
  const entry = await writeFile(exec, 'a/b/c.txt', content('some ', 'content'));
  expect(executions.length - before).toBe(1);
  expect(entry).toEqual({
    name: 'c.txt',
    path: 'a/b/c.txt',
    type: 'file',
    size_bytes: 12,
    modified_at: expect.stringMatching(/^\d{4}-.*Z$/),
    mode: '0644',
  });
  expect(readFileSync(at('a/b/c.txt'), 'utf8')).toBe('some content');
});

test.each([0, 1, 31, 32, 33, 65_536, 3_000_001])('writeFile stores %d bytes unchanged', async (size) => {
  const bytes = randomBytes(size);
  await writeFile(exec, 'bytes', Readable.from([bytes]));
  expect(readFileSync(at('bytes')).equals(bytes)).toBe(true);
});

test.each(['line\nbreak\n', '-n', '*', '$(id)', "'", 'ü€😀', ' '])(
  'writeFile accepts a file named %j',
  async (name) => {
    await writeFile(exec, `names/${name}`, content(name));
    expect(readFileSync(at(`names/${name}`), 'utf8')).toBe(name);
  },
);

test('writeFile replaces an existing file as a whole, and keeps its mode', async () => {
  writeFileSync(at('script'), 'long content that was there', { mode: 0o755 });
  chmodSync(at('script'), 0o755);
  const sending = Promise.withResolvers<Buffer>();
  const slow = (async function* () {
    yield Buffer.from('new');
    yield await sending.promise;
  })();
  const writing = writeFile(exec, 'script', Readable.from(slow));
  await wait(200);
  expect(readFileSync(at('script'), 'utf8')).toBe('long content that was there');
  sending.resolve(Buffer.from('er'));
  await writing;
  expect(readFileSync(at('script'), 'utf8')).toBe('newer');
  expect(statSync(at('script')).mode & 0o777).toBe(0o755);
});

test('writeFile writes through a link within /workspace', async () => {
  mkdirSync(at('real'));
  writeFileSync(at('real/target'), 'old');
  symlinkSync('real/target', at('to-file'));
  symlinkSync('real', at('to-folder'));
  await writeFile(exec, 'to-file', content('new'));
  await writeFile(exec, 'to-folder/sub/other', content('other'));
  expect(readFileSync(at('real/target'), 'utf8')).toBe('new');
  expect(readFileSync(at('real/sub/other'), 'utf8')).toBe('other');
});

test('writeFile leaves the file unchanged when the content breaks off', async () => {
  writeFileSync(at('kept'), 'kept');
  const breaking = () =>
    Readable.from(
      (async function* () {
        yield Buffer.alloc(100_000);
        await wait(50);
        throw new Error('broke off');
      })(),
    );
  await expect(writeFile(exec, 'kept', breaking())).rejects.toThrow('broke off');
  await expect(writeFile(exec, 'new/folder/file', breaking())).rejects.toThrow('broke off');
  const left = new Readable({ read: () => undefined });
  left.push(Buffer.alloc(1_000));
  setTimeout(() => left.destroy(), 100);
  await expect(writeFile(exec, 'kept', left)).rejects.toThrow();
  expect(readFileSync(at('kept'), 'utf8')).toBe('kept');
  expect(readdirSync(folder)).not.toContain('new');
  expect(drafts()).toEqual([]);
});

test('writeFile refuses content that is too long, and leaves nothing behind', async () => {
  const writing = writeFile(exec, 'long', content('12345', '67890', '1'), { maxBytes: 10 });
  await expect(writing).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('at most 10 bytes'),
  });
  await writeFile(exec, 'long', content('12345', '67890'), { maxBytes: 10 });
  expect(readFileSync(at('long'), 'utf8')).toBe('1234567890');
  expect(drafts()).toEqual([]);
});

test('writeFile refuses at once, while its sender can still get a response', async () => {
  mkdirSync(at('folder'));
  const endless = new Readable({ read: () => undefined });
  endless.push(Buffer.alloc(10));
  await expect(writeFile(exec, 'folder', endless)).rejects.toMatchObject({ status: 409 });
  expect(endless.destroyed).toBe(false);
  endless.destroy();
});

test('concurrent calls of writeFile do not interfere', async () => {
  const write = (n: number) => writeFile(exec, 'same', content(String(n).repeat(50_000)));
  await Promise.all(Array.from({ length: 8 }, (_, n) => write(n)));
  expect(readFileSync(at('same'), 'utf8')).toMatch(/^(\d)\1{49999}$/);
  expect(drafts()).toEqual([]);
});

test('writeFile removes an abandoned draft, but not one in progress', async () => {
  writeFileSync(at('.drydock-upload-old'), '');
  writeFileSync(at('.drydock-upload-new'), '');
  utimesSync(at('.drydock-upload-old'), new Date(), new Date(Date.now() - 7_200_000));
  if (process.getuid?.() === 0) chmodSync(folder, 0o777);
  await writeFile(exec, 'any', content('x'));
  expect(drafts()).toEqual(['.drydock-upload-new']);
});
