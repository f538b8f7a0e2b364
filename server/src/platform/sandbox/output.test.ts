import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openLocalSandbox } from '../../../test/local-executions.ts';
import { WAIT_TIMEOUT_MS } from '../../../test/wait-timeout.ts';
import { collectOutput, followOutput } from './output.ts';

const sandbox = await openLocalSandbox();

const run = (script: string) =>
  sandbox.exec({ argv: ['bash', '-c', script], cwd: '/workspace', environment: {} });

const timeoutMs = WAIT_TIMEOUT_MS;

describe('collectOutput', () => {
  test('returns both outputs and the exit code', async () => {
    const output = await collectOutput(await run('echo out; echo err >&2; exit 3'), { timeoutMs });
    expect(output).toEqual({
      exit_code: 3,
      stdout: 'out\n',
      stderr: 'err\n',
      truncated: false,
      timed_out: false,
      duration_ms: expect.any(Number),
    });
  });

  test.each([
    ['text', 'grüße\n'],
    ['bytes', new TextEncoder().encode('grüße\n')],
    ['a stream', Readable.from([Buffer.from('grü'), Buffer.from('ße\n')])],
  ])('passes input to the command: %s', async (_, stdin) => {
    const output = await collectOutput(await run('cat'), { timeoutMs, stdin });
    expect(output.stdout).toBe('grüße\n');
  });

  test('does not wait for the input to be read', async () => {
    const stdin = Buffer.alloc(8 * 1024 * 1024);
    expect(await collectOutput(await run('exit 0'), { timeoutMs, stdin })).toMatchObject({ exit_code: 0 });
  });

  test('truncates at the limit, between characters', async () => {
    const output = await collectOutput(await run('for ((n = 0; n < 50; n++)); do printf €; done'), {
      timeoutMs,
      maxBytes: 100,
    });
    expect(output).toMatchObject({ stdout: '€'.repeat(33), truncated: true, exit_code: 0 });
  });

  test('truncates each output at 1 MiB, and not before', async () => {
    const exact = await collectOutput(await run('head -c 1048576 /dev/zero | tr "\\0" a'), { timeoutMs });
    expect(exact.stdout.length).toBe(1_048_576);
    expect(exact.truncated).toBe(false);
    const more = await collectOutput(await run('head -c 1048577 /dev/zero | tr "\\0" a >&2'), { timeoutMs });
    expect(more.stderr.length).toBe(1_048_576);
    expect(more.truncated).toBe(true);
  });

  test('shows bytes that are not UTF-8 as U+FFFD', async () => {
    const output = await collectOutput(await run("printf 'a\\xffb\\xc3'"), { timeoutMs });
    expect(output.stdout).toBe('a\ufffdb\ufffd');
  });

  test('handles a gigabyte without using memory', async () => {
    const execution = await run('head -c 1000000000 /dev/zero; echo done >&2');
    const before = process.memoryUsage();
    let most = 0;
    const watch = setInterval(() => {
      const now = process.memoryUsage();
      most = Math.max(most, now.rss - before.rss);
    }, 20);
    const output = await collectOutput(execution, { timeoutMs });
    clearInterval(watch);
    expect(output).toMatchObject({ exit_code: 0, truncated: true, stderr: 'done\n' });
    expect(most).toBeLessThan(100 * 1024 * 1024);
  });

  test('does not wait for background processes of the command', async () => {
    const output = await collectOutput(await run('echo before; (sleep 600; echo late) & exit 4'), {
      timeoutMs,
    });
    expect(output).toMatchObject({ stdout: 'before\n', exit_code: 4 });
  });

  test('returns all output of a command that ends at once', async () => {
    for (let n = 0; n < 20; n++) {
      const output = await collectOutput(await run('head -c 300000 /dev/zero | tr "\\0" a & wait'), {
        timeoutMs,
      });
      expect(output.stdout.length).toBe(300_000);
    }
  });
});

test('reads everything written, even when this process was busy in between', async () => {
  const execution = await run('echo written; sleep 600 & exit 0');
  const output = collectOutput(execution, { timeoutMs });
  await execution.exit;
  await Promise.resolve();
  const busyUntil = performance.now() + 300;
  while (performance.now() < busyUntil);
  expect((await output).stdout).toBe('written\n');
});

describe('a command in collectOutput', () => {
  test('is ended at its timeout, and its output is returned', async () => {
    const execution = await run('echo begun; sleep 600');
    const output = await collectOutput(execution, { timeoutMs: 2_000 });
    expect(output).toMatchObject({ exit_code: 137, timed_out: true, stdout: 'begun\n' });
    await execution.exit;
  });

  test('is ended when its caller disconnects', async () => {
    const execution = await run('sleep 600');
    const caller = new AbortController();
    const output = collectOutput(execution, { timeoutMs, signal: caller.signal });
    setTimeout(() => caller.abort(new Error('left')), 50);
    await expect(output).rejects.toThrow('left');
    await execution.exit;
  });

  test('is ended when its caller disconnected before', async () => {
    const execution = await run('sleep 600');
    const signal = AbortSignal.abort(new Error('left'));
    await expect(collectOutput(execution, { timeoutMs, signal })).rejects.toThrow('left');
    await execution.exit;
  });

  test('that cannot be ended does not block forever', async () => {
    const execution = { ...(await run('sleep 600')), kill: () => undefined };
    const output = await collectOutput(execution, { timeoutMs: 50 });
    expect(output).toMatchObject({ timed_out: true, exit_code: 137 });
    sandbox.executions.at(-1)?.kill();
  });
});

describe('followOutput', () => {
  test('delivers output as it is written, in whole characters', async () => {
    const received: string[] = [];
    const untilReceived = (count: number) => `until [ -e heard-${count} ]; do sleep 0.02; done`;
    const script = `printf '\\xe2\\x82'; sleep 0.1; printf '\\xac'; ${untilReceived(1)}; echo oh >&2; ${untilReceived(2)}; echo end`;
    const outcome = await followOutput(await run(script), { timeoutMs }, (stream, text) => {
      writeFileSync(join(sandbox.folder, `heard-${received.push(`${stream} ${text}`)}`), '');
    });
    expect(received).toEqual(['stdout €', 'stderr oh\n', 'stdout end\n']);
    expect(outcome).toEqual({
      exit_code: 0,
      truncated: false,
      timed_out: false,
      duration_ms: expect.any(Number),
    });
  });

  test('applies backpressure to the command for a slow listener', async () => {
    let bytes = 0;
    const execution = await run('head -c 3000000 /dev/zero; echo written >&2');
    const outcome = await followOutput(execution, { timeoutMs }, async (stream, text) => {
      if (stream === 'stderr') expect(bytes).toBeGreaterThan(2_000_000);
      else bytes += text.length;
      await wait(2);
    });
    expect(bytes).toBe(3_000_000);
    expect(outcome.truncated).toBe(false);
  });

  test('fails with the error of its listener, and ends the command', async () => {
    const execution = await run('echo one; sleep 600');
    const following = followOutput(execution, { timeoutMs }, () => Promise.reject(new Error('gone')));
    await expect(following).rejects.toThrow('gone');
    await execution.exit;
  });

  test('ends when its caller disconnects, even when the listener is stuck', async () => {
    const caller = new AbortController();
    const execution = await run('echo one');
    const following = followOutput(
      execution,
      { timeoutMs, signal: caller.signal },
      () => new Promise(() => {}),
    );
    setTimeout(() => caller.abort(new Error('left')), 200);
    await expect(following).rejects.toThrow('left');
  });
});
