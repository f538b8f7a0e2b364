/** Hostile bundles: each is refused with the right reason and leaves nothing behind. */
import { Readable } from 'node:stream';
import { createGzip, gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { bundle, END_OF_TAR, paxRecord, type RawEntry, tar, tarEntry } from '../../../test/bundles.ts';
import { startPublisher } from '../../../test/publisher.ts';
import { readBundle } from './bundle.ts';

const { server, leftovers } = await startPublisher();
const { owner } = server;
const publish = (body: Buffer) => server.as(owner).put('/org/main/models/hostile/1.0.0', body);

const MANIFEST: RawEntry = { name: 'model.yaml', content: 'summary: x\n' };
const zip = (...entries: readonly RawEntry[]) => gzipSync(tar(MANIFEST, ...entries));
const file = (name: string | Buffer, more: Partial<RawEntry> = {}): RawEntry => ({
  name,
  content: 'x',
  ...more,
});
const whole = gzipSync(tar(MANIFEST, file('a')));
const long = (path: string | Buffer): RawEntry[] => [
  { name: 'pax', flag: 'x', content: paxRecord('path', path) },
  file('short'),
];

test.each<[string, Buffer, string, string?]>([
  ['nothing', Buffer.alloc(0), 'ends before its end'],
  ['text', Buffer.from('hello, this is no gzip'), 'is not a gzip stream'],
  ['a plain tar', tar(MANIFEST), 'is not a gzip stream'],
  ['gzip of no tar', gzipSync(Buffer.alloc(2_048, 'no tar')), 'wrong checksum'],
  ['gzip of nothing', gzipSync(''), 'truncated tar'],
  ['half of a gzip stream', whole.subarray(0, whole.length / 2), 'ends before its end'],
  ['gzip without its last byte', whole.subarray(0, -1), 'ends before its end'],
  ['garbage after gzip', Buffer.concat([whole, Buffer.from('garbage')]), 'damaged'],
  ['zeros after gzip', Buffer.concat([whole, Buffer.alloc(10)]), 'more after the end of its gzip'],
  [
    'garbage after zeros',
    Buffer.concat([whole, Buffer.alloc(9), Buffer.from('x')]),
    'more after the end of its gzip',
  ],
  ['a tar that ends in a header', gzipSync(tar(MANIFEST).subarray(0, 1_400)), 'truncated tar'],
  ['a tar that ends in a file', gzipSync(tarEntry(file('a', { size: 5_000 }))), 'truncated tar'],
  ['a tar without its end', gzipSync(tarEntry(MANIFEST)), 'truncated tar'],
  ['half of the end', gzipSync(Buffer.concat([tarEntry(MANIFEST), Buffer.alloc(512)])), 'truncated tar'],
  [
    'an entry after the end',
    gzipSync(Buffer.concat([tar(MANIFEST), tarEntry(file('a'))])),
    'more after the end of its tar',
  ],
  [
    'an entry within the end',
    gzipSync(Buffer.concat([tarEntry(MANIFEST), Buffer.alloc(512), tar(file('a'))])),
    'goes on after its end',
  ],
  ['a wrong checksum', zip(file('a', { damage: (header) => header.write('b', 0) })), 'wrong checksum'],
  [
    'more zeros after the end than archivers write',
    gzipSync(Buffer.concat([tar(MANIFEST), Buffer.alloc(2 ** 20 + 1)])),
    'more after the end of its tar',
  ],
  ['a size beyond all bounds', zip(file('a', { size: 2 ** 52 })), 'more than 8 GiB'],
  ['a size beyond all bounds by pax', claimingSize(), 'more than 8 GiB'],
  ['a size of letters', gzipSync(damaged('zzzzzzzzzzz\0')), 'no readable size'],
  ['no manifest', gzipSync(tar(file('a'))), 'holds no model.yaml at its root'],
  ['a manifest in a folder', bundle({ 'm/model.yaml': 'a: 1' }), 'but "m/model.yaml"'],
  ['another kind of manifest', bundle({ 'task.yaml': 'a: 1' }), 'holds no model.yaml at its root'],
  [
    'a long manifest',
    bundle({ 'model.yaml': `# ${'x'.repeat(300_000)}` }),
    'not be longer than',
    'model.yaml',
  ],
  ['an absolute path', zip(file('/etc/passwd')), 'must be relative', '/etc/passwd'],
  ['a path out of it', zip(file('../a')), 'must not lead out', '../a'],
  ['a path out of it, within', zip(file('a/../../b')), 'must not lead out', 'a/../../b'],
  ['a folder out of it', zip({ name: 'a/../..', flag: '5' }), 'must not lead out', 'a/../..'],
  ['a path out of it by pax', zip(...long('../a')), 'must not lead out', '../a'],
  ['a path out of it by its prefix', zip(file('a', { prefix: '..' })), 'must not lead out', '../a'],
  ['a path out of it after a dot', zip(file('./../a')), 'must not lead out', './../a'],
  ['an absolute path after a dot', zip(file('.//a')), 'must be relative', './/a'],
  ['an empty segment', zip(file('a//b')), 'empty or "." segments', 'a//b'],
  ['a dot within', zip(file('a/./b')), 'empty or "." segments', 'a/./b'],
  ['two dots to begin with', zip(file('././b')), 'empty or "." segments', '././b'],
  ['a file that ends like a folder', zip(file('a/')), 'empty or "." segments', 'a/'],
  ['no name', zip(file('')), 'must not be empty', ''],
  ['a backslash', zip(file('a\\b')), 'backslashes', 'a\\b'],
  ['a control character', zip(file('a\nb')), 'control characters', 'a\nb'],
  ['a NUL by pax', zip(...long('a\0b')), 'control characters', 'a\0b'],
  ['a name that is no UTF-8', zip(file(Buffer.from([0x61, 0xff, 0x62]))), 'not UTF-8: a\\xffb'],
  ['a name that is no UTF-8 by pax', zip(...long(Buffer.from([0xc3, 0x28]))), 'not UTF-8'],
  ['a path too long', zip(...long('a/'.repeat(520))), 'longer than 1024 bytes', 'a/'.repeat(520)],
  ['a name too long', zip(...long('ä'.repeat(128))), 'longer than 255 bytes', 'ä'.repeat(128)],
  ['a path twice', zip(file('a'), file('a')), 'is there twice', 'a'],
  ['a path twice, once with a dot', zip(file('a'), file('./a')), 'is there twice', './a'],
  ['a second manifest', zip(MANIFEST), 'is there twice', 'model.yaml'],
  ['a file and then a folder', zip(file('a'), { name: 'a/', flag: '5' }), 'which is a file', 'a/'],
  ['a folder and then a file', zip({ name: 'a/', flag: '5' }, file('a')), 'file and a folder', 'a'],
  ['a file in a file', zip(file('a'), file('a/b/c')), 'lies in "a"', 'a/b/c'],
  ['a file around a file', zip(file('a/b/c'), file('a')), 'file and a folder', 'a'],
  ['a symbolic link', zip({ name: 'l', flag: '2', link: '/etc/passwd' }), 'symbolic link', 'l'],
  ['a hard link', zip({ name: 'l', flag: '1', link: 'model.yaml' }), 'hard link', 'l'],
  ['a character device', zip({ name: 'd', flag: '3' }), 'is a device', 'd'],
  ['a block device', zip({ name: 'd', flag: '4' }), 'is a device', 'd'],
  ['a pipe', zip({ name: 'p', flag: '6' }), 'named pipe', 'p'],
  ['a sparse file of GNU', zip(file('s', { flag: 'S', format: 'gnu' })), 'sparse file', 's'],
  [
    'a sparse file by pax',
    zip({ name: 'pax', flag: 'x', content: paxRecord('GNU.sparse.major', '1') }, file('s')),
    'sparse file',
  ],
  ['a volume', zip({ name: 'v', flag: 'V' }), 'not known here ("V")', 'v'],
  ['a type that nobody knows', zip({ name: 'z', flag: '\xfe' }), 'not known here', 'z'],
  ['a folder with content', zip({ name: 'f/', flag: '5', content: 'x' }), 'not known here', 'f/'],
  ['a long name of a link', zip({ name: 'x', flag: 'K', content: 'target\0' }, file('a')), 'is a link', 'x'],
  [
    'a huge pax header',
    zip({ name: 'pax', flag: 'x', content: paxRecord('comment', 'x'.repeat(70_000)) }, file('a')),
    'header of 70015 bytes',
  ],
  [
    'a long name without an end',
    zip({ name: 'n', flag: 'L', size: 2 ** 40, format: 'gnu' }),
    'header of 1099511627776 bytes',
  ],
  [
    'two pax headers',
    zip(
      { name: 'p', flag: 'x', content: paxRecord('path', 'a') },
      { name: 'p', flag: 'x', content: paxRecord('path', 'b') },
      file('c'),
    ),
    'two headers',
  ],
  [
    'two headers',
    zip(
      { name: 'p', flag: 'x', content: paxRecord('path', 'a') },
      { name: 'l', flag: 'L', content: 'b\0' },
      file('c'),
    ),
    'two headers',
  ],
  [
    'a pax header and then the end',
    zip({ name: 'p', flag: 'x', content: paxRecord('path', 'a') }),
    'truncated tar',
  ],
  [
    'a pax header that lies about its length',
    zip({ name: 'p', flag: 'x', content: '99 path=a\n' }, file('c')),
    'pax header cannot be read',
  ],
  [
    'a pax header without a line end',
    zip({ name: 'p', flag: 'x', content: '9 path=abc' }, file('c')),
    'pax header cannot be read',
  ],
  [
    'a pax size of letters',
    zip({ name: 'p', flag: 'x', content: paxRecord('size', '1e3') }, file('c')),
    'no readable size',
  ],
  [
    'a global path',
    zip({ name: 'g', flag: 'g', content: paxRecord('path', 'a') }, file('c')),
    'global header with a path',
  ],
  [
    'many global headers',
    zip(
      ...Array.from({ length: 17 }, () => ({ name: 'g', flag: 'g', content: paxRecord('comment', 'a') })),
      file('c'),
    ),
    'too many global headers',
  ],
])('%s is refused as a bundle', async (_what, body, text, path) => {
  const before = await leftovers();
  const response = await publish(body);
  expect(response).toMatchObject({ status: 422, body: { type: 'validation_error' } });
  expect(response.body.errors).toHaveLength(1);
  expect(response.body.errors[0].msg).toContain(text);
  expect(response.body.errors[0].loc).toEqual(path === undefined ? ['body'] : ['body', path]);
  expect(await leftovers()).toEqual(before);
});

/** Claims a size in a pax record, which takes precedence. */
function claimingSize(): Buffer {
  return zip({ name: 'p', flag: 'x', content: paxRecord('size', String(9 * 2 ** 30)) }, file('b'));
}

/** Writes a header with a valid checksum. */
function damaged(size: string): Buffer {
  const entry = tarEntry(MANIFEST);
  entry.write(size, 124, 'latin1');
  entry.fill(' ', 148, 156);
  const sum = entry.subarray(0, 512).reduce((all, byte) => all + byte, 0);
  entry.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return Buffer.concat([entry, END_OF_TAR]);
}

test('a bundle is refused at its 10,001st entry rather than after a million', async () => {
  let written = 0;
  async function* million() {
    yield tarEntry(MANIFEST);
    for (; written < 1_000_000; written++) yield tarEntry({ name: `f${written}`, content: '' });
    yield END_OF_TAR;
  }
  const reading = readBundle(Readable.from(million()).pipe(createGzip({ level: 1 })));
  const names: string[] = [];
  await expect(async () => {
    for await (const { path, body } of reading) {
      names.push(path);
      await Array.fromAsync(body);
    }
  }).rejects.toMatchObject({ issues: [{ msg: 'holds more than 10,000 entries' }] });
  expect(names).toHaveLength(10_000);
  expect(written).toBeLessThan(100_000);
});

test('folders count as entries of a bundle', async () => {
  const folders = Array.from({ length: 10_000 }, (_, index) => ({ name: `d${index}/`, flag: '5' }));
  expect((await publish(zip(...folders))).body.errors[0].msg).toBe('holds more than 10,000 entries');
});

test('a bundle with gigabytes of zeros in a few megabytes is refused early, and the client gets the reason', async () => {
  const before = await leftovers();
  const size = 7 * 2 ** 30;
  const zeros = Buffer.alloc(2 ** 20);
  let sent = 0;
  async function* bomb() {
    yield tarEntry(MANIFEST);
    yield tarEntry({ name: 'zeros', size });
    for (; sent < size; sent += zeros.length) yield zeros;
    yield END_OF_TAR;
  }
  const reading = readBundle(Readable.from(bomb()).pipe(createGzip({ level: 1 })));
  await expect(async () => {
    for await (const { body } of reading) for await (const _chunk of body);
  }).rejects.toMatchObject({ issues: [{ msg: 'unpacks to more than 200 times its size' }] });
  expect(sent).toBeLessThan(200 * 2 ** 20);

  const packed = gzipSync(
    Buffer.concat([
      tarEntry(MANIFEST),
      tarEntry({ name: 'zeros', content: Buffer.alloc(100 * 2 ** 20) }),
      END_OF_TAR,
    ]),
  );
  const response = await publish(packed);
  expect(response).toMatchObject({ status: 422, body: { errors: [{ loc: ['body'] }] } });
  expect(await leftovers()).toEqual(before);
});

test('bundles of common archivers are read', async () => {
  const path = `${'deep/'.repeat(30)}file-with-a-name.bin`;
  const body = gzipSync(
    tar(
      { name: 'pax_global_header', flag: 'g', content: paxRecord('comment', 'a commit') },
      { name: './', flag: '5' },
      { name: './model.yaml', content: 'summary: real\n' },
      { name: './weights/', flag: '5' },
      { name: './weights/', flag: '5' },
      {
        name: 'pax',
        flag: 'x',
        content: Buffer.concat([paxRecord('mtime', '1.5'), paxRecord('path', `./${path}`)]),
      },
      { name: 'short', content: 'by pax' },
      { name: '././@LongLink', flag: 'L', format: 'gnu', content: `gnu/${path}\0` },
      { name: 'short', content: 'by gnu', format: 'gnu' },
      { name: 'file', prefix: 'of/prefix', content: 'by prefix' },
      { name: 'old', format: 'v7', flag: '\0', content: 'v7' },
      { name: 'empty/', flag: '5' },
      { name: 'ünïcödé 🎉', content: '' },
    ),
  );
  expect((await server.as(owner).put('/org/main/models/real/1.0.0', body)).status).toBe(201);
  const { rows } = await sql<{ path: string; size_bytes: number }>`
    SELECT f.path, f.size_bytes FROM artifact_files f JOIN artifact_versions v
        ON v.organization_id = f.organization_id AND v.id = f.version_id
      JOIN artifacts a ON a.organization_id = v.organization_id AND a.id = v.artifact_id
     WHERE a.name = 'real' ORDER BY f.path`.execute(server.db);
  expect(Object.fromEntries(rows.map((row) => [row.path, row.size_bytes]))).toEqual({
    'model.yaml': 14,
    [path]: 6,
    [`gnu/${path}`]: 6,
    'of/prefix/file': 9,
    old: 2,
    'ünïcödé 🎉': 0,
  });
});

test('a bundle of several concatenated gzip streams is read as one', async () => {
  const bytes = tar(MANIFEST, file('a'));
  const body = Buffer.concat([gzipSync(bytes.subarray(0, 700)), gzipSync(bytes.subarray(700))]);
  expect((await server.as(owner).put('/org/main/models/members/1.0.0', body)).status).toBe(201);
});
