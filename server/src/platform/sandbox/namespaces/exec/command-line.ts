/** The chain of programs that runs a command in a sandbox, from the outside in: each one becomes the next, or waits for it. */
import type { Command } from '../../sandbox-provider.ts';
import { JOIN } from '../holder-scripts.ts';
import { toUserChange } from '../host-environment.ts';
import type { Programs } from '../programs.ts';
import { quote } from './shell-words.ts';

/** Numbers of open files. A shell can close those below 10; bwrap closes the others. */
export const FILES = {
  report: 3,
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
  /** The `cgroup.procs` files of the sandbox's control groups. */
  readonly procsFiles: readonly string[];
  readonly fileBytes: number;
}

/** Its last shell waits for the release outside of the sandbox's processes, where nothing inside can see or signal it. */
export function toCommandLine(programs: Programs, user: CommandUser): string[] {
  const { sh, setpriv, nsenter, bwrap } = programs;
  const file = (number: number) => `/proc/self/fd/${number}`;
  return [
    user.procsFiles.length > 0 ? [sh, '-c', JOIN, 'join', ...user.procsFiles, '--'] : [],
    // The command ends with this process.
    toUserChange(setpriv, user.uid, ['--pdeathsig', 'KILL']),
    [nsenter, '--preserve-credentials', `--user=${file(FILES.user)}`, `--mount=${file(FILES.mnt)}`],
    // Its children are inside; nsenter itself is not.
    ['--no-fork', `--pid=${file(FILES.pid)}`, `--net=${file(FILES.net)}`],
    [`--ipc=${file(FILES.ipc)}`, `--uts=${file(FILES.uts)}`, '--'],
    [sh, '-c', WAIT, 'wait'],
    // bwrap stays until the command has ended, without a seccomp filter. It stays outside of the user namespace of commands, where any of
    // them could write into its memory; the process that it starts enters that namespace with the filter already active. In its own cgroup
    // namespace, the command sees its control group as the root instead of its path on the host.
    [bwrap, '--unshare-cgroup-try', '--dev-bind', '/', '/', '--cap-drop', 'ALL'],
    ['--seccomp', String(FILES.filter), '--new-session', '--die-with-parent'],
    // Makes bwrap close the user namespace, by waiting for data that a namespace never has.
    ['--block-fd', String(FILES.user), '--args', String(FILES.options), '--'],
    [nsenter, '--preserve-credentials', `--user=${file(FILES.livingUser)}`, '--'],
    [sh, '-c', `eval "$${SCRIPT}"`, 'sh'],
  ].flat();
}

/**
 * Waits for its release, and exits if the spawner has ended. Its own messages about the end of bwrap must not reach the command's output:
 * so it closes that output, and only the subshell that becomes bwrap reopens it.
 */
const WAIT = `read -r released <&${FILES.report} || exit 1; exec ${FILES.mnt}>&2 2>&-; (exec "$@" 2>&${FILES.mnt} ${FILES.mnt}>&-); exit`;

/** Reports whether the folder exists, closes every file, sets the environment, and becomes the command, or exits with 126 or 127. */
function toScript({ argv, cwd, environment }: Command, fileBytes: number): string {
  const names = Object.keys(environment).filter(isHidden);
  return [
    `cd -- ${quote(cwd)} 2>/dev/null || { echo folder >&${FILES.report}; exit 1; }`,
    'unset OLDPWD',
    `ulimit -c 0; ulimit -f ${Math.ceil(fileBytes / 512)}`,
    `echo runs >&${FILES.report}`,
    // The process that could kill it may have ended in between: a command without an acknowledgement does not run.
    `read -r heard <&${FILES.report} || exit 1`,
    'unset heard',
    `exec ${CLOSE_ALL}`,
    ...(names.length > 0 ? [`export ${names.map((name) => `${name}="$${HIDDEN}${name}"`).join(' ')}`] : []),
    ...(names.length > 0 ? [`unset ${names.map((name) => HIDDEN + name).join(' ')}`] : []),
    `exec ${argv.map(quote).join(GAP)}${' '.repeat(argv[0].length)}`,
  ].join('; ');
}

/**
 * Prefix of variable names until the command is inside: with `LD_PRELOAD` and others, the sandbox could otherwise control the programs that
 * enter it. Names that a shell cannot set have no meaning to libraries.
 */
export const HIDDEN = '__hidden_';
const UNSETTABLE = new Set(['BASHOPTS', 'BASH_VERSINFO', 'EUID', 'PPID', 'SHELLOPTS', 'UID']);
export const isHidden = (name: string) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !UNSETTABLE.has(name);

/** Variables with the script of the command's shell: several, since the kernel accepts none of more than 128 KiB. */
const SCRIPT = '__script';
const PART = /[\s\S]{1,32000}/gu;
/** Padding that makes a script larger than the arguments in it, so that arguments that are too long are refused before the command runs. */
const GAP = ' '.repeat(8);

/**
 * Options of bwrap that it reads from a file, so that other processes cannot read them as arguments, and the environment does not affect
 * programs outside of the sandbox.
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
