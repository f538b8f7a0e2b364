/** Remains of a process that was killed in the middle of its work, next to work in progress of a living one. */
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

/** Mark of an earlier process with the same id, as in a restarted container. */
const OF_DEAD = `${process.pid}-1-x`;
const OF_LIVING = `${readOwnMark()}-x`;

test('the next start removes the remains of a dead process, and nothing of a living one', async () => {
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

test('close leaves no pipes', async () => {
  await host.provider.probe();
  const pipes = join(host.folder, 'sandboxes/pipes');
  expect(readdirSync(pipes)).toHaveLength(1);
  await host.provider.close();
  expect(readdirSync(pipes)).toEqual([]);
  await host.replace();
});

test('ends are found by regular checks when no watch is available', () => {
  const watch = new EndWatch('/nonexistent', () => undefined);
  expect(watch.find('some')).toBeUndefined();
  watch.close();
});
