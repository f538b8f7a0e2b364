/** The filter of both architectures: every call is run through an interpreter of its bytes, and tried on this kernel. */
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BPF } from './bpf.ts';
import { AUDIT_ARCHITECTURE, compileFilter, VERDICT } from './filter.ts';
import { type Architecture, NEWEST_KNOWN, SYSTEM_CALLS, type SystemCall } from './system-calls.ts';

const ARCHITECTURES: readonly Architecture[] = ['x64', 'arm64'];

interface Call {
  readonly number: number;
  readonly audit: number;
  readonly args?: readonly bigint[];
}

type Answer = 'allow' | 'kill' | number;

/** Emulates the kernel: the machine of `seccomp(2)`, one instruction after the other. */
function interpret(program: Buffer, { number, audit, args = [] }: Call): Answer {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number >>> 0, 0);
  data.writeUInt32LE(audit >>> 0, 4);
  args.forEach((arg, index) => data.writeBigUInt64LE(BigInt.asUintN(64, arg), 16 + 8 * index));
  let register = 0;
  for (let at = 0; at < program.length; at += 8) {
    const k = program.readUInt32LE(at + 4);
    const jump = (holds: boolean) => (at += 8 * program.readUInt8(at + (holds ? 2 : 3)));
    const code = program.readUInt16LE(at);
    if (code === BPF.LD_W_ABS) register = data.readUInt32LE(k);
    else if (code === BPF.ALU_AND_K) register = (register & k) >>> 0;
    else if (code === BPF.JMP_JEQ_K) jump(register === k);
    else if (code === BPF.JMP_JGT_K) jump(register > k);
    else if (code === BPF.JMP_JGE_K) jump(register >= k);
    else if (code === BPF.JMP_JSET_K) jump((register & k) !== 0);
    else if (code === BPF.RET_K) return toAnswer(k);
    else throw new Error(`instruction ${code} is not allowed in a filter`);
  }
  throw new Error('the program ended without a verdict');
}

function toAnswer(verdict: number): Answer {
  if (verdict === VERDICT.allow) return 'allow';
  if (verdict === VERDICT.kill) return 'kill';
  expect(verdict & 0xffff0000).toBe(VERDICT.errno);
  return verdict & 0xffff;
}

const [EPERM, ENOSYS, EPROTONOSUPPORT, EAFNOSUPPORT] = [1, 38, 93, 97];
/** Upper bits that a call taking an `int` ignores; a filter that compared them would be deceived. */
const GARBAGE = 0x12345678_00000000n;

