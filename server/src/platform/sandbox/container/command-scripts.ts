/**
 * What runs in a container for each command, and for its end. They are written for any sh, mostly of what is built into it; what
 * varies is `$1`, `$2`…
 */

import { HIDDEN, isHidden } from '../namespaces/command-line.ts';
import { PROXY_PORT } from '../namespaces/holder-scripts.ts';
import { BECOME_USER, MAX_FILE_BYTES, USER_ID } from './container-plan.ts';

/** `script` with arguments, as the user. */
export const toEntrance = (script: string, args: readonly string[]) => [
  ...BECOME_USER,
  'sh',
  '-c',
  script,
  'sh',
  ...args,
];

/** The same at a terminal, which is the user's then. */
export const toTerminalEntrance = (script: string, args: readonly string[]) => [
  'sh',
  '-c',
  `chown ${USER_ID} /proc/self/fd/0; exec "$@"`,
  'sh',
  ...toEntrance(script, args),
];

/**
 * By `LD_PRELOAD` and others a command's environment would have a say before it is the user's: until then it has other names. What a
 * shell cannot set means nothing to any library.
 */
export const toHiddenEnvironment = (environment: Readonly<Record<string, string>>) =>
  Object.entries(environment).map(([name, value]) => `${isHidden(name) ? HIDDEN : ''}${name}=${value}`);

/** What an engine, and the way in, add to every environment. */
const NOT_GIVEN = ['OLDPWD', 'HOSTNAME', 'LC_ALL', 'TERM', 'container'];

export interface CommandScriptOptions {
  /** Names of the command's environment. */
  readonly given: readonly string[];
  /** The way out has to be open first. */
  readonly awaitsRelay: boolean;
}

/**
 * `$1` a mark, `$2` a folder, then the command and its arguments.
 *
 * It says that it is there, and with which number, and waits to hear that it was heard: who would end it may have ended in
 * between. Then it runs the command in a session of its own, and says on both outputs, behind everything that the command wrote
 * there, how it ended: what was left in the background may hold them open for ever.
 */
export function toCommandScript(options: CommandScriptOptions): string {
  return [
    'exec 3<&0 4>&1 5>&2 </dev/null >/dev/null 2>&1',
    '__outputs=$(readlink /proc/self/fd/4 /proc/self/fd/5)',
    ...toPrelude(options, '>&4'),
    'echo "$__mark runs $$" >&4',
    'read -r __heard <&3 || exit 1',
    '__setsid=$(command -v setsid)',
    // Its environment is not that of this script, which has to find its own programs.
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

/** Whether another process than this one has one of the outputs open. */
const HELD = `
__held() {
  set --
  for __one in /proc/[0-9]*; do [ "$__one" = "/proc/$$" ] || set -- "$@" "$__one"/fd/*; done
  __all=$(exec 4>&- 5>&-; readlink "$@")
  for __output in $__outputs; do case $__all in *"$__output"*) return 0 ;; esac; done
  return 1
}`;

/** A last helper of the command may still have something to say. */
const SETTLE = `
__turns=0
while __held && [ $__turns -lt 5 ]; do sleep 0.02; __turns=$((__turns + 1)); done`;

/** As long as something in the background holds them: engines close them behind a command, and end with that whoever writes. */
const LINGER = `
exec 4>&- 5>&-
while __held; do sleep 1; done`;

/** The same at a terminal, of `$3` columns and `$4` rows: it becomes the program, whose session that of the terminal is. */
export function toTerminalScript(options: CommandScriptOptions): string {
  return [
    ...toPrelude(options, ''),
    // Some programs look before they could be told of a change.
    'stty cols "$1" rows "$2" 2>/dev/null',
    'shift 2',
    'echo "$__mark runs $$"',
    ...toEnvironmentScript(options.given),
    'exec "$@"',
  ].join('\n');
}

function toPrelude({ awaitsRelay }: CommandScriptOptions, told: string): string[] {
  return [
    '__mark=$1',
    `cd -- "$2" 2>/dev/null || { echo "$__mark folder" ${told}; exit 1; }`,
    'shift 2',
    `ulimit -c 0; ulimit -f ${MAX_FILE_BYTES / 512}`,
    ...(awaitsRelay ? [AWAIT_RELAY] : []),
  ];
}

/** The last before the command, so that nothing before it is run in its environment. */
function toEnvironmentScript(given: readonly string[]): string[] {
  const hidden = given.filter(isHidden);
  return [
    `unset ${NOT_GIVEN.filter((name) => !given.includes(name)).join(' ')}`,
    ...hidden.map((name) => `export ${name}="$${HIDDEN}${name}"; unset ${HIDDEN}${name}`),
  ];
}

/** As /proc/net/tcp writes a port. */
const toHex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0');

const AWAIT_RELAY = `
__relays() {
  while read -r __n __local __rest; do case $__local in *:${toHex(PROXY_PORT)}) return 0 ;; esac; done </proc/net/tcp
  return 1
}
__tries=0
until __relays || [ $__tries -ge 100 ]; do sleep 0.02; __tries=$((__tries + 1)); done`;

const LOOK = `
look() {
  read -r stat <"/proc/$1/stat" || return 1
  set -- \${stat##*) }
  state=$1 parent=$2 session=$4
}`;

/**
 * `$1`…: numbers of scripts as above. Ends what is in the sessions that they began, and themselves. One that has begun none may
 * be about to.
 */
const END_COMMANDS = `${LOOK}
end() {
  own=\${own-no-} sessions=' ' round=0 quiet=0
  while [ $round -lt 100 ] && [ $quiet -lt 3 ]; do
    round=$((round + 1)) found=
    for entry in /proc/[0-9]*; do
      look "\${entry#/proc/}" 2>/dev/null || continue
      case " $* " in *" $parent "*) sessions="$sessions$session " ;; *" $own\${entry#/proc/} "*) sessions="$sessions$session " ;; esac
    done
    for entry in /proc/[0-9]*; do
      look "\${entry#/proc/}" 2>/dev/null || continue
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

/** Of a program at a terminal: what is left in its own session too, whoever its parent is by now. */
export const END_TERMINAL = `${END_COMMANDS}
own=
end "$@"`;

/** Ends the commands and terminals that a process has left which is no more: nobody inside is their parent. */
export const END_ALL = `${END_COMMANDS}
own= left=
for entry in /proc/[0-9]*; do
  look "\${entry#/proc/}" 2>/dev/null || continue
  [ "$parent" = 0 ] && [ "\${entry#/proc/}" != 1 ] && [ "\${entry#/proc/}" != $$ ] && left="$left \${entry#/proc/}"
done
[ -z "$left" ] || end $left
exit 0`;

/** `$1` a mark, `$2` the port as hex digits, `$3` as a number. Says whether somebody listens there, and becomes the connection. */
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
