import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeDraft } from './draft-folder.ts';

let parent = '';
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'drydock-draft-'));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

test('an unusable target for the finished backup is refused before anything is written', async () => {
  mkdirSync(join(parent, 'real'));
  symlinkSync(join(parent, 'real'), join(parent, 'link'));
  await expect(makeDraft(join(parent, 'link'))).rejects.toThrow('is a link');
  await expect(makeDraft(join(parent, 'nowhere', 'near', 'backup'))).rejects.toThrow('make it first');
  await expect(makeDraft('/proc/nowhere/backup')).rejects.toThrow('make it first');
  expect(readdirSync(parent).toSorted()).toEqual(['link', 'real']);
});

test('an empty folder is accepted, and the draft lies beside it until it is complete', async () => {
  const folder = join(parent, 'backup');
  mkdirSync(folder);
  expect(await makeDraft(folder)).toBe(`${folder}.incomplete-${process.pid}`);
});
