/** Escape through processes: seeing, reading, ending or impersonating foreign processes. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SYSTEM_CALLS, type SystemCall } from '../../src/platform/sandbox/seccomp/system-calls.ts';
import { until } from '../processes.ts';
import { type Cell, expectAlive, openWorld } from './escape-world.ts';

const world = await openWorld();
const secret = randomUUID();
/** Data of a server: its environment, and a program that it runs. */
const server = spawn('sleep', ['661.5'], { env: { DATABASE_URL: secret }, stdio: 'ignore' });
afterAll(() => void server.kill('SIGKILL'));

const numberOf = (call: SystemCall) => SYSTEM_CALLS[call][process.arch === 'arm64' ? 'arm64' : 'x64'];

describe.runIf(world)('the processes of a sandbox', () => {
  let attacker: Cell;
  let neighbour: Cell;

  beforeAll(async () => {
    if (!world) return;
    attacker = await world.start();
    neighbour = await world.start();
    await neighbour.sh('(exec sleep 662.5) > /dev/null 2>&1 &');
  });

  test('see only themselves in /proc', async () => {
    const { stdout } = await attacker.sh(
      'cat /proc/[0-9]*/cmdline | tr "\\0" " "; cat /proc/1/comm; cat /proc/loadavg > /dev/null',
    );
    expect(stdout).toMatch(/tini|docker-init|podman-init|catatonit/);
    expect(stdout).not.toContain('661.5');
    expect(stdout).not.toContain('662.5');
    expect(stdout).not.toMatch(/vitest|postgres/);
    expect((await attacker.sh(`ls -d /proc/${process.pid} /proc/${server.pid}`)).code).toBe(2);
  });

  test('never see the server’s environment, and a secret only in the environment of its command', async () => {
    const given = randomUUID();
    const { stdout } = await attacker.sh(
      'grep -l "$WANTED" /proc/[0-9]*/cmdline /proc/[0-9]*/comm 2>/dev/null; grep -c "$WANTED" /proc/self/environ; cat /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n"',
      { WANTED: given },
    );
    expect(stdout.split('\n')[0]).toBe('1');
    expect(stdout).not.toContain(secret);
    expect(stdout).not.toMatch(/VITEST|NODE_/);
    // Other users of the host cannot read it either: secrets are not in arguments, which all users can see.
    await attacker.sh('(exec sleep 663.5) > /dev/null 2>&1 &', { WANTED: given });
    const readLines = () =>
      readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map((pid) => {
          try {
            return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
          } catch {
            return '';
          }
        });
    // The shell returns before its background process has become the program.
    await expect.poll(() => readLines().filter((line) => line.includes('663.5')).length).toBeGreaterThan(0);
    expect(readLines().filter((line) => line.includes(given))).toEqual([]);
  });

  test('cannot write into the launcher of commands, and reach no process without the filter', async () => {
    const { stdout } = await attacker.sh(
      `for p in /proc/[0-9]*; do
         (: <> $p/mem) 2>/dev/null || continue
         grep -q '^Seccomp:.2' $p/status || echo "$p is in reach: $(tr '\\0' ' ' < $p/cmdline)"
       done; true`,
    );
    expect(stdout).toBe('');
  });

  test('do not run code of the environment before the sandbox is entered', async () => {
    const cell = attacker;
    const hasCompiler = (await cell.sh('command -v cc')).code === 0;
    const source =
      '__attribute__((constructor)) void f(void) { FILE *o = fopen("/workspace/uids", "a"); fprintf(o, "%d\\n", getuid()); fclose(o); }';
    const includes = '#include <stdio.h>\n#include <unistd.h>';
    if (hasCompiler) {
      await cell.sh(`cat > e.c <<'END'\n${includes}\n${source}\nEND\ncc -shared -fPIC -o e.so e.c`);
    }
    const { stdout } = await cell.sh(
      'echo "$LD_PRELOAD"; sort -u /workspace/uids 2>/dev/null; rm -f /workspace/uids',
      {
        LD_PRELOAD: '/workspace/e.so',
        GCONV_PATH: '/workspace',
      },
    );
    expect(stdout).toBe(hasCompiler ? '/workspace/e.so\n1000\n' : '/workspace/e.so\n');
  });

  test.each([
    ['ptrace', `16, 1, 0, 0`],
    ['process_vm_readv', '1, 0, 0, 0, 0, 0'],
    ['process_vm_writev', '1, 0, 0, 0, 0, 0'],
    ['pidfd_getfd', '3, 0, 0'],
    ['kcmp', '1, 2, 0, 0, 0'],
    ['keyctl', '0, -3, 0'],
    ['add_key', '0, 0, 0, 0, -3'],
    ['bpf', '0, 0, 0'],
    ['perf_event_open', '0, 0, -1, -1, 0'],
    ['userfaultfd', '0'],
    ['io_uring_setup', '1, 0'],
    ['mount', '0, 0, 0, 0, 0'],
    ['umount2', '0, 0'],
    ['pivot_root', '0, 0'],
    ['chroot', '0'],
    ['fsopen', '0, 0'],
    ['unshare', '0x10000000'],
    ['unshare', '0x20000'],
    ['setns', '3, 0'],
    ['clone', '0x10000011, 0, 0, 0, 0'],
    ['reboot', '0xfee1dead, 672274793, 0, 0'],
    ['swapon', '0, 0'],
    ['init_module', '0, 0, 0'],
    ['clock_settime', '0, 0'],
    ['sethostname', '0, 0'],
    ['syslog', '3, 0, 0'],
  ] as const)('are refused %s(%s)', async (call, args) => {
    expect(await attacker.perl(`syscall(${numberOf(call)}, ${args}); print $!+0`)).toMatchObject({
      stdout: '1',
    });
  });

  test('neither create nor enter namespaces', async () => {
    const { stdout } = await attacker.sh(
      `unshare --user true 2>/dev/null && echo made; unshare --mount true 2>/dev/null && echo made
       bwrap --dev-bind / / true 2>/dev/null && echo nested
       for p in /proc/[0-9]*; do for n in user mnt pid net ipc uts; do nsenter --$n=$p/ns/$n true 2>/dev/null && echo "entered $p $n"; done; done
       echo 0 0 1 > /proc/self/uid_map 2>/dev/null && echo mapped; true`,
    );
    expect(stdout).toBe('');
  });

  test('may use clone3 and threads', async () => {
    const { stdout } = await attacker.sh("echo 1 | xargs -P 4 echo; perl -e 'print 2'; (echo 3) | cat");
    expect(stdout).toBe('1\n23\n');
  });

  test('end at most their own sandbox with a signal to all processes', async () => {
    if (!world) return;
    const cell = await world.start();
    await cell
      .sh(`kill -9 ${server.pid} ${process.pid}; kill -9 1; kill -TERM 1; kill -9 -1; true`)
      .catch(() => undefined);
    await until(
      'the sandbox answers or is gone',
      async () =>
        world.ended.includes(cell.id) ||
        (await cell.sh('true').then(
          () => true,
          () => false,
        )),
    );
    expect(existsSync(`/proc/${server.pid}`)).toBe(true);
    expect(server.signalCode).toBeNull();
    await expectAlive(neighbour, attacker);
    expect((await neighbour.sh('pgrep -f "sleep 662.5"')).code).toBe(0);
  });
});
