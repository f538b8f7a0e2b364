/**
 * The filter of `filter.ts` in the format of container engines: the same calls are refused, with the same errors. An engine's profile
 * identifies calls by name only, so calls that it does not name are refused as unknown, including those of later kernels.
 */
import {
  ANY_NAMESPACE,
  CLONE_NEW,
  ERRNO,
  FAMILY,
  PERSONALITIES,
  PROTOCOL,
  REFUSED,
  SOCKET,
  TERMINAL_REQUESTS,
  UNKNOWN,
} from './filter.ts';
import type { Architecture } from './system-calls.ts';

/** Rule for an argument: for `SCMP_CMP_MASKED_EQ` the value is the mask, and the second value the expected result. */
export interface ArgumentRule {
  readonly index: number;
  readonly op: 'SCMP_CMP_EQ' | 'SCMP_CMP_GT' | 'SCMP_CMP_MASKED_EQ';
  readonly value: number;
  readonly valueTwo?: number;
}

export interface CallRule {
  readonly names: readonly string[];
  readonly action: 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO';
  readonly errnoRet?: number;
  readonly args?: readonly ArgumentRule[];
}

export interface EngineProfile {
  readonly defaultAction: 'SCMP_ACT_ERRNO';
  readonly defaultErrnoRet: number;
  readonly architectures: readonly string[];
  readonly syscalls: readonly CallRule[];
}

const ARCHITECTURE_NAME = { x64: 'SCMP_ARCH_X86_64', arm64: 'SCMP_ARCH_AARCH64' } as const;

type Errno = keyof typeof ERRNO;

const allow = (name: string, ...args: ArgumentRule[]): CallRule => ({
  names: [name],
  action: 'SCMP_ACT_ALLOW',
  args,
});
const refuse = (name: string, errno: Errno, ...args: ArgumentRule[]): CallRule => ({
  names: [name],
  action: 'SCMP_ACT_ERRNO',
  errnoRet: ERRNO[errno],
  args,
});
const equal = (index: number, value: number): ArgumentRule => ({ index, op: 'SCMP_CMP_EQ', value });
const above = (index: number, value: number): ArgumentRule => ({ index, op: 'SCMP_CMP_GT', value });
const masked = (index: number, mask: number, value: number): ArgumentRule => ({
  index,
  op: 'SCMP_CMP_MASKED_EQ',
  value: mask >>> 0,
  valueTwo: value >>> 0,
});

export function toEngineProfile(architecture: Architecture): EngineProfile {
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: ERRNO.ENOSYS,
    architectures: [ARCHITECTURE_NAME[architecture]],
    syscalls: [
      { names: ALLOWED_CALLS, action: 'SCMP_ACT_ALLOW' },
      // Commands are not started by entering a namespace under this filter, so `setns` is not needed.
      { names: [...REFUSED, 'setns'], action: 'SCMP_ACT_ERRNO', errnoRet: ERRNO.EPERM },
      { names: UNKNOWN, action: 'SCMP_ACT_ERRNO', errnoRet: ERRNO.ENOSYS },
      ...flagsWithout('clone', ANY_NAMESPACE & ~0xff),
      ...flagsWithout('unshare', ANY_NAMESPACE),
      ...requestsBut(Object.values(TERMINAL_REQUESTS)),
      ...PERSONALITIES.map((value) => allow('personality', equal(0, value))),
      ...SOCKET_RULES,
      allow('socketpair', equal(0, FAMILY.UNIX)),
      refuse('socketpair', 'EAFNOSUPPORT', above(0, FAMILY.UNIX)),
    ],
  };
}

function flagsWithout(name: 'clone' | 'unshare', bits: number): CallRule[] {
  const flags = Object.values(CLONE_NEW).filter((flag) => (flag & bits) !== 0);
  return [
    allow(name, masked(0, bits, 0)),
    ...flags.map((flag) => refuse(name, 'EPERM', masked(0, flag, flag))),
  ];
}

/** The kernel checks the lower 32 bits of a request. */
function requestsBut(refused: readonly number[]): CallRule[] {
  return [
    ...allBut(refused).map(({ mask, value }) => allow('ioctl', masked(1, mask, value))),
    ...refused.map((request) => refuse('ioctl', 'EPERM', masked(1, 0xffffffff, request))),
  ];
}

/**
 * Covers all 32-bit numbers except these with the fewest masks, since a rule can require equality under a mask, but not its opposite. Going
 * down from the highest bit, each branch without excluded numbers becomes one mask.
 */
export function allBut(excluded: readonly number[], bit = 31, prefix = 0): { mask: number; value: number }[] {
  if (bit < 0) return [];
  return [0, 1].flatMap((digit) => {
    const value = (prefix | (digit << bit)) >>> 0;
    const left = excluded.filter((number) => ((number >>> bit) & 1) === digit);
    if (left.length > 0) return allBut(left, bit - 1, value);
    return [{ mask: (0xffffffff << bit) >>> 0, value }];
  });
}

const ofType = (type: number) => masked(1, SOCKET.TYPE_MASK, type);
const RAW_TYPES = Array.from({ length: SOCKET.TYPE_MASK + 1 }, (_, type) => type).filter(
  (type) => type !== SOCKET.STREAM && type !== SOCKET.DGRAM,
);
const FAMILIES: readonly number[] = Object.values(FAMILY);
const LAST_FAMILY = Math.max(...FAMILIES);
const OTHER_FAMILIES = Array.from({ length: LAST_FAMILY }, (_, family) => family).filter(
  (family) => !FAMILIES.includes(family),
);

