import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findPython } from './python-packages.ts';

test('findPython accepts an environment only with the packages that are required now', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-python-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const wanted = join(folder, 'wanted.txt');
  writeFileSync(wanted, 'a==1\n');
  expect(findPython(folder, wanted)).toBeUndefined();
  writeFileSync(join(folder, 'requirements.txt'), 'a==1\n');
  expect(findPython(folder, wanted)).toBe(join(folder, 'bin/python'));
  writeFileSync(wanted, 'a==2\n');
  expect(findPython(folder, wanted)).toBeUndefined();
});
