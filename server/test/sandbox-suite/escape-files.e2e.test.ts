/** Escape through the file system: what a sandbox must not read, write, create or leave behind. */
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cell, expectAlive, openWorld } from './escape-world.ts';

const world = await openWorld();

describe.runIf(world)('the file system of a sandbox', () => {
  let attacker: Cell;
  let neighbour: Cell;
  const marker = randomUUID();
  const outside = mkdtempSync(join(tmpdir(), 'drydock-outside-'));

  beforeAll(async () => {
    if (!world) return;
    attacker = await world.start();
    neighbour = await world.start();
    await neighbour.sh(
      `echo ${marker} > /workspace/private; echo ${marker} > /home/user/private; cp /workspace/private /var/tmp`,
    );
    writeFileSync(join(outside, 'secret'), marker, { mode: 0o644 });
  });
  afterAll(() => rmSync(outside, { recursive: true, force: true }));

  test('does not contain the host’s own files', async () => {
    // A container has empty folders of these names.
    const paths = [
      '/etc/shadow',
      '/root',
      '/boot',
      '/sys',
      '/srv',
      '/mnt',
      '/etc/ssl/private',
      '/etc/ssh',
      outside,
      world?.folder ?? '',
    ];
    const { stdout } = await attacker.sh(
      `for p in ${paths.join(' ')}; do ${world?.isContainer ? 'find "$p" ! -type d' : 'ls -d "$p"'} 2>/dev/null; done; ls /home; true`,
    );
    expect(stdout).toBe('user\n');
  });

  test('does not contain another runtime’s disk under any name', async () => {
    const { stdout } = await attacker.sh(
      `grep -rsl ${marker} /workspace /home /var /opt /tmp /run /dev/shm /etc; cd /workspace/..; ls -d /workspace/../../*/disks ${world?.folder}/sandboxes 2>/dev/null; true`,
    );
    expect(stdout).toBe('');
    expect((await neighbour.sh('cat /workspace/private')).stdout).toBe(`${marker}\n`);
  });

  test('is not left through a process’s root, working folder or open files', async () => {
    const { stdout } = await attacker.sh(
      `for p in /proc/[0-9]*; do ls -d $p/root/${outside} $p/root/etc/shadow $p/cwd/${outside} 2>/dev/null; for f in $p/fd/*; do cat $f/etc/shadow $f/../etc/shadow 2>/dev/null; done; done; true`,
    );
    expect(stdout).toBe('');
  });

  test('does not allow shared files to be written or linked to a writable place', async () => {
    const { stdout } = await attacker.sh(
      `for f in /usr/bin/x /etc/passwd /etc/x /x /dev/x /proc/x /usr/share/x; do (echo x > $f) 2>/dev/null && echo "wrote $f"; done
       ln /usr/bin/env /workspace/linked 2>/dev/null && echo linked
       ln /etc/services /var/tmp/linked 2>/dev/null && echo linked; true`,
    );
    expect(stdout).toBe('');
  });

  test('grants no privileges, neither through existing setuid programs nor through new ones', async () => {
    const { stdout } = await attacker.sh(
      `for f in /workspace /home/user /tmp /var/tmp /usr/local/bin; do cp /usr/bin/id $f/own; chmod 6755 $f/own; $f/own -u; done
       for s in $(find /usr/bin /usr/sbin -perm -4000 2>/dev/null); do case $s in */su|*/sudo|*/mount) $s -c id < /dev/null 2>/dev/null | grep uid=0;; esac; done
       grep -E '^(CapInh|CapPrm|CapEff|CapAmb):' /proc/self/status | grep -v 0000000000000000; grep NoNewPrivs /proc/self/status`,
    );
    expect(stdout).toBe('1000\n1000\n1000\n1000\n1000\nNoNewPrivs:\t1\n');
  });

  test('contains only harmless devices, and no others can be created', async () => {
    const { stdout } = await attacker.sh('stat -c "%F %n" /dev/* | sed -n "s/.* special file //p" | sort');
    expect(stdout.trim().split('\n')).toEqual(
      ['full', 'null', 'random', 'tty', 'urandom', 'zero'].map((name) => `/dev/${name}`),
    );
    for (const made of ['/workspace/memory c 1 1', '/tmp/disk b 254 0', '/dev/shm/kmsg c 1 11']) {
      expect(await attacker.sh(`mknod ${made}`)).toMatchObject({ code: 1 });
    }
  });

  test('does not expose the kernel’s memory, log or settings', async () => {
    const { stdout } = await attacker.sh(
      `for f in /proc/kcore /proc/kmsg /dev/core /proc/sysrq-trigger /proc/kpagecount /proc/vmallocinfo /proc/keys; do [ "$(head -c 1 $f 2>/dev/null | wc -c)" = 0 ] || [ $f = /proc/keys ] || echo "read $f"; done
       for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname /proc/sys/vm/drop_caches /proc/sys/fs/file-max /proc/sys/kernel/modprobe /proc/sys/net/ipv4/ip_forward /proc/sys/user/max_user_namespaces /proc/sysrq-trigger /proc/self/attr/current; do (echo 1 > $f) 2>/dev/null && echo "wrote $f"; done; true`,
    );
    expect(stdout).toBe('');
  });

  test('allows writes in /proc/sys only to the sandbox’s own settings', async () => {
    const shared = () =>
      ['kernel/shmmax', 'kernel/msgmni', 'kernel/pid_max', 'fs/mqueue/queues_max'].map((name) =>
        readFileSync(`/proc/sys/${name}`, 'utf8'),
      );
    const before = shared();
    await attacker.sh(
      'for f in $(find /proc/sys -writable -type f 2>/dev/null); do case $f in */pid_max|*/ns_last_pid) continue;; esac; (echo 7 > $f) 2>/dev/null; done; true',
    );
    expect(shared()).toEqual(before);
    await expectAlive(attacker, neighbour);
  });

  test('does not expose control groups', async () => {
    const { stdout } = await attacker.sh(
      'ls -A /sys/fs/cgroup 2>/dev/null; find / -xdev -name cgroup.procs 2>/dev/null; mkdir -p /tmp/c; mount -t cgroup2 none /tmp/c 2>/dev/null && echo mounted; true',
    );
    expect(stdout).toBe('');
  });

  test('does not allow files to be opened by handle', async () => {
    const number = process.arch === 'arm64' ? 265 : 304;
    const { stdout } = await attacker.perl(
      `my $h = pack("Ii", 8, 1) . pack("II", 2, 0) . "\\0" x 32; open(F, "<", "/workspace"); syscall(${number}, fileno(F), $h, 0); print $!+0`,
    );
    expect(stdout).toBe('1');
  });

  test('keeps no core dump after a crash', async () => {
    const { code } = await attacker.sh('ulimit -c unlimited 2>/dev/null; sh -c "kill -SEGV \\$\\$"');
    expect(code).toBe(139);
    expect((await attacker.sh('find /workspace /tmp /var -name "core*"')).stdout).toBe('');
  });

  test('is removed without following its links, even while they change', async () => {
    if (!world) return;
    const victim = join(outside, 'kept');
    mkdirSync(victim);
    writeFileSync(join(victim, 'file'), 'kept');
    const cell = await world.start();
    await cell.sh(
      `ln -s ${victim} /workspace/link; mkdir -p /workspace/a/b/c /var/deep; ln -s ${victim}/file /workspace/a/file; ln -s / /var/deep/root; mkdir -m 000 /workspace/closed`,
    );
    // The disk's own folders are replaced by links from the host's side too.
    symlinkSync(victim, join(world.workspaceOf(cell.diskId), 'later'));
    // The script keeps replacing folders by links and back until its sandbox is ended.
    const racing = `while :; do mv /workspace/a /workspace/x; ln -s ${victim} /workspace/a; rm /workspace/a; mv /workspace/x /workspace/a; done`;
    void cell.sh(racing).catch(() => undefined);
    await cell.sh('sleep 0.1');
    await world.provider.kill(cell.id);
    await world.provider.removeDisk(cell.diskId);
    expect(existsSync(world.workspaceOf(cell.diskId))).toBe(false);
    expect(readFileSync(join(victim, 'file'), 'utf8')).toBe('kept');
  });
});
