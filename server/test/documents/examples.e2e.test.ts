/** The programs of examples/, run against a fresh server; those in Python also formatted, linted and typed. */
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { findPython } from '../../../scripts/python-packages.ts';
import { startEvaluationWorld } from '../evaluation-world.ts';
import { matchesOutput, promisedLines, ROOT, readText } from './document.ts';

const run = promisify(execFile);
const python = findPython();

const { server } = await startEvaluationWorld();
const origin = await server.app.listen({ host: '127.0.0.1', port: 0 });
const env = {
  PATH: process.env['PATH'],
  DRYDOCK_URL: origin,
  DRYDOCK_API_KEY: server.owner.key,
  PYTHONDONTWRITEBYTECODE: '1',
};

/** Finds the programs that print something; the other files are modules that they import. */
const findExamples = (pattern: string) =>
  globSync(pattern, { cwd: ROOT }).filter((file) => promisedLines(readText(file)).length > 0);

/** @returns what the program printed; the output of a program that fails is in the message */
async function print(command: string, args: readonly string[], cwd = ROOT): Promise<string> {
  const { stdout } = await run(command, [...args], { cwd, env }).catch(
    (error: { stdout?: string; stderr?: string }) => {
      throw new Error(`${args.join(' ')}:\n${error.stdout}\n${error.stderr}`);
    },
  );
  return stdout;
}

const expectPromised = (file: string, printed: string) => {
  const promised = promisedLines(readText(file)).join('\n');
  if (!matchesOutput(promised, printed)) expect(printed).toBe(promised);
};

test('there are five examples in each language, and the README names them', () => {
  const typescript = findExamples('examples/typescript/*.ts');
  const pythons = findExamples('examples/python/*.py');
  expect([typescript.length, pythons.length]).toEqual([5, 5]);
  const readme = readText('examples/README.md');
  expect(
    [...typescript, ...pythons].filter((file) => !readme.includes(`(${file.replace('examples/', '')})`)),
  ).toEqual([]);
});

test.each(findExamples('examples/typescript/*.ts'))('%s prints its promised output', async (file) => {
  const args = ['--conditions=drydock-source', file];
  expectPromised(file, await print(process.execPath, args));
});

describe.skipIf(!python)(
  'the examples with the Python packages that "npm run setup -- --tests" installs',
  () => {
    test.each(findExamples('examples/python/*.py'))('%s prints its promised output', async (file) => {
      expectPromised(file, await print(python ?? '', [file]));
    });

    test.each([
      ['ruff', 'check', '--no-cache', '.'],
      ['ruff', 'format', '--check', '--no-cache', '.'],
      ['mypy', '--cache-dir', '/dev/null'],
    ])('%s %s %s reports no problem in the examples', async (...args) => {
      const words = args.filter((arg) => arg !== undefined);
      expect(await print(python ?? '', ['-m', ...words], join(ROOT, 'examples/python'))).toBeTypeOf('string');
    });

    test('the examples require the package versions that are tested', () => {
      const tested = readText('scripts/python-requirements.txt').split('\n');
      const wanted = readText('examples/python/requirements.txt').split('\n');
      expect(wanted.filter((line) => !tested.includes(line))).toEqual([]);
    });
  },
);
