/** A run that sends nothing must not look like one that found nothing. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCommandLine } from './command-line.ts';

const MAIN = join(import.meta.dirname, 'main.ts');

test.each([
  [['--count', 'ten'], '--count must be a whole number of at least 1, not "ten".'],
  [['--count', '0'], '--count must be'],
  [['--count='], '--count must be'],
  [['--count', '1.5'], '--count must be'],
  [['--count=-1'], '--count must be'],
  [['--count', '1e3'], '--count must be'],
  [['--count', '9'.repeat(20)], '--count must be'],
  [['--only', 'first'], '--only must be a whole number of at least 0, not "first".'],
  [['--only=-1'], '--only must be'],
  [['--only='], '--only must be'],
  [['--cuont', '10'], "Unknown option '--cuont'"],
  [['10'], "Unexpected argument '10'"],
  [['--url', 'nowhere', '--key', 'k'], '--url must be a URL'],
  [['--url', 'http://127.0.0.1:1'], '--url needs --key'],
])('readCommandLine refuses %j', (args, message) => {
  expect(() => readCommandLine(args)).toThrow(message);
});

test('readCommandLine accepts valid options', () => {
  expect(readCommandLine(['--count', '1', '--seed', 'a', '--only', '0'])).toEqual({
    count: 1,
    seed: 'a',
    only: 0,
    target: undefined,
  });
  expect(readCommandLine([])).toMatchObject({ count: 10_000, only: undefined });
  expect(readCommandLine(['--url', 'http://127.0.0.1:1', '--key', 'k']).target).toEqual({
    origin: new URL('http://127.0.0.1:1'),
    key: 'k',
  });
});

test('the command reports a mistake in its options and fails', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, '--count', 'ten'], {
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: '--count must be a whole number of at least 1, not "ten".\n',
  });
});
