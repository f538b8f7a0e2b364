/** Features specific to sandboxes made of namespaces; the common suite of providers tests the rest. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { listNumbers } from '../process-table.ts';
import { ProviderInTest } from './provider-in-test.ts';

let host: ProviderInTest;

beforeAll(async () => {
  host = new ProviderInTest();
  await host.start('one');
});

afterAll(async () => {
  await host.close();
});

describe('confinement of a sandbox', () => {
  test('all commands share all namespaces except mounts, and none with the host', async () => {
    const kinds = ['user', 'pid', 'net', 'ipc', 'uts', 'mnt'];
    const script = `for kind in ${kinds.join(' ')}; do readlink /proc/self/ns/$kind; done`;
    const [first, second] = [await host.run('one', script), await host.run('one', script)];
    expect(first.stdout.split('\n').slice(0, 5)).toEqual(second.stdout.split('\n').slice(0, 5));
    for (const [index, kind] of kinds.entries()) {
      expect(first.stdout.split('\n')[index]).not.toBe(readlinkSync(`/proc/self/ns/${kind}`));
    }
  });

  test('commands and process 1 have no capabilities, gain none, and run under the seccomp filter', async () => {
    const { stdout } = await host.run('one', 'cat /proc/self/status /proc/1/status');
    const values = (field: string) =>
      [...stdout.matchAll(new RegExp(`^${field}:\\s*(\\S+)$`, 'gm'))].map((m) => m[1]);
    for (const field of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb']) {
      expect(values(field)).toEqual(['0000000000000000', '0000000000000000']);
    }
    expect(values('NoNewPrivs')).toEqual(['1', '1']);
    expect(values('Seccomp')).toEqual(['2', '2']);
    expect((await host.run('one', 'id -u; id -g; id -G')).stdout).toBe('1000\n1000\n1000\n');
  });

  test('/proc shows only the processes of the sandbox', async () => {
    const { stdout } = await host.run('one', 'cat /proc/[0-9]*/comm');
    expect(stdout).toContain('tini');
    expect(stdout).not.toContain('node');
    expect(stdout.trim().split('\n').length).toBeLessThan(8);
  });

  test('commands and process 1 have no open files of the server', async () => {
    const { stdout } = await host.run(
      'one',
      'exec 2>/dev/null; for f in /proc/1/fd/* /proc/$$/fd/*; do readlink $f; done',
    );
    const others = stdout
      .trim()
      .split('\n')
      .filter((name) => name !== '/dev/null');
    // Standard input and output.
    expect(others.map((name) => name.replace(/.*\/pipes\/[^ ]+/, 'pipe').replace(/\[\d+\]/, ''))).toEqual([
      'socket:',
      'pipe (deleted)',
    ]);
  });

  test('a command can open its output by name', async () => {
    const ran = await host.run(
      'one',
      'echo out >/dev/stdout; echo err >/dev/stderr; echo more >/proc/self/fd/1',
    );
    expect(ran).toEqual({ code: 0, stdout: 'out\nmore\n', stderr: 'err\n' });
  });

  test('the environment of a command is invisible to outside processes, also as arguments', async () => {
    const environment = { LD_PRELOAD: '/workspace/evil.so', SECRET_TOKEN: 'tell-nobody-4711' };
    const running = await host.exec('one', 'sleep 600', { environment });
    const outside = listNumbers().filter(
      (pid) => holds(pid, 'cmdline', 'tell-nobody') || holds(pid, 'environ', 'LD_PRELOAD'),
    );
    expect(
      outside.filter((pid) => readlinkSync(`/proc/${pid}/ns/pid`) === readlinkSync('/proc/self/ns/pid')),
    ).toEqual([]);
    expect(outside.length).toBeGreaterThan(0); // the command itself
    running.kill();
    await running.exit;
  });

  test('the root is read-only, writable folders are writable, and programs find their files', async () => {
    expect((await host.run('one', 'touch /x')).stderr).toContain('Read-only');
    expect((await host.run('one', 'touch /usr/x')).stderr).toContain('Read-only');
    expect((await host.run('one', 'touch /etc/x')).stderr).toContain('Read-only');
    const writable =
      '/workspace /home/user /usr/local/bin /usr/local/lib /opt /var/lib /var/tmp /tmp /run /dev/shm';
    expect(await host.run('one', `for f in ${writable}; do touch $f/it || echo $f; done`)).toMatchObject({
      stdout: '',
    });
    expect(
      (await host.run('one', 'ls /etc/alternatives | wc -l; getent hosts localhost; hostname')).stdout,
    ).toMatch(/^[1-9]\d*\n.*localhost\nbox\n$/);
  });
});

const holds = (pid: number, file: string, text: string) => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(text);
  } catch {
    return false;
  }
};

