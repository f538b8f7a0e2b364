import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../../test/processes.ts';
import { openPlainFile } from './plain-file.ts';

const folder = makeFolder();
const at = (name: string) => join(folder, name);
writeFileSync(at('plain'), 'content');
writeFileSync(at('secret'), 'secret');
writeFileSync(at('named twice'), 'secret');
linkSync(at('named twice'), at('hard link'));
symlinkSync(at('secret'), at('link'));
symlinkSync(at('nothing'), at('broken link'));
mkdirSync(at('folder'));
execFileSync('mkfifo', [at('pipe')]);

test('openPlainFile opens a plain file', async () => {
  const file = await openPlainFile(at('plain'));
  expect(await file.readFile('utf8')).toBe('content');
  await file.close();
});

test.each(['link', 'broken link', 'hard link', 'folder', 'pipe', 'nothing'])(
  'openPlainFile refuses a %s',
  async (name) => {
    await expect(openPlainFile(at(name))).rejects.toThrow(/ELOOP|ENOENT|not a plain file/);
  },
);
