import { expect, test } from 'vitest';
import { FileTree, findPathProblem } from './file-tree.ts';

test('a path of 32 segments is accepted, one of 33 is refused', () => {
  expect(findPathProblem(`${'d/'.repeat(31)}f`)).toBeUndefined();
  expect(findPathProblem(`${'d/'.repeat(32)}f`)).toBe('must not lie deeper than 31 folders');
});

test('has recognises the files and folders of a tree and no other paths', () => {
  const tree = new FileTree();
  expect([tree.addFile('a/b/c'), tree.addFolder('d/e'), tree.addFile('f')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(['a', 'a/b', 'a/b/c', 'd', 'd/e', 'f'].filter((path) => !tree.has(path))).toEqual([]);
  expect(['b', 'a/c', 'a/b/c/d', 'f/g', 'd/e/f', ''].filter((path) => tree.has(path))).toEqual([]);
});

test('paths that are equal in Unicode are one path; paths that differ in case are two', () => {
  const tree = new FileTree();
  expect(tree.addFile('gr\u00f6\u00dfe/a')).toBeUndefined();
  expect(tree.addFile('gro\u0308\u00dfe/a')).toBe(
    'is there twice, in two forms of Unicode that mean the same',
  );
  expect(tree.addFile('gro\u0308\u00dfe/b')).toBeUndefined();
  expect(tree.addFile('Gr\u00f6\u00dfe/a')).toBeUndefined();
});

test('the largest and deepest tree is built in almost no time', () => {
  const folder = `${'d'.repeat(31)}/`;
  const paths = Array.from({ length: 10_000 }, (_, index) => `${index}/${folder.repeat(30)}f`);
  const tree = new FileTree();
  const started = performance.now();
  expect(paths.filter((path) => findPathProblem(path) ?? tree.addFile(path))).toEqual([]);
  expect(performance.now() - started).toBeLessThan(20_000);
});
