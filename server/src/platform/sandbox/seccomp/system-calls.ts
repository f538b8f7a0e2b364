/**
 * Numbers of the system calls that the filter knows, per architecture; null when the call does not exist. From `asm/unistd_64.h` and
 * `asm-generic/unistd.h` of Linux; assigned numbers never change.
 */
export type Architecture = 'x64' | 'arm64';

type Numbers = Readonly<Record<Architecture, number | null>>;

export const SYSTEM_CALLS = {
  // the kernel and its devices
  acct: { x64: 163, arm64: 89 },
  bpf: { x64: 321, arm64: 280 },
  create_module: { x64: 174, arm64: null },
  delete_module: { x64: 176, arm64: 106 },
  fanotify_init: { x64: 300, arm64: 262 },
  finit_module: { x64: 313, arm64: 273 },
  get_kernel_syms: { x64: 177, arm64: null },
  init_module: { x64: 175, arm64: 105 },
  io_uring_enter: { x64: 426, arm64: 426 },
  io_uring_register: { x64: 427, arm64: 427 },
  io_uring_setup: { x64: 425, arm64: 425 },
  ioctl: { x64: 16, arm64: 29 },
  ioperm: { x64: 173, arm64: null },
  iopl: { x64: 172, arm64: null },
  kexec_file_load: { x64: 320, arm64: 294 },
  kexec_load: { x64: 246, arm64: 104 },
  lookup_dcookie: { x64: 212, arm64: 18 },
  modify_ldt: { x64: 154, arm64: null },
  nfsservctl: { x64: 180, arm64: 42 },
  perf_event_open: { x64: 298, arm64: 241 },
  query_module: { x64: 178, arm64: null },
  quotactl: { x64: 179, arm64: 60 },
  quotactl_fd: { x64: 443, arm64: 443 },
  reboot: { x64: 169, arm64: 142 },
  swapoff: { x64: 168, arm64: 225 },
  swapon: { x64: 167, arm64: 224 },
  sysfs: { x64: 139, arm64: null },
  _sysctl: { x64: 156, arm64: null },
  syslog: { x64: 103, arm64: 116 },
  uselib: { x64: 134, arm64: null },
  userfaultfd: { x64: 323, arm64: 282 },
  ustat: { x64: 136, arm64: null },
  vhangup: { x64: 153, arm64: 58 },
  // mounts and files
  chroot: { x64: 161, arm64: 51 },
  fsconfig: { x64: 431, arm64: 431 },
  fsmount: { x64: 432, arm64: 432 },
  fsopen: { x64: 430, arm64: 430 },
  fspick: { x64: 433, arm64: 433 },
  listmount: { x64: 458, arm64: 458 },
  mount: { x64: 165, arm64: 40 },
  mount_setattr: { x64: 442, arm64: 442 },
  move_mount: { x64: 429, arm64: 429 },
  open_by_handle_at: { x64: 304, arm64: 265 },
  open_tree: { x64: 428, arm64: 428 },
  pivot_root: { x64: 155, arm64: 41 },
  statmount: { x64: 457, arm64: 457 },
  umount2: { x64: 166, arm64: 39 },
  // processes and namespaces
  clone: { x64: 56, arm64: 220 },
  clone3: { x64: 435, arm64: 435 },
  kcmp: { x64: 312, arm64: 272 },
  personality: { x64: 135, arm64: 92 },
  pidfd_getfd: { x64: 438, arm64: 438 },
  process_madvise: { x64: 440, arm64: 440 },
  process_vm_readv: { x64: 310, arm64: 270 },
  process_vm_writev: { x64: 311, arm64: 271 },
  ptrace: { x64: 101, arm64: 117 },
  setdomainname: { x64: 171, arm64: 162 },
  sethostname: { x64: 170, arm64: 161 },
  setns: { x64: 308, arm64: 268 },
  unshare: { x64: 272, arm64: 97 },
  // keys
  add_key: { x64: 248, arm64: 217 },
  keyctl: { x64: 250, arm64: 219 },
  request_key: { x64: 249, arm64: 218 },
  // the clock
  adjtimex: { x64: 159, arm64: 171 },
  clock_adjtime: { x64: 305, arm64: 266 },
  clock_settime: { x64: 227, arm64: 112 },
  settimeofday: { x64: 164, arm64: 170 },
  // placement of memory
  get_mempolicy: { x64: 239, arm64: 236 },
  mbind: { x64: 237, arm64: 235 },
  memfd_secret: { x64: 447, arm64: 447 },
  migrate_pages: { x64: 256, arm64: 238 },
  move_pages: { x64: 279, arm64: 239 },
  set_mempolicy: { x64: 238, arm64: 237 },
  set_mempolicy_home_node: { x64: 450, arm64: 450 },
  // sockets
  socket: { x64: 41, arm64: 198 },
  socketpair: { x64: 53, arm64: 199 },
} as const satisfies Readonly<Record<string, Numbers>>;

export type SystemCall = keyof typeof SYSTEM_CALLS;

/** `mseal`, of Linux 6.10. Calls of later kernels have higher numbers, and were not reviewed here. */
export const NEWEST_KNOWN = 462;