/** Protocols between the allowed ones are refused as unknown. */
function internetRules(family: number): CallRule[] {
  const of = equal(0, family);
  const streams = [PROTOCOL.DEFAULT, PROTOCOL.TCP];
  const datagrams = [PROTOCOL.DEFAULT, PROTOCOL.UDP, PROTOCOL.ICMP, PROTOCOL.ICMPV6];
  return [
    ...streams.map((protocol) => allow('socket', of, ofType(SOCKET.STREAM), equal(2, protocol))),
    ...datagrams.map((protocol) => allow('socket', of, ofType(SOCKET.DGRAM), equal(2, protocol))),
    refuse('socket', 'EPROTONOSUPPORT', of, ofType(SOCKET.STREAM), above(2, Math.max(...streams))),
    refuse('socket', 'EPROTONOSUPPORT', of, ofType(SOCKET.DGRAM), above(2, Math.max(...datagrams))),
    ...RAW_TYPES.map((type) => refuse('socket', 'EPERM', of, ofType(type))),
  ];
}

const SOCKET_RULES: readonly CallRule[] = [
  allow('socket', equal(0, FAMILY.UNIX)),
  allow('socket', equal(0, FAMILY.NETLINK), equal(2, PROTOCOL.NETLINK_ROUTE)),
  refuse('socket', 'EPROTONOSUPPORT', equal(0, FAMILY.NETLINK), above(2, PROTOCOL.NETLINK_ROUTE)),
  ...internetRules(FAMILY.INET),
  ...internetRules(FAMILY.INET6),
  ...OTHER_FAMILIES.map((family) => refuse('socket', 'EAFNOSUPPORT', equal(0, family))),
  refuse('socket', 'EAFNOSUPPORT', above(0, LAST_FAMILY)),
];

/**
 * System calls that any program may need and that are always allowed: those that Docker's own profile lets a container without capabilities
 * make, on x86_64 and arm64, minus those that `filter.ts` refuses or decides by arguments.
 */
const ALLOWED_CALLS: readonly string[] = `
  accept accept4 access alarm arch_prctl bind brk cachestat capget capset chdir chmod chown clock_getres
  clock_gettime clock_nanosleep close close_range connect copy_file_range creat dup dup2 dup3 epoll_create
  epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait epoll_wait_old eventfd eventfd2
  execve execveat exit exit_group faccessat faccessat2 fadvise64 fallocate fanotify_mark fchdir fchmod fchmodat
  fchmodat2 fchown fchownat fcntl fdatasync fgetxattr flistxattr flock fork fremovexattr fsetxattr fstat fstatfs
  fsync ftruncate futex futex_requeue futex_wait futex_waitv futex_wake futimesat get_robust_list
  get_thread_area getcpu getcwd getdents getdents64 getegid geteuid getgid getgroups getitimer getpeername
  getpgid getpgrp getpid getppid getpriority getrandom getresgid getresuid getrlimit getrusage getsid
  getsockname getsockopt gettid gettimeofday getuid getxattr inotify_add_watch inotify_init inotify_init1
  inotify_rm_watch io_cancel io_destroy io_getevents io_pgetevents io_setup io_submit ioprio_get ioprio_set kill
  landlock_add_rule landlock_create_ruleset landlock_restrict_self lchown lgetxattr link linkat listen listxattr
  llistxattr lremovexattr lseek lsetxattr lstat madvise map_shadow_stack membarrier memfd_create mincore mkdir
  mkdirat mknod mknodat mlock mlock2 mlockall mmap mprotect mq_getsetattr mq_notify mq_open mq_timedreceive
  mq_timedsend mq_unlink mremap mseal msgctl msgget msgrcv msgsnd msync munlock munlockall munmap
  name_to_handle_at nanosleep newfstatat open openat openat2 pause pidfd_open pidfd_send_signal pipe pipe2
  pkey_alloc pkey_free pkey_mprotect poll ppoll prctl pread64 preadv preadv2 prlimit64 process_mrelease pselect6
  pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv recvfrom recvmmsg recvmsg remap_file_pages
  removexattr rename renameat renameat2 restart_syscall rmdir rseq rt_sigaction rt_sigpending rt_sigprocmask
  rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sched_get_priority_max
  sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval
  sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield seccomp select semctl semget
  semop semtimedop sendfile sendmmsg sendmsg sendto set_robust_list set_thread_area set_tid_address setfsgid
  setfsuid setgid setgroups setitimer setpgid setpriority setregid setresgid setresuid setreuid setrlimit setsid
  setsockopt setuid setxattr shmat shmctl shmdt shmget shutdown sigaltstack signalfd signalfd4 splice stat
  statfs statx symlink symlinkat sync sync_file_range sync_file_range2 syncfs sysinfo tee tgkill time
  timer_create timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime
  timerfd_settime times tkill truncate umask uname unlink unlinkat utime utimensat utimes vfork vmsplice wait4
  waitid write writev
`
  .trim()
  .split(/\s+/);
