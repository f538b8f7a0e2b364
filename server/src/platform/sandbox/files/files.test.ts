import {
  chmodSync,
  existsSync,
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
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { openLocalSandbox } from '../../../../test/local-executions.ts';
import { WAIT_TIMEOUT_MS } from '../../../../test/wait-timeout.ts';
import { runProgram } from '../../process/run-program.ts';
import { deleteFile, listFiles, readFile, statFile, writeFile } from './files.ts';

const { folder, exec, executions } = await openLocalSandbox();
if (process.getuid?.() === 0) chmodSync(folder, 0o777);

const at = (path: string) => join(folder, path);
const put = (path: string, content: string | Buffer) => {
  mkdirSync(join(at(path), '..'), { recursive: true });
  writeFileSync(at(path), content);
};
const read = async (path: string) => (await buffer((await readFile(exec, path)).stream)).toString('latin1');
const write = (path: string, ...pieces: (string | Buffer)[]) =>
  writeFile(exec, path, Readable.from(pieces.map((piece) => Buffer.from(piece))));
const refusalOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  return error as { status: number; message: string; issues?: { msg: string; loc: string[] }[] };
};

/** Covers all characters of a name, except slash and NUL. */
const ODD_NAMES = [
  'a b',
  'line\nbreak',
  '\n',
  'end\n',
  '-rf',
  '--',
  '*',
  '$(touch x)',
  '`id`',
  "'",
  '"',
  '\\',
  'ü€😀',
  '\x01\x1b[2J',
  '~',
  '#',
  ';rm -rf .',
];

describe('readFile', () => {
  test('returns size, time and bytes', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n));
    put('read/bytes', bytes);
    utimesSync(at('read/bytes'), 1_700_000_000.25, 1_700_000_000.25);
    const file = await readFile(exec, 'read/bytes');
    expect(file).toMatchObject({ size_bytes: 256, modified_at: '2023-11-14T22:13:20.250Z' });
    expect(await buffer(file.stream)).toEqual(bytes);
  });

  test('reads an empty file, and one of 5 MB', async () => {
    put('read/empty', '');
    put('read/large', Buffer.alloc(5_000_000, 'abc'));
    expect(await read('read/empty')).toBe('');
    expect((await read('read/large')).length).toBe(5_000_000);
  });

  test.each(ODD_NAMES)('reads a file named %j', async (name) => {
    put(`odd/${name}`, name);
    expect(await read(`odd/${name}`)).toBe(Buffer.from(name).toString('latin1'));
    expect(await statFile(exec, `odd/${name}`)).toMatchObject({ name, path: `odd/${name}`, type: 'file' });
  });

  test('accepts a path that starts with /workspace', async () => {
    put('read/path', 'found');
    for (const path of ['/workspace/read/path', './read//path', 'read/./path', '/workspace//read/path']) {
      expect(await read(path)).toBe('found');
    }
  });

  test('statFile returns a valid time for a file dated outside the calendar', async () => {
    put('read/dated', '');
    await runProgram({
      command: '/usr/bin/touch',
      args: ['-d', '@99999999999999', at('read/dated')],
      cwd: '/',
      timeoutMs: WAIT_TIMEOUT_MS,
    });
    expect((await readFile(exec, 'read/dated')).modified_at).toMatch(/^(9999|2446)-/);
  });

  test('ends the command when its reader stops', async () => {
    put('read/long', Buffer.alloc(5_000_000));
    const { stream } = await readFile(exec, 'read/long');
    stream.destroy();
    expect(await executions.at(-1)?.exit).toEqual({ code: expect.any(Number) });
  });

  test('fails when fewer bytes arrive than announced', async () => {
    put('read/cut', Buffer.alloc(50_000_000));
    const { stream } = await readFile(exec, 'read/cut');
    writeFileSync(at('read/cut'), '');
    await expect(buffer(stream)).rejects.toThrow('Try again');
  });
});

