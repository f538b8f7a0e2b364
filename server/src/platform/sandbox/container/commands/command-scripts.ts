/**
 * Scripts that run in a container for each command, and to end commands. They work in any sh and use mostly builtins; variable parts are
 * passed as `$1`, `$2`…
 */

import { HIDDEN, isHidden } from '../../namespaces/exec/command-line.ts';
import { PROXY_PORT } from '../../namespaces/holder-scripts.ts';
import { BECOME_USER, MAX_FILE_BYTES, USER_ID } from '../container-plan.ts';

/** Builds the arguments that run `script` as the user. */
export const toEntrance = (script: string, args: readonly string[]) => [
  ...BECOME_USER,
  'sh',
  '-c',
  script,
  'sh',
  ...args,
];

/** Builds the same for a terminal, which then belongs to the user. */
export const toTerminalEntrance = (script: string, args: readonly string[]) => [
  'sh',
  '-c',
  `chown ${USER_ID} /proc/self/fd/0; exec "$@"`,
  'sh',
  ...toEntrance(script, args),
];

/**
 * Prefixes variable names until the command runs as the user: `LD_PRELOAD` and others would otherwise affect programs that run before.
 * Names that a shell cannot set have no meaning to libraries.
 */
export const toHiddenEnvironment = (environment: Readonly<Record<string, string>>) =>
  Object.entries(environment).map(([name, value]) => `${isHidden(name) ? HIDDEN : ''}${name}=${value}`);

/** Variables that an engine, and the entrance, add to every environment. */
const NOT_GIVEN = ['OLDPWD', 'HOSTNAME', 'LC_ALL', 'TERM', 'container'];

export interface CommandScriptOptions {
  /** Variable names of the command's environment. */
  readonly given: readonly string[];
  /** True when the egress relay has to be up first. */
  readonly awaitsRelay: boolean;
}

/**
 * Script with `$1` a mark, `$2` a folder, then the command and its arguments. It reports that it runs and its process number, and waits for
 * an acknowledgement, since the process that could end it may have ended in between. Then it runs the command in a session of its own, and
 * reports the exit code on both outputs after everything that the command wrote: a background process may hold the outputs open forever.
 */
export function toCommandScript(options: CommandScriptOptions): string {
  return [
    'exec 3<&0 4>&1 5>&2 </dev/null >/dev/null 2>&1',
    '__outputs=$(readlink /proc/self/fd/4 /proc/self/fd/5)',
    ...toPrelude(options, '>&4'),
    'echo "$__mark runs $$" >&4',
    'read -r __heard <&3 || exit 1',
    '__setsid=$(command -v setsid)',
    // The subshell keeps its environment separate from this script, which has to find its own programs.
    '(',
    ...toEnvironmentScript(options.given),
    'exec "$__setsid" -- "$@" <&3 3<&- >&4 4>&- 2>&5 5>&-',
    ') &',
    'exec 3<&-',
    'wait $!',
    '__code=$?',
    HELD,
    SETTLE,
    'printf "%s" "$__mark ended $__code." >&5',
    'printf "%s" "$__mark ended $__code." >&4',
    LINGER,
  ].join('\n');
}

/** Detects whether another process holds one of the outputs open. */
const HELD = `
__held() {
  set --
  for __one in /proc/[0-9]*; do [ "$__one" = "/proc/$$" ] || set -- "$@" "$__one"/fd/*; done
  __all=$(exec 4>&- 5>&-; readlink "$@")
  for __output in $__outputs; do case $__all in *"$__output"*) return 0 ;; esac; done
  return 1
}`;

/** Waits briefly, since a last helper of the command may still write. */
const SETTLE = `
__turns=0
while __held && [ $__turns -lt 5 ]; do sleep 0.02; __turns=$((__turns + 1)); done`;

/** Stays as long as a background process holds the outputs: engines close them after a command, which would kill background writers. */
const LINGER = `
exec 4>&- 5>&-
while __held; do sleep 1; done`;

/** Script for a terminal of `$3` columns and `$4` rows: it becomes the program, which owns the session of the terminal. */
export function toTerminalScript(options: CommandScriptOptions): string {
  return [
    ...toPrelude(options, ''),
    // The size is set first, since some programs read it before a resize could reach them.
    'stty cols "$1" rows "$2" 2>/dev/null',
    'shift 2',
    'echo "$__mark runs $$"',
    ...toEnvironmentScript(options.given),
    'exec "$@"',
  ].join('\n');
}

