import { closeSync, openSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { makeFolder } from '../../../test/processes.ts';
import { WAIT_TIMEOUT_MS } from '../../../test/wait-timeout.ts';
import { keepOutput } from './kept-output.ts';
import { readLine } from './read-line.ts';
import { runProgram } from './run-program.ts';
import { startProgram } from './start-program.ts';

const SHELL = { command: 'sh', cwd: tmpdir(), env: { PATH: '/usr/bin:/bin' }, timeoutMs: WAIT_TIMEOUT_MS };

test('a running program can be written to and read from', async () => {
  const script = 'while read -r line; do echo "heard $line"; done; echo end';
  const { stdin, stdout, stderr, ended } = await startProgram({ ...SHELL, args: ['-c', script] });
  const errors = keepOutput(stderr, 1000);
  for (const word of ['one', 'two']) {
    stdin.write(`${word}\n`);
    expect(await readLine(stdout, 1000)).toBe(`heard ${word}`);
  }
  const rest = keepOutput(stdout, 1000);
  stdin.end();
  expect(await ended).toEqual({ exitCode: 0, signal: null, timedOut: false, aborted: false });
  expect([rest.text(), errors.text()]).toEqual(['end\n', '']);
});

test('a signal ends the program and is reported', async () => {
  const leaving = new AbortController();
  const { stdout, stderr, ended } = await startProgram({
    ...SHELL,
    args: ['-c', 'echo runs; sleep 600'],
    signal: leaving.signal,
  });
  keepOutput(stderr, 1000);
  expect(await readLine(stdout, 1000)).toBe('runs');
  const line = readLine(stdout, 1000);
  leaving.abort();
  expect(await line).toBeUndefined();
  expect(await ended).toMatchObject({ aborted: true, timedOut: false });
});

test('the program has the given open files and no others', async () => {
  const path = join(makeFolder(), 'given');
  writeFileSync(path, 'given');
  const file = openSync(path, 'r');
  const script = 'cat <&3; { true <&4; } 2>/dev/null || echo " and no more"';
  const result = await runProgram({ ...SHELL, args: ['-c', script], files: [file] });
  closeSync(file);
  expect(result.stdout).toBe('given and no more\n');
});

test('a niced program has a lower priority than all others', async () => {
  const script = 'nice; ionice 2>/dev/null || echo idle';
  for (const memoryBytes of [undefined, 2 ** 28]) {
    const program = { ...SHELL, args: ['-c', script], isNiced: true, ...(memoryBytes && { memoryBytes }) };
    expect((await runProgram(program)).stdout).toMatch(/^19\nidle/);
  }
  expect((await runProgram({ ...SHELL, args: ['-c', 'nice'] })).stdout).toBe('0\n');
});

test('the session of a niced program has a lower priority, where time is distributed among sessions', async () => {
  // Runs in a session of its own: the session of these tests may be in no autogroup.
  const plain = await runProgram({ ...SHELL, args: ['-c', 'cat /proc/self/autogroup 2>/dev/null; true'] });
  const isThere = plain.stdout !== '';
  const script = `
    for n in 1 2 3 4 5 6 7 8 9 10; do grep -q 'nice 10' /proc/self/autogroup && break; sleep 0.2; done 2>/dev/null
    cat /proc/self/autogroup 2>/dev/null`;
  const { stdout } = await runProgram({ ...SHELL, args: ['-c', script], isNiced: true });
  expect(stdout).toMatch(isThere ? /nice 10$/m : /^$/);
});

test('readLine joins chunks of a line, leaves the following bytes, and ignores an unterminated line', async () => {
  const stream = new PassThrough();
  const first = readLine(stream, 1000);
  for (const piece of ['a', 'b\ncd', '\n\nrest']) stream.write(piece);
  expect(await first).toBe('ab');
  expect(await readLine(stream, 1000)).toBe('cd');
  expect(await readLine(stream, 1000)).toBe('');
  stream.end();
  expect(await readLine(stream, 1000)).toBeUndefined();
  const long = new PassThrough();
  long.write('x'.repeat(100));
  expect(await readLine(long, 50)).toBeUndefined();
});

test('readLine returns undefined for a program that ended before it wrote a line', async () => {
  const { stdin, stdout, stderr, ended } = await startProgram({
    ...SHELL,
    args: ['-c', 'echo first; read go'],
  });
  keepOutput(stderr, 1000);
  expect(await readLine(stdout, 1000)).toBe('first');
  stdin.end();
  await ended;
  expect(await readLine(stdout, 1000)).toBeUndefined();
});

test('readLine returns the buffered line of an ended stream, and then undefined', async () => {
  const held = new PassThrough();
  held.end('last\n');
  expect(await readLine(held, 1000)).toBe('last');
  expect(await readLine(held, 1000)).toBeUndefined();
  expect(await readLine(held, 1000)).toBeUndefined();
  const destroyed = new PassThrough().destroy();
  expect(await readLine(destroyed, 1000)).toBeUndefined();
});
