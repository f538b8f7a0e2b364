/**
 * The trainer's own tests that need no PyTorch, and its formatter, linter and type checker, with the Python of `npm run setup -- --tests`.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findPython } from './python-packages.ts';

const run = promisify(execFile);
const python = findPython() ?? '';
const cwd = join(import.meta.dirname, '../trainer');

/** @returns the output; the output of a failing program is the message of the test */
async function runModule(...args: string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], OMP_NUM_THREADS: '1', PYTHONDONTWRITEBYTECODE: '1' };
  try {
    const { stdout } = await run(python, ['-m', ...args], { cwd, env, maxBuffer: 16 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${args.join(' ')}:\n${stdout}\n${stderr}`, { cause: error });
  }
}

test.skipIf(python === '')('the tests of the trainer that need no PyTorch pass', async () => {
  expect(await runModule('pytest', '-q', '-m', 'not torch', '-p', 'no:cacheprovider')).toMatch(/\d+ passed/);
});

const CLIENTS = '../scripts/clients';

test.skipIf(python === '').each([
  ['ruff', 'check', '--no-cache', '--config', 'pyproject.toml', CLIENTS],
  ['ruff', 'format', '--check', '--no-cache', '--config', 'pyproject.toml', CLIENTS],
  ['mypy', '--cache-dir', '/dev/null', '--follow-imports', 'skip', `${CLIENTS}/drive_dreadnode.py`],
])('%s %s reports no problem in the programs that drive published clients', async (...args) => {
  expect(await runModule(...args.filter((arg) => arg !== undefined))).toBeTypeOf('string');
});

test.skipIf(python === '').each([
  ['ruff', 'check', '--no-cache', '.'],
  ['ruff', 'format', '--check', '--no-cache', '.'],
  ['mypy', '--cache-dir', '/dev/null'],
])('%s %s %s %s reports no problem in the trainer', async (...args) => {
  expect(await runModule(...args.filter((arg) => arg !== undefined))).toBeTypeOf('string');
});
