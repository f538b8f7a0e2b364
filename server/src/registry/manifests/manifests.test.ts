/** Manifests of each kind, and what they are converted to. */
import { expect, test } from 'vitest';
import { findMistakes, NO_LISTING, readManifest } from '../../../test/manifests.ts';

test('a model manifest is read', async () => {
  expect(await readManifest('model', '{}')).toEqual({
    listing: { ...NO_LISTING, framework: 'safetensors' },
    details: {
      architecture: null,
      base_model: null,
      pretty_name: null,
      task: null,
      language: null,
      origin: {},
    },
  });
  const whole = `framework: gguf
architecture: llama
base_model: acme/base@1.0.0
license: apache-2.0
pretty_name: A Thing
size_category: 7b
summary: Does things
task: text-generation
language: [en, de]
tags: [x]
task_categories: [chat]
origin: {job: 7}
anything: else
`;
  expect(await readManifest('model', whole)).toEqual({
    listing: {
      ...NO_LISTING,
      summary: 'Does things',
      tags: ['x'],
      license: 'apache-2.0',
      task_categories: ['chat'],
      framework: 'gguf',
      size_category: '7b',
    },
    details: {
      architecture: 'llama',
      base_model: 'acme/base@1.0.0',
      pretty_name: 'A Thing',
      task: 'text-generation',
      language: ['en', 'de'],
      origin: { job: 7 },
    },
  });
});

test('a dataset manifest is read with its splits', async () => {
  const files = ['b/test.CSV', 'train.jsonl', 'readme.md'];
  const found = await readManifest(
    'dataset',
    'summary: s\nsplits:\n  train: ./train.jsonl\n  test: b/test.CSV\n',
    files,
  );
  const columns = [{ name: 'a', type: 'BIGINT' }];
  const file = (path: string) => ({ path, sha256: `of ${path}`, size_bytes: 1, row_count: 10, columns });
  expect(found).toEqual({
    listing: { ...NO_LISTING, summary: 's' },
    details: {
      splits: [
        { name: 'train', format: 'jsonl', ...file('train.jsonl') },
        { name: 'test', format: 'csv', ...file('b/test.CSV') },
      ],
      row_count: 20,
    },
  });
  expect(
    (await readManifest('dataset', '{}', ['readme.md', 'x/data.parquet', 'x/._data.parquet'])).details.splits,
  ).toEqual([{ name: 'train', format: 'parquet', ...file('x/data.parquet') }]);
});

test.each<[string, readonly string[], string]>([
  ['{}', [], 'splits: is needed: the bundle holds no file'],
  [
    '{}',
    ['a.csv', 'b.csv'],
    'splits: is needed: the bundle holds 2 data files (a.csv, b.csv). Name each, as in "train: a.csv"',
  ],
  ['splits: train.jsonl', ['a.csv'], 'splits: line 1: must be like {train: train.jsonl}'],
  ['tags: geography', ['a.csv'], 'tags: line 1: must be a list, as in [one, another]'],
  ['version: 1.0', ['a.csv'], 'version: line 1: must equal the version that is published'],
  ['splits: {}', ['a.csv'], 'splits: line 1: must name a split'],
  ['splits: {train: b.csv}', ['a.csv'], 'splits.train: names "b.csv", which is not a file of the bundle'],
  ['splits: {train: a.txt}', ['a.txt'], 'splits.train: names "a.txt": data files end with'],
  ['splits: {train: ../a.csv}', ['a.csv'], 'splits.train: line 1: must not lead out'],
  ['splits:\n  "a b": a.csv', ['a.csv'], 'splits.a b: line 2: '],
  ['splits: [a.csv]', ['a.csv'], 'splits: line 1: '],
])('the splits %s of a bundle with %o are refused', async (yaml, paths, text) => {
  const [mistake] = await findMistakes('dataset', yaml, paths);
  expect(mistake).toContain(text);
});

const CAPABILITY = 'schema: 1\nname: thing\nversion: 1.0.0+build\ndescription: Helps\n';

test('a capability manifest is read with the components that it lists', async () => {
  const yaml = `${CAPABILITY}agents: [a, {name: b}]
tools: []
hooks: [{on: start}]
mcp: {servers: {one: {}, two: {}}}
flags:
  fast: {description: Be fast, default: true}
  loud: {description: Be loud}
workers: {w: {}}
dependencies: {python: ">=3.11"}
checks: [{run: x}]
keywords: [k]
license: mit
author: {name: A}
`;
  expect(
    await readManifest('capability', yaml, [
      'tools/t.py',
      'skills/s/SKILL.md',
      'skills/s/more.md',
      'skills/x.md',
    ]),
  ).toEqual({
    listing: { ...NO_LISTING, summary: 'Helps', tags: ['k'], license: 'mit' },
    details: {
      description: 'Helps',
      component_counts: { agents: 2, tools: 0, skills: 1, hooks: 1, mcp_servers: 2, workers: 1 },
      components: { agents: ['a', { name: 'b' }], tools: [], skills: ['skills/s/SKILL.md'] },
      flags: { fast: true, loud: false },
    },
  });
});

test('a capability manifest is completed with the components found in the bundle', async () => {
  const paths = [
    'agents/b.md',
    'agents/a.md',
    'agents/a.txt',
    'agents/deep/c.md',
    'tools/search.py',
    'tools/package/main.py',
    'tools/package/other.py',
    'tools/.hidden',
    'skills/one/SKILL.md',
    'skills/two/SKILL.md',
    'skills/two/deep/SKILL.md',
  ];
  expect((await readManifest('capability', CAPABILITY, paths)).details).toEqual({
    description: 'Helps',
    component_counts: { agents: 2, tools: 2, skills: 2, hooks: 0, mcp_servers: 0, workers: 0 },
    components: {
      agents: ['agents/a.md', 'agents/b.md'],
      tools: ['tools/package', 'tools/search.py'],
      skills: ['skills/one/SKILL.md', 'skills/two/SKILL.md'],
    },
    flags: {},
  });
});

test.each([
  ['name: thing\nversion: 1.0.0\ndescription: x', 'schema: line 1: '],
  ['schema: 2\nname: thing\nversion: 1.0.0\ndescription: x', 'schema: line 1: must be 1'],
  ['schema: 1\nname: thing\nversion: 1.0.0', 'description: line 1: "description" is required'],
  [`${CAPABILITY}flags: {fast: true}`, 'flags.fast: line 5: '],
  [`${CAPABILITY}flags: {fast: {default: "yes"}}`, 'flags.fast.default: line 5: '],
  [`${CAPABILITY}agents: {a: b}`, 'agents: line 5: '],
  [`${CAPABILITY}mcp: {servers: 3}`, 'mcp.servers: line 5: '],
])('the capability manifest %j is refused', async (yaml, text) => {
  const [mistake, ...others] = await findMistakes('capability', yaml);
  expect(mistake).toContain(text);
  expect(others).toEqual([]);
});

test('a misspelled key is refused after any number of unknown ones', async () => {
  const unknown = Array.from({ length: 100 }, (_, index) => `own-key-${index}: x\n`).join('');
  expect(await findMistakes('model', `${unknown}licence: mit\n`)).toEqual([
    'licence: line 101: "licence" is not a key of this manifest; did you mean "license"?',
  ]);
});
