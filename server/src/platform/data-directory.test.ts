import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isRoot, NOBODY, nodeAsNobody, seenByNobody } from '../../test/as-nobody.ts';
import { makeFolder, newDataDir } from '../../test/processes.ts';
import {
  explainFileError,
  foreignNames,
  isDataDirectory,
  openDataDirectory,
  refuseFull,
  requireOwnData,
} from './data-directory.ts';

const SET = 'Set DRYDOCK_DATA_DIR to another folder';

function refusal(dataDir: string): string {
  try {
    openDataDirectory(dataDir);
  } catch (error) {
    return (error as Error).message;
  }
  return 'not refused';
}

test('openDataDirectory creates the folder and its parents, and leaves an existing one unchanged', () => {
  const dataDir = join(makeFolder(), 'a', 'b', 'data');
  openDataDirectory(dataDir);
  writeFileSync(join(dataDir, 'secret-key'), 'x');
  openDataDirectory(dataDir);
  expect(readdirSync(dataDir)).toEqual(['secret-key']);
});

test('openDataDirectory refuses a path that is, or leads through, a file', () => {
  const file = join(makeFolder(), 'file');
  writeFileSync(file, '');
  expect(refusal(file)).toBe(`${file} is a file. ${SET}.`);
  expect(refusal(join(file, 'data'))).toBe(`${file} is a file. ${SET}.`);
  expect(refusal('/dev/null/x')).toBe(`/dev/null is a file. ${SET}.`);
  const link = join(makeFolder(), 'link');
  symlinkSync('/nowhere/at/all', link);
  expect(refusal(link)).toBe(`${link} cannot be a folder (EEXIST). ${SET}, or change this one.`);
});

test('openDataDirectory immediately refuses file systems in which no folders can be created', () => {
  expect(refusal('/proc/nope')).toBe(
    `/proc/nope cannot be made: no folder can be made there (ENOENT). ${SET}, or change this one.`,
  );
  expect(refusal('/sys/x')).toMatch(
    /^(?:\/sys\/x is on a read-only file system|\w+ has no permission for \/sys\/x) /,
  );
});

test('openDataDirectory refuses a folder with foreign files and leaves it unchanged', () => {
  const dataDir = newDataDir();
  mkdirSync(dataDir);
  for (const name of ['objects', 'holiday.jpg', 'HEAD']) writeFileSync(join(dataDir, name), '');
  expect(refusal(dataDir)).toBe(
    `${dataDir} holds files that are not Drydock's, such as HEAD. ${SET}: one that is empty or does not exist.`,
  );
  expect(readdirSync(dataDir).toSorted()).toEqual(['HEAD', 'holiday.jpg', 'objects']);
  // A stray file beside Drydock's own is accepted, and so is what the kernel creates in every volume.
  writeFileSync(join(dataDir, 'secret-key'), 'x');
  expect(refusal(dataDir)).toBe('not refused');
  const volume = newDataDir();
  mkdirSync(join(volume, 'lost+found'), { recursive: true });
  expect(refusal(volume)).toBe('not refused');
});

test('openDataDirectory refuses a database that Drydock did not make', () => {
  const dataDir = newDataDir();
  mkdirSync(join(dataDir, 'postgres'), { recursive: true });
  writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '18');
  expect(refusal(dataDir)).toBe(
    `${join(dataDir, 'postgres')} is not a database that Drydock made. ${SET}, or move that folder away.`,
  );
});

test('refuseFull refuses a file system with less than 32 MiB free and says what to do', () => {
  const of = (mib: number) => ({ bsize: 4_096, bavail: mib * 256 });
  expect(() => refuseFull('/data', of(32))).not.toThrow();
  expect(() => refuseFull('/data', of(3))).toThrow(
    'No space is left on the file system of /data: 3 MiB are free, and Drydock needs 32 MiB to start. ' +
      'Free some space, or run "npm run reset" to remove all data.',
  );
});

test.each([
  ['ENOSPC', 'No space is left on the file system of /data/x (ENOSPC). Free some space and start again.'],
  ['EROFS', '/data/x is on a read-only file system (EROFS).'],
  ['ENOENT', undefined],
  ['EADDRINUSE', undefined],
])('explainFileError explains %s of any file', (code, sentence) => {
  expect(explainFileError(Object.assign(new Error('x'), { code, path: '/data/x' }))).toBe(sentence);
});

