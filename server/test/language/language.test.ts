/** Holds the English of comments, test titles and messages to the rules. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findMistakes, readTexts } from './rules.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SOURCES = globSync('{server,sdk,bench,scripts,console,examples}/**/*.{ts,tsx}', {
  cwd: ROOT,
  exclude: ['**/node_modules/**', '{sdk,console}/dist/**', '**/*.gen.ts', 'server/test/language/**'],
});

const rulesBroken = (source: string) => findMistakes('a.ts', source).map(({ rule }) => rule);

describe('findMistakes', () => {
  test.each([
    ['// Of the caller.', 'dangling start'],
    ['/** Once the lock is held. */', 'dangling start'],
    ['// The id of the one for who waits.', 'who as a noun'],
    ['/** A key that is no secret. */', 'is no'],
    ['// Read again: what was there meanwhile is gone.', 'glue'],
    ['// Returns once the caller is told.', 'translated word'],
    ['/** Reads a row. @returns undefined when there is none */', 'tag inside a line'],
    ["test('of two calls one succeeds', () => 1);", 'dangling start'],
    ["test.each([1])('who leaves %s is gone', () => 1);", 'dangling start'],
    ["describe('with a key', () => 1);", 'dangling start'],
    ["throw new ApiError('not_found_error', `The file ${name} is not to be had.`);", 'glue'],
    ["throw notFound('The name is no slug.');", 'is no'],
  ])('names the rule that %j breaks', (source, rule) => {
    expect(rulesBroken(source)).toEqual([rule]);
  });

  test.each([
    '// Returns the users who are members.',
    '/**\n * Reads a row.\n * @returns undefined when there is none\n */',
    '// There is no limit.',
    "test('exec returns 409 while the runtime is paused', () => 1);",
    "const text = 'Whoever writes this is no comment.';",
    '// oxlint-disable-next-line typescript/no-explicit-any -- the overloads of pg cannot be restated',
  ])('accepts %j', (source) => {
    expect(rulesBroken(source)).toEqual([]);
  });

  test('reads line comments that follow each other as one', () => {
    const source = '// Waits for the lock,\n// with a timeout.\nlock();\n// Ends.';
    expect(readTexts('a.ts', source).map(({ text }) => text)).toEqual([
      'Waits for the lock, with a timeout.',
      'Ends.',
    ]);
  });
});

test('comments, test titles and messages follow the rules', () => {
  const mistakes = SOURCES.flatMap((file) =>
    findMistakes(file, readFileSync(join(ROOT, file), 'utf8')).map(
      ({ line, rule, advice, text }) => `${file}:${line} ${rule}: ${advice}: ${text.slice(0, 100)}`,
    ),
  );
  expect(SOURCES.length).toBeGreaterThan(1_000);
  expect(mistakes).toEqual([]);
});