const CASES: readonly (readonly [call: SystemCall, args: readonly bigint[], answer: Answer])[] = [
  ['mount', [], EPERM],
  ['umount2', [], EPERM],
  ['move_mount', [], EPERM],
  ['fsopen', [], EPERM],
  ['pivot_root', [], EPERM],
  ['chroot', [], EPERM],
  ['open_by_handle_at', [], EPERM],
  ['setns', [3n, 0n], EPERM],
  ['setns', [3n, 0x20000n], EPERM],
  ['setns', [3n, 0x40000000n], EPERM],
  ['setns', [3n, 0x10020000n], EPERM],
  ['setns', [3n, 0x10000000n], 'allow'],
  ['ptrace', [], EPERM],
  ['process_vm_readv', [], EPERM],
  ['process_vm_writev', [], EPERM],
  ['pidfd_getfd', [], EPERM],
  ['keyctl', [], EPERM],
  ['add_key', [], EPERM],
  ['request_key', [], EPERM],
  ['bpf', [], EPERM],
  ['perf_event_open', [], EPERM],
  ['userfaultfd', [], EPERM],
  ['io_uring_setup', [], EPERM],
  ['kexec_load', [], EPERM],
  ['init_module', [], EPERM],
  ['finit_module', [], EPERM],
  ['reboot', [], EPERM],
  ['swapon', [], EPERM],
  ['clock_settime', [], EPERM],
  ['settimeofday', [], EPERM],
  ['syslog', [], EPERM],
  ['clone3', [], ENOSYS],
  ['memfd_secret', [], ENOSYS],
  // A thread, a process, a vfork; then each namespace.
  ['clone', [0x3d0f00n], 'allow'],
  ['clone', [0x01200011n], 'allow'],
  ['clone', [0x4111n], 'allow'],
  ['clone', [0x91n], 'allow'],
  ['clone', [0x10000000n], EPERM],
  ['clone', [0x20000n], EPERM],
  ['clone', [0x02000011n], EPERM],
  ['clone', [0x04000011n], EPERM],
  ['clone', [0x08000011n], EPERM],
  ['clone', [0x20000011n], EPERM],
  ['clone', [0x40000011n], EPERM],
  ['clone', [0x1_00000011n], EPERM],
  ['clone', [GARBAGE | 0x10000011n], EPERM],
  ['unshare', [0x400n], 'allow'],
  ['unshare', [0x200n], 'allow'],
  ['unshare', [0x80n], EPERM],
  ['unshare', [0x10000000n], EPERM],
  ['unshare', [0x20000n], EPERM],
  ['unshare', [0x1_00000400n], EPERM],
  ['ioctl', [0n, 0x5413n], 'allow'],
  ['ioctl', [0n, 0x5401n], 'allow'],
  ['ioctl', [0n, 0x5412n], EPERM],
  ['ioctl', [0n, 0x541cn], EPERM],
  ['ioctl', [0n, 0x5423n], EPERM],
  ['ioctl', [0n, GARBAGE | 0x5412n], EPERM],
  ['ioctl', [0x5412n, 0x5413n], 'allow'],
  ['personality', [0n], 'allow'],
  ['personality', [0xffffffffn], 'allow'],
  ['personality', [0x8n], 'allow'],
  ['personality', [0x0040000n], EPERM],
  ['personality', [GARBAGE | 0x0040000n], EPERM],
  ['socket', [1n, 1n, 0n], 'allow'],
  ['socket', [1n, 0x80002n, 0n], 'allow'],
  ['socket', [2n, 1n, 0n], 'allow'],
  ['socket', [2n, 0x80801n, 6n], 'allow'],
  ['socket', [10n, 2n, 17n], 'allow'],
  ['socket', [10n, 2n, 58n], 'allow'],
  ['socket', [2n, 3n, 1n], EPERM],
  ['socket', [2n, 0x80003n, 255n], EPERM],
  ['socket', [2n, 10n, 768n], EPERM],
  ['socket', [10n, 3n, 58n], EPERM],
  ['socket', [10n, GARBAGE | 3n, 58n], EPERM],
  ['socket', [2n, 1n, 132n], EPROTONOSUPPORT],
  ['socket', [2n, 2n, 136n], EPROTONOSUPPORT],
  ['socket', [16n, 3n, 0n], 'allow'],
  ['socket', [16n, 3n, 9n], EPROTONOSUPPORT],
  ['socket', [16n, 3n, 12n], EPROTONOSUPPORT],
  ['socket', [17n, 3n, 768n], EAFNOSUPPORT],
  ['socket', [38n, 5n, 0n], EAFNOSUPPORT],
  ['socket', [40n, 1n, 0n], EAFNOSUPPORT],
  ['socket', [GARBAGE | 17n, 3n, 768n], EAFNOSUPPORT],
  ['socketpair', [1n, 1n, 0n], 'allow'],
  ['socketpair', [30n, 1n, 0n], EAFNOSUPPORT],
];

/** Calls that every program needs. */
const NEEDED = {
  x64: {
    read: 0,
    write: 1,
    mmap: 9,
    connect: 42,
    execve: 59,
    kill: 62,
    futex: 202,
    openat: 257,
    seccomp: 317,
  },
  arm64: { openat: 56, read: 63, write: 64, futex: 98, kill: 129, connect: 203, execve: 221, mmap: 222 },
} as const;

