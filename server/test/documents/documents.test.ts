/** Rules for the documents that hold without a server: links, sizes, and commands that can be pasted. */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findProgram } from '../../../scripts/system-packages.ts';
import { OptimizationJobConfig } from '../../src/optimization/config-schema.ts';
import { matchesOutput, ROOT, readBlocks, readText } from './document.ts';
import { hasShell } from './shells.ts';
import { BASICS, JOBS, OPERATE } from './stops.ts';
import { isRun } from './tour.ts';

const PAGES = globSync('**/*.md', {
  cwd: ROOT,
  exclude: (path) => /(?:^|\/)(?:node_modules|\.[\w-]+)$/.test(path),
});
const PASTED = PAGES.filter(
  (path) => path === 'README.md' || /^docs\/(?:guides|operate|reference)\//.test(path),
);

/** Converts headings to anchors as GitHub does. */
function anchorsOf(path: string): Set<string> {
  const text = readText(path).replaceAll(/^(`{3,}).*?^\1$/gms, '');
  const slugs = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set(slugs);
}

function findBrokenLinks(path: string): string[] {
  const text = readText(path)
    .replaceAll(/^(`{3,}).*?^\1$/gms, '')
    .replaceAll(/`[^`\n]*`/g, '');
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => {
    if (/^https?:/.test(target)) return false;
    const [file = '', anchor] = target.split('#');
    const linked = file === '' ? path : normalize(join(dirname(path), file));
    if (!existsSync(join(ROOT, linked))) return true;
    if (anchor === undefined || statSync(join(ROOT, linked)).isDirectory()) return false;
    return !anchorsOf(linked).has(anchor);
  });
}

test('the documents are found', () => {
  expect(PAGES).toEqual(expect.arrayContaining(['README.md', 'docs/README.md', 'sdk/README.md']));
  expect(PASTED.length).toBeGreaterThan(20);
});

test.each(PAGES)('the links of %s lead to files and headings that exist', (path) => {
  expect(findBrokenLinks(path)).toEqual([]);
});

test.each(['README.md', 'ARCHITECTURE.md'])('%s has at most 200 lines', (path) => {
  expect(readText(path).trimEnd().split('\n').length).toBeLessThanOrEqual(200);
});

test('every page with commands that can run is part of a tour', () => {
  const withCommands = PASTED.filter((path) => readBlocks(path).some((block) => isRun(block)));
  expect(withCommands.toSorted()).toEqual([...BASICS, ...JOBS, ...OPERATE].toSorted());
});

test('the index names every guide and every page for operators', () => {
  const index = readText('docs/README.md');
  const pages = PASTED.filter((path) => path !== 'README.md').map((path) => path.replace('docs/', ''));
  expect(pages.filter((page) => !index.includes(`(${page})`))).toEqual([]);
});

describe.each(['bash', 'zsh'] as const)('%s', (shell) => {
  test.skipIf(!hasShell(shell)).each(PASTED)('reads every block of commands in %s', (path) => {
    for (const { code, line, language } of readBlocks(path).filter((block) => block.language === 'sh')) {
      const { status, stderr } = spawnSync(shell, ['-n'], { input: code, encoding: 'utf8' });
      expect({ line, language, status, stderr }).toEqual({ line, language, status: 0, stderr: '' });
    }
  });
});

test.skipIf(findProgram('script') === undefined).each([
  ['readable JSON', '{"a":[1]}', '{\n  "a": [\n    1\n  ]\n}\n'],
  ['a stream as it is', 'data: {"a":1}\n\n', 'data: {"a":1}\n\n'],
  ['text as it is', 'plain\n', 'plain\n'],
  ['nothing for nothing', '', ''],
])('the shell functions of the README print %s at a terminal', (_, response, shown) => {
  const definition = /^readable\(\) \{.*?^\}$/ms.exec(readText('README.md'))?.[0];
  const command = `${definition}\nprintf %s "$RESPONSE" | readable`;
  const env = { PATH: process.env['PATH'], RESPONSE: response, SHELL: '/bin/bash', COMMAND: command };
  const { stdout } = spawnSync('script', ['-qec', 'bash -c "$COMMAND"', '/dev/null'], {
    env,
    encoding: 'utf8',
  });
  expect(stdout.replaceAll('\r\n', '\n')).toBe(shown);
});

test('improve-an-agent.md names every setting of a job', () => {
  const guide = readText('docs/guides/improve-an-agent.md');
  const named = new Set([...guide.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name));
  const ignored = new Set(['track_best_outputs', 'display_progress_bar']);
  const settings = Object.keys(OptimizationJobConfig.shape).filter((name) => !ignored.has(name));
  expect(settings.filter((name) => !named.has(name))).toEqual([]);
});

test.each([
  ['one\ntwo\n', 'one\ntwo', true],
  ['one\n…\nfour', 'one\ntwo\nthree\nfour', true],
  ['a … c', 'a b c', true],
  ['one\n…', 'one', true],
  ['one', 'one\ntwo', false],
  ['one\ntwo', 'two\none', false],
])('matchesOutput compares %j with %j', (expected, actual, isEqual) => {
  expect(matchesOutput(expected, actual)).toBe(isEqual);
});
