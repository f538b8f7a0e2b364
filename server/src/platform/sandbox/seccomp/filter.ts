/**
 * System calls that a sandbox may make, as a program for the kernel. Calls are allowed unless refused: refused are those that Docker
 * refuses to a container without capabilities, and those that would create a namespace, in which a process has capabilities again and
 * reaches far more of the kernel. The namespaces and the missing capabilities stop most of it as well; the filter makes bugs in those calls
 * unreachable.
 */
import {
  answer,
  assemble,
  type Instruction,
  ifAbove,
  ifAnyBit,
  ifAtLeast,
  ifEqual,
  ifNotEqual,
  loadArchitecture,
  loadHigh,
  loadLow,
  loadNumber,
  mask,
} from './bpf.ts';
import { type Architecture, NEWEST_KNOWN, SYSTEM_CALLS, type SystemCall } from './system-calls.ts';

/** `AUDIT_ARCH_*`: the architecture that the kernel reports for a call. A 32-bit call has other numbers, and another architecture. */
export const AUDIT_ARCHITECTURE = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;

/** Set in the call numbers of the x32 interface, which reports the same architecture as x86_64. */
const X32_BIT = 0x40000000;
/** Number of a call that a tracer has cancelled. */
const NO_CALL = 0xffffffff;

export const ERRNO = { EPERM: 1, ENOSYS: 38, EPROTONOSUPPORT: 93, EAFNOSUPPORT: 97 } as const;

export const VERDICT = { allow: 0x7fff0000, kill: 0x80000000, errno: 0x00050000 } as const;

const allow = answer(VERDICT.allow);
const kill = answer(VERDICT.kill);
const refuse = (errno: keyof typeof ERRNO) => answer(VERDICT.errno | ERRNO[errno]);

export const REFUSED: readonly SystemCall[] = [
  // Calls for an administrator of the machine only.
  'acct',
  'bpf',
  'create_module',
  'delete_module',
  'fanotify_init',
  'finit_module',
  'get_kernel_syms',
  'init_module',
  'ioperm',
  'iopl',
  'kexec_file_load',
  'kexec_load',
  'lookup_dcookie',
  'nfsservctl',
  'perf_event_open',
  'query_module',
  'quotactl',
  'quotactl_fd',
  'reboot',
  'swapoff',
  'swapon',
  'sysfs',
  '_sysctl',
  'syslog',
  'uselib',
  'ustat',
  'vhangup',
  // Large interfaces, new or rarely used, that have been used for container escapes more than once.
  'io_uring_enter',
  'io_uring_register',
  'io_uring_setup',
  'modify_ldt',
  'userfaultfd',
  // Mounts; and files by handle, which reach the whole file system behind a mount.
  'chroot',
  'fsconfig',
  'fsmount',
  'fsopen',
  'fspick',
  'listmount',
  'mount',
  'mount_setattr',
  'move_mount',
  'open_by_handle_at',
  'open_tree',
  'pivot_root',
  'statmount',
  'umount2',
  // Access to other processes: all commands of a sandbox have one uid.
  'kcmp',
  'pidfd_getfd',
  'process_madvise',
  'process_vm_readv',
  'process_vm_writev',
  'ptrace',
  // Names and namespaces.
  'setdomainname',
  'sethostname',
  // Keyrings, which belong to no namespace.
  'add_key',
  'keyctl',
  'request_key',
  // The clock, which is shared with the host.
  'adjtimex',
  'clock_adjtime',
  'clock_settime',
  'settimeofday',
  // Placement of memory, which affects the host as well.
  'get_mempolicy',
  'mbind',
  'migrate_pages',
  'move_pages',
  'set_mempolicy',
  'set_mempolicy_home_node',
];

/** Callers take the error for that of an older kernel, and use a fallback. */
export const UNKNOWN: readonly SystemCall[] = [
  // Its flags are in memory, which a filter cannot read; C libraries fall back to `clone`.
  'clone3',
  'memfd_secret',
];

export const CLONE_NEW = {
  TIME: 0x00000080,
  NS: 0x00020000,
  CGROUP: 0x02000000,
  UTS: 0x04000000,
  IPC: 0x08000000,
  USER: 0x10000000,
  PID: 0x20000000,
  NET: 0x40000000,
} as const;
export const ANY_NAMESPACE = Object.values(CLONE_NEW).reduce((bits, flag) => bits | flag, 0);