describe.each(ARCHITECTURES)('the seccomp filter of %s', (architecture) => {
  const program = compileFilter(architecture);
  const audit = AUDIT_ARCHITECTURE[architecture];

  test.each(CASES)('%s with %s', (call, args, answer) => {
    const number = SYSTEM_CALLS[call][architecture];
    if (number === null) throw new Error(`${call} does not exist; remove it from the table`);
    expect(interpret(program, { number, audit, args })).toBe(answer);
  });

  test('every call of the table is refused, or decided by its arguments', () => {
    const free = Object.entries(SYSTEM_CALLS)
      .filter(([, numbers]) => numbers[architecture] !== null)
      .filter(([, numbers]) => interpret(program, { number: numbers[architecture] ?? 0, audit }) === 'allow')
      .map(([call]) => call);
    expect(free.toSorted()).toEqual(['clone', 'ioctl', 'personality', 'unshare']);
  });

  test('no other call is refused', () => {
    const known = new Set<number | null>(Object.values(SYSTEM_CALLS).map((numbers) => numbers[architecture]));
    const others = Array.from({ length: NEWEST_KNOWN + 1 }, (_, number) => number).filter(
      (n) => !known.has(n),
    );
    expect(others).toEqual(expect.arrayContaining(Object.values(NEEDED[architecture])));
    expect(others.filter((number) => interpret(program, { number, audit }) !== 'allow')).toEqual([]);
  });

  test('unknown calls do not exist, and other architectures are unavailable', () => {
    expect(interpret(program, { number: NEWEST_KNOWN + 1, audit })).toBe(ENOSYS);
    expect(interpret(program, { number: 547, audit })).toBe(ENOSYS);
    expect(interpret(program, { number: -1, audit })).toBe(ENOSYS);
    expect(interpret(program, { number: 0x40000000, audit })).toBe('kill');
    expect(interpret(program, { number: 0x40000000 + 101, audit })).toBe('kill');
    const others = [0x40000003, 0x40000028, ...Object.values(AUDIT_ARCHITECTURE).filter((a) => a !== audit)];
    for (const other of others) expect(interpret(program, { number: 1, audit: other })).toBe('kill');
  });
});

const HEADERS = {
  x64: '/usr/include/x86_64-linux-gnu/asm/unistd_64.h',
  arm64: '/usr/include/asm-generic/unistd.h',
} as const;

test.each(ARCHITECTURES.filter((architecture) => existsSync(HEADERS[architecture])))(
  "the call numbers of %s match the kernel's headers",
  (architecture) => {
    const header = readFileSync(HEADERS[architecture], 'utf8');
    const official = new Map(
      [...header.matchAll(/^#define __NR_(\w+)\s+(\d+)$/gm)].map(([, name, number]) => [
        name,
        Number(number),
      ]),
    );
    expect(official.size).toBeGreaterThan(250);
    const wrong = Object.entries(SYSTEM_CALLS).filter(
      ([call, numbers]) => official.has(call) && official.get(call) !== numbers[architecture],
    );
    expect(wrong).toEqual([]);
  },
);

/** Each line of the program's output is the errno of one call, 0 when it was allowed. */
function tryCalls(calls: readonly string[]): { readonly lines: string[]; readonly signal: string | null } {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-seccomp-'));
  const file = join(folder, 'filter');
  writeFileSync(file, compileFilter(process.arch === 'arm64' ? 'arm64' : 'x64'));
  const fd = openSync(file, 'r');
  try {
    const script = `$|=1; ${calls.map((call) => `$!=0; syscall(${call}); print $!+0, "\\n";`).join(' ')}`;
    const args = ['--dev-bind', '/', '/', '--seccomp', '3', '--', 'perl', '-e', script];
    const { stdout, status } = spawnSync('bwrap', args, { stdio: ['ignore', 'pipe', 'inherit', fd] });
    return {
      lines: stdout.toString().split('\n').filter(Boolean),
      signal: status === 128 + 31 ? 'SIGSYS' : null,
    };
  } finally {
    closeSync(fd);
    rmSync(folder, { recursive: true });
  }
}

const canTry =
  spawnSync('bwrap', ['--dev-bind', '/', '/', 'perl', '-e', '1']).status === 0 &&
  (process.arch === 'x64' || process.arch === 'arm64');

describe.runIf(canTry)('the seccomp filter on this kernel', () => {
  const number = (call: SystemCall) => SYSTEM_CALLS[call][process.arch === 'arm64' ? 'arm64' : 'x64'];

  test('gives the same results as in the interpreter', () => {
    const { lines } = tryCalls([
      `${number('unshare')}, 0x10000000`,
      `${number('clone3')}, 0, 0`,
      `${number('socket')}, 17, 3, 768`,
      `${number('socket')}, 2, 3, 1`,
      `${number('socket')}, 1, 1, 0`,
      `${number('ioctl')}, 0, 0x5412 | (1 << 32), 0`,
      `${number('personality')}, 0x0040000`,
      `${number('keyctl')}, 0, 0, 0`,
      '600',
    ]);
    expect(lines).toEqual([EPERM, ENOSYS, EAFNOSUPPORT, EPERM, 0, EPERM, EPERM, EPERM, ENOSYS].map(String));
  });

  test.runIf(process.arch === 'x64')('kills a process that makes a call of the x32 interface', () => {
    expect(tryCalls([`${0x40000000 + 39}`, '39'])).toEqual({ lines: [], signal: 'SIGSYS' });
  });
});
