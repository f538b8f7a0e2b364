/** What a process left that was killed in the middle of something, and what one that lives is still working on. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readOwnMark } from '../process-table.ts';
import { EndWatch } from './end-watch.ts';
import { ProviderInTest } from './provider-in-test.ts';

let host: ProviderInTest;

beforeEach(() => {
  host = new ProviderInTest();
});

afterEach(async () => {
  await host.close();
});

/** As of a process before: in a container that had the same number. */
const OF_DEAD = `${process.pid}-1-x`;
const OF_LIVING = `${readOwnMark()}-x`;

test('what a dead process left is removed at the next start, and nothing of one that lives', async () => {
  const root = join(host.folder, 'sandboxes');
  const marked = (mark: string) => [`probe-${mark}`, `pipes/${mark}`, `disks/.unfinished-${mark}`];
  for (const name of [OF_DEAD, OF_LIVING].flatMap(marked))
    mkdirSync(join(root, name, 'in'), { recursive: true });
  expect(await host.provider.probe()).toMatchObject({ available: true });
  const left = readdirSync(root, { recursive: true }).map(String);
  expect(left.filter((name) => name.endsWith(OF_DEAD))).toEqual([]);
  expect(left.filter((name) => name.endsWith(OF_LIVING)).toSorted()).toEqual(marked(OF_LIVING).toSorted());
  for (const name of marked(OF_LIVING)) rmSync(join(root, name), { recursive: true });
});

test('who closes leaves no pipes', async () => {
  await host.provider.probe();
  const pipes = join(host.folder, 'sandboxes/pipes');
  expect(readdirSync(pipes)).toHaveLength(1);
  await host.provider.close();
  expect(readdirSync(pipes)).toEqual([]);
  await host.replace();
});

test('where nothing can be watched, ends are still found by a look', () => {
  const watch = new EndWatch('/nonexistent', () => undefined);
  expect(watch.find('some')).toBeUndefined();
  watch.close();
});
