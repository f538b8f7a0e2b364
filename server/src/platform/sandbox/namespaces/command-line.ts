/** The programs that run a command in a sandbox, from the outside in: each becomes the next, or waits for it. */
import type { Command } from '../sandbox-provider.ts';
import { JOIN } from './holder-scripts.ts';
import { toUserChange } from './host-environment.ts';
import type { Programs } from './programs.ts';
import { quote } from './shell-words.ts';

/** Numbers of open files. A shell can close those below 10; bwrap closes the others. */
export const FILES = {
  told: 3,
  livingUser: 4,
  mnt: 5,
  pid: 6,
  net: 7,
  ipc: 8,
  uts: 9,
  user: 10,
  options: 11,
  filter: 12,
} as const;

const CLOSE_ALL = [3, 4, 5, 6, 7, 8, 9].map((number) => `${number}<&-`).join(' ');

export interface CommandUser {
  readonly uid: number;
  /** The `cgroup.procs` files of its control groups. */
  readonly procsFiles: readonly string[];
  readonly fileBytes: number;
}

/** It waits in its last shell until it is released, outside of the sandbox's processes: nobody inside sees it, or can signal it. */
export function toCommandLine(programs: Programs, user: CommandUser): string[] {
  const { sh, setpriv, nsenter, bwrap } = programs;
  const file = (number: number) => `/proc/self/fd/${number}`;
  return [
    user.procsFiles.length > 0 ? [sh, '-c', JOIN, 'join', ...user.procsFiles, '--'] : [],
    // The command ends with this process.
    toUserChange(setpriv, user.uid, ['--pdeathsig', 'KILL']),
    [nsenter, '--preserve-credentials', `--user=${file(FILES.user)}`, `--mount=${file(FILES.mnt)}`],
    // Its children are inside; itself it is not.
    ['--no-fork', `--pid=${file(FILES.pid)}`, `--net=${file(FILES.net)}`],
    [`--ipc=${file(FILES.ipc)}`, `--uts=${file(FILES.uts)}`, '--'],
    [sh, '-c', WAIT, 'wait'],
    // bwrap stays until the command has ended, and no filter is on it. It stays outside of the user namespace that commands live
    // in, where any of them could write into its memory; what it starts enters that one when the filter is on already.
    // In a cgroup namespace of its own the command sees its control group as the root, and not its path on the host.
    [bwrap, '--unshare-cgroup-try', '--dev-bind', '/', '/', '--cap-drop', 'ALL'],
    ['--seccomp', String(FILES.filter), '--new-session', '--die-with-parent'],
    // Nothing comes of waiting for a namespace to have something to read, except that bwrap closes it.
    ['--block-fd', String(FILES.user), '--args', String(FILES.options), '--'],
    [nsenter, '--preserve-credentials', `--user=${file(FILES.livingUser)}`, '--'],
    [sh, '-c', `eval "$${SCRIPT}"`, 'sh'],
  ].flat();
}

/**
 * Waits for its release, and ends where the spawner has ended. Its own messages about the end of bwrap must not get into the output of
 * the command: so it closes that output, and only the subshell that becomes bwrap opens it.
 */
const WAIT = `read -r released <&${FILES.told} || exit 1; exec ${FILES.mnt}>&2 2>&-; (exec "$@" 2>&${FILES.mnt} ${FILES.mnt}>&-); exit`;

/**
 * Says whether its folder is there, lets go of every file, takes its environment, and becomes the command, or ends with 126 or
 * 127.
 */
function toScript({ argv, cwd, environment }: Command, fileBytes: number): string {
  const names = Object.keys(environment).filter(isHidden);
  return [
    `cd -- ${quote(cwd)} 2>/dev/null || { echo folder >&${FILES.told}; exit 1; }`,
    'unset OLDPWD',
    `ulimit -c 0; ulimit -f ${Math.ceil(fileBytes / 512)}`,
    `echo runs >&${FILES.told}`,
    // The process that could kill it may have ended just now: a command that nobody has heard does not run.
    `read -r heard <&${FILES.told} || exit 1`,
    'unset heard',
    `exec ${CLOSE_ALL}`,
    ...(names.length > 0 ? [`export ${names.map((name) => `${name}="$${HIDDEN}${name}"`).join(' ')}`] : []),
    ...(names.length > 0 ? [`unset ${names.map((name) => HIDDEN + name).join(' ')}`] : []),
    `exec ${argv.map(quote).join(GAP)}${' '.repeat(argv[0].length)}`,
  ].join('; ');
}

/**
 * Put before the name of a variable until the command is inside: by `LD_PRELOAD` and others the program that goes in would
 * already run what the sandbox says. Names that a shell cannot set mean nothing to any library.
 */
export const HIDDEN = '__hidden_';
const UNSETTABLE = new Set(['BASHOPTS', 'BASH_VERSINFO', 'EUID', 'PPID', 'SHELLOPTS', 'UID']);
export const isHidden = (name: string) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !UNSETTABLE.has(name);

/** The script of the command's shell, in as many variables as it takes: the kernel takes none of more than 128 KiB. */
const SCRIPT = '__script';
const PART = /[\s\S]{1,32000}/gu;
/** So wide that a script takes more room than the arguments in it: what is too long is refused before it could run. */
const GAP = ' '.repeat(8);

/**
 * Options of bwrap that it reads from a file. Never its arguments, where others could read them; nor the environment of a
 * program that is not yet confined.
 */
export function toOptions(command: Command, fileBytes: number): string {
  const variables = Object.entries(command.environment).flatMap(([name, value]) => {
    return ['--setenv', isHidden(name) ? HIDDEN + name : name, value];
  });
  return `${['--clearenv', ...variables, ...toScriptVariables(command, fileBytes)].join('\0')}\0`;
}

function toScriptVariables(command: Command, fileBytes: number): string[] {
  const parts = toScript(command, fileBytes).match(PART) ?? [];
  const names = parts.map((_, index) => `${SCRIPT}_${index}`);
  const whole = `eval "unset ${[SCRIPT, ...names].join(' ')}; ${names.map((name) => `$${name}`).join('')}"`;
  return [
    ['--setenv', SCRIPT, whole],
    ...parts.map((part, index) => ['--setenv', names[index] ?? '', part]),
  ].flat();
}