test('foreignNames recognises every name that Drydock creates', () => {
  const own = [
    'postgres',
    'postgres.log',
    'postgres.log.1',
    'secret-key',
    'secret-key.next',
    'secret-key.12',
  ];
  expect(foreignNames([...own, 'objects', 'sandboxes', 'initialising-7', 'initialising-7.password'])).toEqual(
    [],
  );
  expect(foreignNames(['.bashrc', 'postgresql', 'secret-keys'])).toEqual([
    '.bashrc',
    'postgresql',
    'secret-keys',
  ]);
  expect(isDataDirectory(makeFolder())).toBe(false);
});

describe.skipIf(!isRoot)('a data directory of another user (needs root, to create their files)', () => {
  /** Runs as that user, for whom the checkout is at another path. */
  function refusalOfNobody(dataDir: string): string {
    const module = seenByNobody(join(import.meta.dirname, 'data-directory.ts'));
    const program = `import { openDataDirectory, requireOwnData } from ${JSON.stringify(module)};
      try { openDataDirectory(process.argv[1]); requireOwnData(process.argv[1]); console.log('not refused'); }
      catch (error) { console.log(error.message); }`;
    const [command, ...args] = nodeAsNobody('--input-type=module', '-e', program, dataDir);
    return execFileSync(command, args, { encoding: 'utf8' }).trimEnd();
  }

  function dataOf(uid: number): string {
    const dataDir = join(makeFolder(NOBODY), 'data');
    mkdirSync(join(dataDir, 'sandboxes'), { recursive: true });
    for (const name of ['secret-key', 'sandboxes/host.json']) {
      writeFileSync(join(dataDir, name), '{}', { mode: 0o600 });
      chownSync(join(dataDir, name), uid, uid);
    }
    chownSync(dataDir, NOBODY, NOBODY);
    chownSync(join(dataDir, 'sandboxes'), NOBODY, NOBODY);
    return dataDir;
  }

  test('refuses a folder that the user may not enter or write', () => {
    const closed = makeFolder();
    chmodSync(closed, 0o700);
    onTestFinished(() => chmodSync(closed, 0o755));
    expect(refusalOfNobody(join(closed, 'data'))).toBe(
      `nobody has no permission for ${join(closed, 'data')} (EACCES). ${SET}, or change this one.`,
    );
    expect(existsSync(join(closed, 'data'))).toBe(false);
    expect(refusalOfNobody(closed)).toContain(`nobody has no permission for ${closed} (EACCES).`);
  });

  test('explains to a user how to take over what root created', () => {
    const dataDir = dataOf(0);
    chownSync(dataDir, 0, 0);
    chmodSync(dataDir, 0o711);
    expect(refusalOfNobody(dataDir)).toBe(
      `${dataDir} belongs to root, so nobody cannot use it. ` +
        `Give the data directory to nobody: sudo chown -R nobody ${dataDir}`,
    );
    chownSync(dataDir, NOBODY, NOBODY);
    expect(refusalOfNobody(dataDir)).toBe(
      `${join(dataDir, 'secret-key')} belongs to root, so nobody cannot use it. ` +
        `Give the data directory to nobody: sudo chown -R nobody ${dataDir}`,
    );
    chownSync(join(dataDir, 'secret-key'), NOBODY, NOBODY);
    expect(refusalOfNobody(dataDir)).toContain('sandboxes/host.json belongs to root');
    chownSync(join(dataDir, 'sandboxes/host.json'), NOBODY, NOBODY);
    expect(refusalOfNobody(dataDir)).toBe('not refused');
  });

  test('asks root to start as the user who owns the data', () => {
    const dataDir = dataOf(NOBODY);
    const expected =
      `belongs to nobody, and files that root adds would lock nobody out. ` +
      'Start Drydock as that user: sudo -u nobody npm run up';
    expect(() => requireOwnData(dataDir)).toThrow(expected);
    chownSync(join(dataDir, 'secret-key'), 54_321, 54_321);
    expect(() => requireOwnData(dataDir)).toThrow(
      "would lock user 54321 out. Start Drydock as that user: sudo -u '#54321' npm run up",
    );
    for (const name of ['secret-key', 'sandboxes', 'sandboxes/host.json'])
      chownSync(join(dataDir, name), 0, 0);
    expect(() => requireOwnData(dataDir)).not.toThrow();
  });
});