/** `TIOCSTI` puts a byte into a terminal as if it were typed. `TIOCLINUX` pastes; `TIOCSETD` loads a driver by its number. */
export const TERMINAL_REQUESTS = { TIOCSTI: 0x5412, TIOCLINUX: 0x541c, TIOCSETD: 0x5423 } as const;

/** Linux, its 32-bit name, and both as 2.6; any other weakens address space randomization. The last one queries without a change. */
export const PERSONALITIES = [0, 0x8, 0x20000, 0x20008, 0xffffffff];

export const FAMILY = { UNIX: 1, INET: 2, INET6: 10, NETLINK: 16 } as const;
export const SOCKET = { STREAM: 1, DGRAM: 2, TYPE_MASK: 0xf } as const;
export const PROTOCOL = { DEFAULT: 0, ICMP: 1, TCP: 6, UDP: 17, ICMPV6: 58, NETLINK_ROUTE: 0 } as const;

const oneOf = (values: readonly number[]) => values.flatMap((value) => ifEqual(value, [allow]));

/** Other protocols would make the kernel load a module. A raw socket would need a capability as well. */
const INTERNET_SOCKET = [
  loadLow(1),
  mask(SOCKET.TYPE_MASK),
  ...ifEqual(SOCKET.STREAM, [
    loadLow(2),
    ...oneOf([PROTOCOL.DEFAULT, PROTOCOL.TCP]),
    refuse('EPROTONOSUPPORT'),
  ]),
  ...ifEqual(SOCKET.DGRAM, [
    loadLow(2),
    ...oneOf([PROTOCOL.DEFAULT, PROTOCOL.UDP, PROTOCOL.ICMP, PROTOCOL.ICMPV6]),
    refuse('EPROTONOSUPPORT'),
  ]),
  refuse('EPERM'),
];

const flagsWithout = (bits: number) => [
  loadHigh(0),
  ...ifNotEqual(0, [refuse('EPERM')]),
  loadLow(0),
  ...ifAnyBit(bits, [refuse('EPERM')]),
  allow,
];

/** Calls decided by their arguments; each piece ends with a verdict. */
const BY_ARGUMENTS: Readonly<Partial<Record<SystemCall, readonly Instruction[]>>> = {
  // The lowest byte of the flags of `clone` is a signal.
  clone: flagsWithout(ANY_NAMESPACE & ~0xff),
  unshare: flagsWithout(ANY_NAMESPACE),
  ioctl: [
    loadLow(1),
    ...Object.values(TERMINAL_REQUESTS).flatMap((request) => ifEqual(request, [refuse('EPERM')])),
    allow,
  ],
  // Entering a user namespace requires capabilities over it, which commands do not have; the process that starts commands enters its own
  // namespace this way.
  setns: [loadLow(1), ...oneOf([CLONE_NEW.USER]), refuse('EPERM')],
  personality: [loadLow(0), ...oneOf(PERSONALITIES), refuse('EPERM')],
  socket: [
    loadLow(0),
    ...ifEqual(FAMILY.UNIX, [allow]),
    ...ifEqual(FAMILY.NETLINK, [loadLow(2), ...oneOf([PROTOCOL.NETLINK_ROUTE]), refuse('EPROTONOSUPPORT')]),
    ...ifEqual(FAMILY.INET, INTERNET_SOCKET),
    ...ifEqual(FAMILY.INET6, INTERNET_SOCKET),
    refuse('EAFNOSUPPORT'),
  ],
  socketpair: [loadLow(0), ...oneOf([FAMILY.UNIX]), refuse('EAFNOSUPPORT')],
};

/** Builds the input of `bwrap --seccomp FD`: an array of `struct sock_filter`. */
export function compileFilter(architecture: Architecture): Buffer {
  const on = (call: SystemCall, piece: readonly Instruction[]) => {
    const number = SYSTEM_CALLS[call][architecture];
    return number === null ? [] : ifEqual(number, piece);
  };
  return assemble([
    loadArchitecture,
    ...ifNotEqual(AUDIT_ARCHITECTURE[architecture], [kill]),
    loadNumber,
    ...ifEqual(NO_CALL, [refuse('ENOSYS')]),
    ...ifAtLeast(X32_BIT, [kill]),
    ...ifAbove(NEWEST_KNOWN, [refuse('ENOSYS')]),
    ...Object.entries(BY_ARGUMENTS).flatMap(([call, piece]) => on(call as SystemCall, piece)),
    ...UNKNOWN.flatMap((call) => on(call, [refuse('ENOSYS')])),
    ...REFUSED.flatMap((call) => on(call, [refuse('EPERM')])),
    allow,
  ]);
}
