/** Turns between organizations. */
import { expect, test } from 'vitest';
import { openTestWork } from '../../../test/work-folders.ts';
import { createLocalFiles } from './local-files.ts';

test('an organization that checks many queries does not block others', async () => {
  const { turns } = createLocalFiles(await openTestWork());
  const { signal } = new AbortController();
  const over = Promise.withResolvers<void>();
  const begun: string[] = [];
  const check = (owner: string, until: Promise<void>) =>
    turns.check.take({ owner, signal }, () => {
      begun.push(owner);
      return until;
    });
  const many = Array.from({ length: 5 }, () => check('one', over.promise));
  await check('another', Promise.resolve());
  expect(begun).toEqual(['one', 'another']);
  over.resolve();
  await Promise.all(many);
  expect(begun).toEqual(['one', 'another', 'one', 'one', 'one', 'one']);
});
