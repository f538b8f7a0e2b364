/** Enforces the rule of ARCHITECTURE.md on short files and large folders of server/src. */
import { basename, dirname, relative } from 'node:path';
import { expect, test } from 'vitest';
import { edges, shipped, sources } from './source-files.ts';

const SHORT_LINES = 40;
const MAX_FILES = 15;

/** Readers look for these names in a folder, so a short file may have one of them. */
const CONVENTIONAL = /^((.+-)?routes|schema|service|sql-tables|events|deletion|clean-ups)\.ts$/;

/** Short files with one importer and no test, each with its reason. */
const SHORT_FILES: Readonly<Record<string, string>> = {
  'commands/reset-owner.ts': 'the entry of an npm script',
  'platform/db/named-statements.ts': 'a check at the start, which opens connections of its own',
  'platform/jobs/gauges.ts': 'the gauges of the queue, which the queue itself does not need',
  'platform/llm/translated/translated-model.ts':
    'the only file of its folder that is loaded before the first call',
  'platform/sandbox/namespaces/end-watch.ts': 'a class with a life of its own',
};

/** In these folders each file is one entry of a catalogue. */
const CATALOGUES = ['platform/red-team/attacks/'];

/** Folders that hold more files, with the number that they may hold. */
const LARGE_FOLDERS: Readonly<Record<string, number>> = {
  platform: 21,
  'platform/db': 21,
  'sessions/search/columns': 22,
  'traces/ingest': 18,
};

const files = shipped.map(({ file, text }) => ({
  file: relative('server/src', file),
  lines: text.split('\n').length - 1,
}));
const importers = Map.groupBy(edges, ({ to }) => to);
const tests = new Set(sources.map(({ file }) => file).filter((file) => file.endsWith('.test.ts')));
const testsElsewhere = new Set(
  [...tests].filter((file) => file.startsWith('server/test/')).map((file) => basename(file)),
);

function isLonely(file: string): boolean {
  const test = file.replace(/\.ts$/, '.test.ts');
  const hasTest = tests.has(`server/src/${test}`) || testsElsewhere.has(basename(test));
  return !hasTest && new Set(importers.get(file)?.map(({ from }) => from)).size < 2;
}

const lonely = files
  .filter(({ file, lines }) => lines < SHORT_LINES && isLonely(file))
  .map(({ file }) => file)
  .filter(
    (file) => !CONVENTIONAL.test(basename(file)) && !CATALOGUES.some((folder) => file.startsWith(folder)),
  );

test('a file under 40 lines has two importers, a test of its own or a conventional name', () => {
  const wrong = lonely.filter((file) => !(file in SHORT_FILES));
  expect(wrong, 'Join these with their importers, or with the neighbours where they belong.').toEqual([]);
});

test('the list of other short files has no entry that needs none', () => {
  expect(Object.keys(SHORT_FILES).filter((file) => !lonely.includes(file))).toEqual([]);
});

test('a folder holds at most 15 files beside its tests', () => {
  const counts = Map.groupBy(files, ({ file }) => dirname(file));
  const large = [...counts].map(([folder, inside]) => [folder, inside.length] as const);
  const wrong = large.filter(([folder, count]) => count > (LARGE_FOLDERS[folder] ?? MAX_FILES));
  expect(wrong, 'Split these by subject.').toEqual([]);
  const small = Object.keys(LARGE_FOLDERS).filter((folder) => (counts.get(folder)?.length ?? 0) <= MAX_FILES);
  expect(small, 'Take these off the list.').toEqual([]);
});