describe('exec in a sandbox', () => {
  test.each([
    [['sh', '-c', 'exit 7'], 7],
    [['no-such-program'], 127],
    [['/workspace/no-such-file'], 127],
    [['/etc/passwd'], 126],
    [['sh', '-c', 'kill -9 $$'], 137],
    [['sh', '-c', 'kill -TERM $$'], 143],
  ] as const)('ends the command %j with exit code %i', async (argv, code) => {
    const [program, ...args] = argv;
    expect(await host.run('one', '', { argv: [program, ...args] })).toMatchObject({ code });
  });

  test('refuses a missing folder', async () => {
    await expect(host.run('one', 'true', { cwd: '/nowhere' })).rejects.toMatchObject({
      type: 'validation_error',
      message: expect.stringContaining('/nowhere'),
    });
  });

  test.each([
    ['a NUL in an argument', { argv: ['echo', 'a\0b'] as const }],
    ['an argument that is too long', { argv: ['echo', 'x'.repeat(200_000)] as const }],
    ['a NUL in a value', { environment: { A: 'x\0--bind\0/\0/mnt' } }],
    ['an equals sign in a name', { environment: { 'A=B': 'x' } }],
  ])('refuses %s', async (_, command) => {
    await expect(host.run('one', 'true', command)).rejects.toMatchObject({ type: 'validation_error' });
  });

  test('passes a large environment completely, and treats bwrap options in it as values', async () => {
    const environment = { BIG: 'x'.repeat(120_000), TRICK: '--bind', ' odd name': 'y' };
    const { stdout } = await host.run('one', 'echo ${#BIG} $TRICK', { environment });
    expect(stdout).toBe('120000 --bind\n');
  });

  test('passes bytes through unchanged, and ends the input', async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7) % 256));
    const execution = await host.exec('one', '', { argv: ['cat'] });
    execution.stdin.end(bytes);
    expect(Buffer.concat(await execution.stdout.toArray()).equals(bytes)).toBe(true);
  });

  test('applies backpressure to output that is not read', async () => {
    const execution = await host.exec('one', 'head -c 1000000000 /dev/zero; echo done >&2');
    const before = process.memoryUsage().rss;
    await setTimeout(300);
    expect(process.memoryUsage().rss - before).toBeLessThan(32 * 1024 ** 2);
    let bytes = 0;
    for await (const chunk of execution.stdout) bytes += (chunk as Buffer).length;
    expect(bytes).toBe(1_000_000_000);
    expect(await execution.exit).toEqual({ code: 0 });
  });

  test('leaves background processes running, which may continue to write', async () => {
    const script =
      '(until [ -e /workspace/go ]; do sleep 0.1; echo line; done; touch /workspace/survived) & echo begun';
    expect(await host.run('one', script)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^begun\n/),
    });
    await host.run('one', 'touch /workspace/go');
    await vi.waitFor(async () =>
      expect(await host.run('one', 'ls /workspace/survived')).toMatchObject({ code: 0 }),
    );
  });

  test('refuses concurrent commands over the limit, and accepts new ones when others end', async () => {
    // Each command uses several processes while it begins, which would exceed the usual process limit.
    await host.start('crowd', { limits: { pids: 4_096 } });
    const asked = Array.from({ length: 260 }, () => host.exec('crowd', 'sleep 600'));
    const outcomes = await Promise.allSettled(asked);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBe(4);
    expect(refused[0]).toMatchObject({ reason: { type: 'conflict_error' } });
    const [one] = outcomes;
    if (one?.status !== 'fulfilled') throw new Error('the first was refused');
    one.value.kill();
    await one.value.exit;
    expect((await host.run('crowd', 'echo here')).stdout).toBe('here\n');
    await host.provider.kill('crowd');
  });

  test('keeps few files open for many background processes', async () => {
    const countFiles = () => readdirSync('/proc/self/fd').length;
    await host.start('box');
    const before = countFiles();
    for (let n = 0; n < 10; n += 1) {
      await Promise.all(Array.from({ length: 10 }, () => host.run('box', 'sleep 600 & exit 0')));
    }
    expect((await host.run('box', 'pgrep -c sleep')).stdout).toBe('101\n');
    expect(countFiles() - before).toBeLessThan(160);
    await host.provider.kill('box');
    expect(countFiles()).toBeLessThanOrEqual(before);
  });

  test('ends although a background process writes forever', async () => {
    expect(await host.run('one', 'yes & echo begun >&2')).toMatchObject({ code: 0, stderr: 'begun\n' });
    await host.run('one', 'kill $(pidof yes)');
  });

  // The output ends 100 ms after the last part of it. Retries discard attempts during which the machine was busy for that long.
  test('includes the output that a helper writes a moment later', { retry: 4 }, async () => {
    const { stdout } = await host.run('one', '(sleep 0.05; echo late) & echo early');
    expect(stdout).toBe('early\nlate\n');
  });

  test("kill ends the processes of the command's session, not others", async () => {
    const script = 'sleep 711 & (sleep 712 & sleep 713) & setsid sleep 714 & wait';
    const listSleeps = async () => {
      const each = 'for file in /proc/[0-9]*/cmdline; do tr "\\0" " " < $file; echo; done';
      const { stdout } = await host.run('one', each);
      return stdout.match(/^sleep 71\d(?= $)/gm)?.toSorted();
    };
    const execution = await host.exec('one', script);
    // A busy machine takes a while until all of them run, the last in a session of its own.
    await expect.poll(listSleeps).toEqual(['sleep 711', 'sleep 712', 'sleep 713', 'sleep 714']);
    execution.kill();
    expect(await execution.exit).toEqual({ code: 137 });
    expect(await listSleeps()).toEqual(['sleep 714']);
  });

  test('process 1 reaps orphans', async () => {
    // Includes zombies.
    const count = async () => (await host.run('one', 'cat /proc/[0-9]*/stat | grep -c "(sleep)"')).stdout;
    const before = await count();
    await host.run('one', 'for i in 1 2 3 4 5; do (sleep 0.05 &) ; done');
    await expect.poll(count, { interval: 100 }).toBe(before);
  });
});