describe('file access refuses', () => {
  mkdirSync(at('refused/folder'), { recursive: true });
  put('refused/file', 'x');
  symlinkSync('/etc/passwd', at('refused/out'));
  symlinkSync('/usr', at('refused/out-folder'));
  symlinkSync('../../../../usr', at('refused/out-relative'));
  symlinkSync('/nowhere/at/all', at('refused/out-dangling'));
  symlinkSync('loop', at('refused/loop'));
  symlinkSync('/proc/self/root/etc', at('refused/out-proc'));

  test.each([
    '..',
    '../x',
    'a/../../x',
    '/workspace/../etc/passwd',
    'a/..',
    '/etc/passwd',
    '/',
    '/workspacex',
    'a\0b',
    '\ud800',
    'a'.repeat(256),
    'a/'.repeat(2_001),
  ])('the path %j before anything runs', async (path) => {
    const before = executions.length;
    const all = [
      readFile(exec, path),
      statFile(exec, path),
      listFiles(exec, path),
      write(path, 'x'),
      deleteFile(exec, path, true),
    ];
    for (const refusal of await Promise.all(all.map(refusalOf)))
      expect(refusal).toMatchObject({ status: 422, issues: [{ loc: ['query', 'path'] }] });
    expect(executions.length).toBe(before);
  });

  test.each([
    'out',
    'out-folder',
    'out-folder/bin/env',
    'out-relative/bin',
    'out-dangling',
    'out-proc',
    'out-folder/nothing',
  ])('the link %s that leads out of /workspace', async (name) => {
    const path = `refused/${name}`;
    for (const refusal of await Promise.all(
      [readFile(exec, path), statFile(exec, path), listFiles(exec, path), write(path, 'x')].map(refusalOf),
    )) {
      expect(refusal).toMatchObject({ status: 422 });
      expect(refusal.issues?.[0]?.msg).toContain('leads out of /workspace');
    }
  });

  test('a missing file, and names that only look like an existing one', async () => {
    for (const path of ['refused/none', 'refused/none/deeper', 'refused/file/below', 'refused/loop']) {
      for (const refusal of await Promise.all(
        [readFile(exec, path), statFile(exec, path), listFiles(exec, path)].map(refusalOf),
      )) {
        expect(refusal).toMatchObject({ status: 404 });
      }
    }
  });

  test('a folder used as a file, and a file used as a folder, with advice', async () => {
    expect(await refusalOf(readFile(exec, 'refused/folder'))).toMatchObject({
      status: 409,
      message: expect.stringContaining('List it'),
    });
    expect(await refusalOf(readFile(exec, ''))).toMatchObject({ status: 409 });
    expect(await refusalOf(write('refused/folder', 'x'))).toMatchObject({ status: 409 });
    expect(await refusalOf(listFiles(exec, 'refused/file'))).toMatchObject({ status: 409 });
    expect(await refusalOf(write('refused/file/below', 'x'))).toMatchObject({
      status: 409,
      message: expect.stringContaining('not a folder'),
    });
    expect(readFileSync(at('refused/file'), 'utf8')).toBe('x');
  });

  test('a pipe, without blocking on it', async () => {
    await runProgram({
      command: '/usr/bin/mkfifo',
      args: [at('refused/pipe')],
      cwd: '/',
      timeoutMs: WAIT_TIMEOUT_MS,
    });
    expect(await refusalOf(readFile(exec, 'refused/pipe'))).toMatchObject({ status: 409 });
    expect(await refusalOf(write('refused/pipe', 'x'))).toMatchObject({ status: 409 });
    expect(await statFile(exec, 'refused/pipe')).toMatchObject({ type: 'other' });
  });

  test('a write without leaving a draft behind', () => {
    expect(readdirSync(folder).filter((name) => name.startsWith('.drydock'))).toEqual([]);
  });
});