function toPrelude({ awaitsRelay }: CommandScriptOptions, target: string): string[] {
  return [
    '__mark=$1',
    `cd -- "$2" 2>/dev/null || { echo "$__mark folder" ${target}; exit 1; }`,
    'shift 2',
    `ulimit -c 0; ulimit -f ${MAX_FILE_BYTES / 512}`,
    ...(awaitsRelay ? [AWAIT_RELAY] : []),
  ];
}

/** Sets the environment last, so that no earlier program runs in it. */
function toEnvironmentScript(given: readonly string[]): string[] {
  const hidden = given.filter(isHidden);
  return [
    `unset ${NOT_GIVEN.filter((name) => !given.includes(name)).join(' ')}`,
    ...hidden.map((name) => `export ${name}="$${HIDDEN}${name}"; unset ${HIDDEN}${name}`),
  ];
}

/** Formats a port as /proc/net/tcp does. */
const toHex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0');

const AWAIT_RELAY = `
__relays() {
  while read -r __n __local __rest; do case $__local in *:${toHex(PROXY_PORT)}) return 0 ;; esac; done </proc/net/tcp
  return 1
}
__tries=0
until __relays || [ $__tries -ge 100 ]; do sleep 0.02; __tries=$((__tries + 1)); done`;

const READ_PROCESS = `
read_process() {
  read -r stat <"/proc/$1/stat" || return 1
  set -- \${stat##*) }
  state=$1 parent=$2 session=$4
}`;

/**
 * Script with the process numbers of command scripts as `$1`…: ends the processes in their sessions, and the scripts themselves. A script
 * without a session may be about to start one.
 */
const END_COMMANDS = `${READ_PROCESS}
end() {
  own=\${own-no-} sessions=' ' round=0 quiet=0
  while [ $round -lt 100 ] && [ $quiet -lt 3 ]; do
    round=$((round + 1)) found=
    for entry in /proc/[0-9]*; do
      read_process "\${entry#/proc/}" 2>/dev/null || continue
      case " $* " in *" $parent "*) sessions="$sessions$session " ;; *" $own\${entry#/proc/} "*) sessions="$sessions$session " ;; esac
    done
    for entry in /proc/[0-9]*; do
      read_process "\${entry#/proc/}" 2>/dev/null || continue
      [ "$state" = Z ] && continue
      case $sessions in *" $session "*) kill -9 "\${entry#/proc/}" && found=1 ;; esac
    done 2>/dev/null
    if [ -z "$found" ]; then
      [ "$sessions" = ' ' ] || return 0
      quiet=$((quiet + 1))
      sleep 0.02
    fi
  done
  kill -9 "$@" 2>/dev/null
}
`;

export const END_GIVEN = `${END_COMMANDS}
end "$@"`;

/** Ends a program at a terminal, including everything left in its own session, whatever its parent is now. */
export const END_TERMINAL = `${END_COMMANDS}
own=
end "$@"`;

/** Ends commands and terminals of a process that is gone: they have no parent inside the container. */
export const END_ALL = `${END_COMMANDS}
own= left=
for entry in /proc/[0-9]*; do
  read_process "\${entry#/proc/}" 2>/dev/null || continue
  [ "$parent" = 0 ] && [ "\${entry#/proc/}" != 1 ] && [ "\${entry#/proc/}" != $$ ] && left="$left \${entry#/proc/}"
done
[ -z "$left" ] || end $left
exit 0`;

/**
 * Script with `$1` a mark, `$2` the port in hex, `$3` the port as a number. Reports whether something listens there, and becomes the
 * connection.
 */
export const CONNECT = `
port=$2
listens() {
  while read -r n at remote state rest; do case "$at $state" in "$1:$port 0A") return 0 ;; esac; done <"/proc/net/$2"
  return 1
} 2>/dev/null
if listens 0100007F tcp || listens 00000000 tcp || listens 00000000000000000000000000000000 tcp6; then
  to=TCP4:127.0.0.1:$3
elif listens 00000000000000000000000001000000 tcp6; then
  to=TCP6:[::1]:$3
else
  echo "$1 closed"
  exit
fi
echo "$1 open"
exec socat -t 3600 -b 65536 - "$to"`;