describe('a sandbox at its process limit', () => {
  beforeAll(async () => {
    await host.start('full', { limits: { pids: 24 } });
  });

  afterAll(async () => {
    await host.provider.kill('full');
  });

  test('cannot create more processes', async () => {
    const { stderr } = await host.run('full', 'for i in $(seq 100); do (sleep 300 &) ; done');
    expect(stderr).toContain('fork');
    const { processes } = await host.provider.stats('full');
    expect(processes).toBeLessThanOrEqual(24);
  });

  /** The processes that bring a command in are only counted by control groups. */
  test.runIf(process.getuid?.() === 0)('refuses more commands with an explanation', async () => {
    const fill = async () => {
      for (let count = 0; count < 24; count += 1) await host.exec('full', 'exec sleep 300');
    };
    await expect(fill()).rejects.toMatchObject({ type: 'conflict_error' });
  });
});

describe('the end of a sandbox', () => {
  test.each([['kill -9 -1'], ['kill -TERM 1']])('caused by %s is reported', async (script) => {
    await host.start('victim');
    const before = Date.now();
    // Process 1 accepts commands a moment before it has its child, and ignores signals until then.
    const whenItRuns = `until pidof sleep > /dev/null; do :; done; ${script}; sleep 5`;
    await host.run('victim', whenItRuns).catch(() => undefined);
    await vi.waitFor(() => expect(host.ended.map(({ id }) => id)).toContain('victim'));
    const endedAt = host.ended.pop()?.at.getTime() ?? 0;
    // File times may lag by up to 10 ms.
    expect(endedAt).toBeGreaterThan(before - 50);
    expect(endedAt).toBeLessThanOrEqual(Date.now());
    await vi.waitFor(async () => expect(await host.provider.list()).toEqual(['one']));
    await expect(host.run('victim', 'true')).rejects.toMatchObject({ type: 'conflict_error' });
  });

  test('kill leaves no process, control group, mount or file', async () => {
    await host.start('killed');
    const { stdout } = await host.run('killed', 'readlink /proc/self/ns/pid; (setsid sleep 600 &)');
    await host.provider.kill('killed');
    expect(listNumbers().filter((pid) => readNamespace(pid) === stdout.trim())).toEqual([]);
    expect(host.listProcesses().filter((pid) => holds(pid, 'cmdline', '/ends/killed'))).toEqual([]);
    expect(await host.provider.list()).toEqual(['one']);
    expect(readdirSync(join(host.folder, 'sandboxes/run'))).toEqual(['one']);
    expect(readdirSync(join(host.folder, 'sandboxes/ends'))).toEqual([]);
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(host.folder);
    await host.provider.kill('killed');
    expect(host.ended).toEqual([]); // the killer needs no notification
  });

  test('start refuses a limit that cannot be enforced, and leaves only the disk when it fails', async () => {
    await expect(host.start('bad', { hostname: 'x'.repeat(100) })).rejects.toMatchObject({
      type: 'sandbox_provider_error',
    });
    expect(await host.provider.list()).toEqual(['one']);
    await expect(host.start('one')).rejects.toMatchObject({ type: 'conflict_error' });
    expect(await host.run('one', 'true')).toMatchObject({ code: 0 });
  });
});

function readNamespace(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined;
  }
}

test('a command cannot see where the host keeps the control groups of sandboxes', async () => {
  const { stdout } = await host.run('one', 'cat /proc/self/cgroup /proc/1/cgroup');
  expect(stdout).toContain(':/\n');
  expect(stdout).not.toContain('drydock');
});