describe('listFiles', () => {
  test('sorts by bytes, handles any name, and lists this folder only', async () => {
    const names = [...ODD_NAMES, 'a', 'a-b', 'a.b', 'B', 'z'];
    for (const name of names) put(`list/${name}`, 'x');
    put('list/sub/inner', 'x');
    symlinkSync('/etc', at('list/zlink'));
    const { entries, is_truncated } = await listFiles(exec, 'list');
    const expected = [...names, 'sub', 'zlink'].toSorted((a, b) =>
      Buffer.compare(Buffer.from(a), Buffer.from(b)),
    );
    expect(entries.map(({ name }) => name)).toEqual(expected);
    expect(entries.find(({ name }) => name === 'sub')).toMatchObject({ path: 'list/sub', type: 'directory' });
    expect(entries.find(({ name }) => name === 'zlink')).toMatchObject({ type: 'symlink' });
    expect(entries.find(({ name }) => name === 'a')).toMatchObject({
      type: 'file',
      size_bytes: 1,
      mode: '0644',
    });
    expect(is_truncated).toBe(false);
  });

  test('shows names that are not UTF-8', async () => {
    mkdirSync(at('bytes'));
    writeFileSync(Buffer.concat([Buffer.from(at('bytes/')), Buffer.from([0x61, 0xff, 0x62])]), '');
    expect((await listFiles(exec, 'bytes')).entries.map(({ name }) => name)).toEqual(['a\ufffdb']);
  });

  test('is limited, and reports truncation', async () => {
    mkdirSync(at('many'));
    for (let n = 0; n < 30; n++) put(`many/${String(n).padStart(2, '0')}`, '');
    const some = await listFiles(exec, 'many', 10);
    expect(some.entries.map(({ name }) => name)).toEqual([
      '00',
      '01',
      '02',
      '03',
      '04',
      '05',
      '06',
      '07',
      '08',
      '09',
    ]);
    expect(some.is_truncated).toBe(true);
    expect((await listFiles(exec, 'many', 30)).is_truncated).toBe(false);
  });

  test('lists /workspace itself and a link inside it', async () => {
    symlinkSync('many', at('link'));
    expect((await listFiles(exec, '')).entries.map(({ path }) => path)).toContain('many');
    expect((await listFiles(exec, '/workspace')).entries.length).toBe(readdirSync(folder).length);
    expect((await listFiles(exec, 'link')).entries.length).toBe(30);
  });

  test('lists a folder of 100,000 files', async () => {
    await runProgram({
      command: '/bin/sh',
      args: ['-c', 'mkdir huge && cd huge && seq 100000 | xargs touch'],
      cwd: folder,
      env: { PATH: '/usr/bin:/bin' },
      timeoutMs: WAIT_TIMEOUT_MS,
    });
    const { entries, is_truncated } = await listFiles(exec, 'huge');
    expect({ count: entries.length, first: entries[0]?.name, is_truncated }).toEqual({
      count: 10_000,
      first: '1',
      is_truncated: true,
    });
  });
});

describe('deleteFile', () => {
  test('removes a file, and a folder when recursive', async () => {
    put('delete/file', 'x');
    put('delete/folder/inner', 'x');
    await deleteFile(exec, 'delete/file', false);
    expect(existsSync(at('delete/file'))).toBe(false);
    expect(await refusalOf(deleteFile(exec, 'delete/folder', false))).toMatchObject({
      status: 409,
      message: expect.stringContaining('recursive=true'),
    });
    expect(existsSync(at('delete/folder/inner'))).toBe(true);
    await deleteFile(exec, 'delete/folder', true);
    expect(readdirSync(at('delete'))).toEqual([]);
  });

  test('removes a link, not its target', async () => {
    put('delete/kept/file', 'x');
    symlinkSync('kept', at('delete/inside'));
    symlinkSync('/usr', at('delete/outside'));
    symlinkSync('nothing', at('delete/dangling'));
    for (const name of ['inside', 'outside', 'dangling']) await deleteFile(exec, `delete/${name}`, true);
    expect(readdirSync(at('delete'))).toEqual(['kept']);
    expect(existsSync(at('delete/kept/file'))).toBe(true);
    expect(existsSync('/usr/bin/env')).toBe(true);
  });

  test.each(ODD_NAMES)('removes %j and nothing else', async (name) => {
    put(`delete-odd/${name}`, '');
    put('delete-odd/other', '');
    await deleteFile(exec, `delete-odd/${name}`, false);
    expect(readdirSync(at('delete-odd'))).toEqual(['other']);
  });

  test('refuses /workspace, links that lead out of it, and missing files', async () => {
    symlinkSync('/usr', at('delete/usr'));
    expect(await refusalOf(deleteFile(exec, '', true))).toMatchObject({ status: 422 });
    expect(await refusalOf(deleteFile(exec, 'delete/usr/bin', true))).toMatchObject({ status: 422 });
    expect(await refusalOf(deleteFile(exec, 'delete/nothing', true))).toMatchObject({ status: 404 });
    expect(statSync('/usr/bin').isDirectory()).toBe(true);
  });
});
