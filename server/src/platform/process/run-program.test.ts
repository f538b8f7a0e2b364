import { spawn } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { makeFolder, until } from '../../../test/processes.ts';
import { WAIT_TIMEOUT_MS } from '../../../test/wait-timeout.ts';
import { type Program, runProgram } from './run-program.ts';

const MEGABYTE = 1024 * 1024;
const DEFAULTS = { cwd: tmpdir(), env: { PATH: '/usr/bin:/bin' }, timeoutMs: WAIT_TIMEOUT_MS };

const run = (program: Partial<Program>) => runProgram({ command: 'sh', ...DEFAULTS, ...program });
const shell = (script: string, program: Partial<Program> = {}) =>
  run({ ...program, args: ['-c', script, 'sh', ...(program.args ?? [])] });
const node = (script: string, program: Partial<Program> = {}) =>
  run({ ...program, command: process.execPath, args: ['-e', script] });

/** A zombie that init has not reaped yet is not running. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

async function pidIn(file: string): Promise<number> {
  const read = () => {
    try {
      return Number(readFileSync(file, 'utf8').trim()) || undefined;
    } catch {
      return undefined;
    }
  };
  return until('a pid is written', read);
}

test('runProgram returns how the program ended and its output', async () => {
  const result = await shell('echo out; echo err >&2; exit 3');
  expect(result).toEqual({
    exitCode: 3,
    signal: null,
    stdout: 'out\n',
    stderr: 'err\n',
    truncated: false,
    timedOut: false,
    duration_ms: expect.any(Number),
  });
  expect(await shell('kill -9 $$')).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: false });
});

describe('the input of a program', () => {
  test('contains its arguments unchanged', async () => {
    const args = ['', 'a b', '$HOME', '"', '-c', '--', 'ä\n'];
    const script = 'for arg; do printf "[%s]" "$arg"; done';
    for (const memoryBytes of [undefined, 64 * MEGABYTE]) {
      const result = await shell(script, { args, ...(memoryBytes && { memoryBytes }) });
      expect(result.stdout).toBe('[][a b][$HOME]["][-c][--][ä\n]');
    }
  });

  test('contains its stdin, empty by default', async () => {
    const stdin = 'ä'.repeat(MEGABYTE);
    const result = await run({ command: 'cat', stdin, maxOutputBytes: 4 * MEGABYTE });
    expect(result.stdout === stdin).toBe(true);
    expect(await run({ command: 'cat' })).toMatchObject({ exitCode: 0, stdout: '' });
  });

  test('contains its environment, and none of our variables', async () => {
    const result = await run({ command: '/usr/bin/env', env: { ONLY: 'this' } });
    expect(result.stdout).toBe('ONLY=this\n');
    expect((await run({ command: '/usr/bin/env', env: {} })).stdout).toBe('');
  });

  test('contains its working folder', async () => {
    const cwd = makeFolder();
    expect((await shell('pwd', { cwd })).stdout).toBe(`${cwd}\n`);
  });

  test('may be closed early by the program without a failure', async () => {
    const stdin = 'x'.repeat(16 * MEGABYTE);
    expect(await shell('exec 0<&-; sleep 0.1; echo done', { stdin })).toMatchObject({
      exitCode: 0,
      stdout: 'done\n',
    });
    expect(await run({ command: 'true', stdin })).toMatchObject({ exitCode: 0 });
  });
});

describe('the memory limit of a program', () => {
  const limit = 256 * MEGABYTE;

  test('stops a native program from allocating more', async () => {
    const script = 'print length("x" x ($ARGV[0] * 1048576)), "\\n"';
    const allocate = (megabytes: number) =>
      run({ command: 'perl', args: ['-e', script, String(megabytes)], memoryBytes: limit });
    expect(await allocate(100)).toMatchObject({ exitCode: 0, stdout: `${100 * MEGABYTE}\n` });
    const refused = await allocate(300);
    expect(refused.exitCode).not.toBe(0);
    expect(refused.stderr).toMatch(/Out of memory/);
  });

  test('stops a Node program, with an allowance for what V8 reserves', async () => {
    const script =
      'const kept = []; for (let i = 0; i < 2000; i++) kept.push(Buffer.alloc(1048576, 1)); console.log("all")';
    const memoryBytes = limit + 600 * MEGABYTE;
    expect(await node('console.log("runs")', { memoryBytes })).toMatchObject({ stdout: 'runs\n' });
    const refused = await node(script, { memoryBytes });
    expect(refused.stdout).toBe('');
    expect(refused.exitCode).not.toBe(0);
  });

  test('applies to its child processes too', async () => {
    const script = `perl -e 'print length("x" x (300 * 1048576))'; echo "ended with $?"`;
    expect((await shell(script, { memoryBytes: limit })).stdout).toMatch(/^ended with [^0]/);
  });
});

describe('the time limit of a program', () => {
  test('ends a program that takes too long', async () => {
    const result = await run({ command: 'sleep', args: ['600'], timeoutMs: 100 });
    expect(result).toMatchObject({ exitCode: null, signal: 'SIGTERM', timedOut: true });
  });

  test('kills a program that ignores SIGTERM after a short grace period and keeps its output', async () => {
    const script = 'trap "" TERM; echo started; while :; do sleep 0.1; done';
    const result = await shell(script, { timeoutMs: 2_000 });
    expect(result).toMatchObject({ signal: 'SIGKILL', timedOut: true, stdout: 'started\n' });
    expect(result.duration_ms).toBeGreaterThanOrEqual(2_490);
  });

  test('keeps the exit code of a program that ends by itself within the grace period', async () => {
    const script = 'trap "echo tidied; exit 0" TERM; sleep 600 & wait';
    expect(await shell(script, { timeoutMs: 2_000 })).toMatchObject({
      exitCode: 0,
      stdout: 'tidied\n',
      timedOut: true,
    });
  });
});

describe('the process group of a program', () => {
  test('ends with it, including processes that hold its output open', async () => {
    const file = join(makeFolder(), 'pid');
    const result = await shell('sleep 600 & echo $! > "$1"; echo done', { args: [file] });
    expect(result).toMatchObject({ exitCode: 0, stdout: 'done\n' });
    const pid = await pidIn(file);
    await until('the grandchild has ended', () => !isRunning(pid));
  });

  test('ends at a timeout with all grandchildren, including those that ignore signals', async () => {
    const file = join(makeFolder(), 'pid');
    const deaf = `sh -c 'trap "" TERM; echo $$ > "$1"; while :; do sleep 0.1; done' sh "$1" & wait`;
    expect(await shell(deaf, { args: [file], timeoutMs: 2_000 })).toMatchObject({ timedOut: true });
    const pid = await pidIn(file);
    await until('the grandchild has ended', () => !isRunning(pid));
  });

  test('does not include processes that left it, which are not waited for', async () => {
    const file = join(makeFolder(), 'pid');
    const script = `setsid sh -c 'echo $$ > "$1"; exec sleep 600' sh "$1" &
      until [ -s "$1" ]; do sleep 0.02; done; echo done`;
    expect(await shell(script, { args: [file] })).toMatchObject({ exitCode: 0, stdout: 'done\n' });
    process.kill(await pidIn(file), 'SIGKILL');
  });

  test('is killed with the process that runs it', async () => {
    const file = join(makeFolder(), 'pid');
    const script = `import { runProgram } from ${JSON.stringify(join(import.meta.dirname, 'run-program.ts'))};
      await runProgram({ command: '/bin/sh', args: ['-c', 'echo $$ > ${file}; exec sleep 600'],
        cwd: '/', env: { PATH: '/usr/bin:/bin' }, timeoutMs: 600_000 });`;
    const server = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
    const pid = await pidIn(file);
    expect(isRunning(pid)).toBe(true);
    server.kill('SIGKILL');
    await until('the program has ended', () => !isRunning(pid));
  });
});

describe('the output of a program', () => {
  test('is cut at the limit of each stream, and the program still finishes', async () => {
    const script = 'printf 0123456789; printf abc >&2; sleep 0.1; printf more; exit 4';
    expect(await shell(script, { maxOutputBytes: 5 })).toMatchObject({
      exitCode: 4,
      stdout: '01234',
      stderr: 'abc',
      truncated: true,
    });
    expect(await shell('printf 01234', { maxOutputBytes: 5 })).toMatchObject({
      stdout: '01234',
      truncated: false,
    });
  });

  test('takes no memory when it is a flood of 400 MB', async () => {
    const before = process.memoryUsage.rss();
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 5);
    const result = await shell('head -c 400000000 /dev/zero; echo end >&2');
    clearInterval(watch);
    expect(result).toMatchObject({ exitCode: 0, stderr: 'end\n', truncated: true });
    expect(result.stdout).toHaveLength(MEGABYTE);
    // Dropped output stays until it is collected, and that is up to V8.
    expect(most - before).toBeLessThan(100 * MEGABYTE);
  });

  test('keeps a character that arrives in two chunks, and drops one cut at the limit', async () => {
    const script = "printf '\\360\\237'; sleep 0.2; printf '\\232\\242'";
    expect((await shell(script)).stdout).toBe('🚢');
    expect(await run({ command: 'printf', args: ['a🚢🚢'], maxOutputBytes: 7 })).toMatchObject({
      stdout: 'a🚢',
      truncated: true,
    });
  });

  test('shows invalid UTF-8 as replacement characters', async () => {
    expect((await run({ command: 'printf', args: ['a\\377b'] })).stdout).toBe('a\ufffdb');
  });
});

describe('abort of a program', () => {
  test('ends the program and rejects with the reason after all its processes have ended', async () => {
    const file = join(makeFolder(), 'pid');
    const controller = new AbortController();
    const running = shell('echo $$ > "$1"; trap "" TERM; sleep 600', {
      args: [file],
      signal: controller.signal,
    });
    const pid = await pidIn(file);
    const reason = new Error('the caller left');
    controller.abort(reason);
    await expect(running).rejects.toBe(reason);
    expect(isRunning(pid)).toBe(false);
  });

  test('starts nothing when it comes before the start', async () => {
    const file = join(makeFolder(), 'pid');
    const signal = AbortSignal.abort(new Error('never mind'));
    await expect(shell('echo $$ > "$1"', { args: [file], signal })).rejects.toThrow('never mind');
    await sleep(50);
    expect(() => readFileSync(file)).toThrow('ENOENT');
  });

  test('changes nothing after the end', async () => {
    const controller = new AbortController();
    const result = await run({ command: 'true', signal: controller.signal });
    controller.abort();
    expect(result.exitCode).toBe(0);
  });
});

test.each<[string, Partial<Program>]>([
  ['a name that is in no folder of its PATH', { command: 'no-such-program' }],
  ['a name without a PATH', { command: 'sh', env: {} }],
  ['a path to nothing', { command: '/no/such/program' }],
  ['a file that cannot be executed', { command: '/etc/passwd' }],
  ['a folder', { command: '/usr' }],
  ['a folder to run in that does not exist', { command: 'true', cwd: '/no/such/folder' }],
])('%s is a mistake of the caller', async (_what, program) => {
  for (const memoryBytes of [undefined, 64 * MEGABYTE]) {
    await expect(run({ ...program, ...(memoryBytes && { memoryBytes }) })).rejects.toMatchObject({
      type: 'configuration_error',
    });
  }
});

test('200 runs leave no file open, no listener and no child', async () => {
  const open = () => readdirSync('/proc/self/fd').length;
  const children = () => readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim();
  const { signal } = new AbortController();
  const runSome = async (count: number) => {
    const runs = Array.from({ length: count }, (_, index) =>
      index % 4 === 0
        ? run({ command: 'sleep', args: ['600'], timeoutMs: 20, signal })
        : shell('cat >/dev/null & echo x', { stdin: 'y', signal }),
    );
    await Promise.all(runs);
  };
  await runSome(8);
  const [openBefore, childrenBefore] = [open(), children()];
  for (let done = 0; done < 200; done += 20) await runSome(20);
  expect(open()).toBeLessThanOrEqual(openBefore);
  expect(children()).toBe(childrenBefore);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
