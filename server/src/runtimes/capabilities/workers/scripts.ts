/**
 * Scripts that run in a sandbox to start, inspect and stop workers. Nothing is ever interpolated into them: parameters are `$1`, `$2`…
 * Everything known about a worker is in its folder in the sandbox, because the process that started it may be gone. Its supervisor holds a
 * lock as long as the worker lives, so that a reused process id cannot be mistaken for it.
 */

/** Exit codes with which a script reports why it stopped. */
export const STATUS = { notSo: 70, broken: 71, noTools: 72 } as const;

/** Bytes of output per log file. There are two files, the older of which is dropped, because they are in the memory of the sandbox. */
const LOG_BYTES = 256 * 1024;

/** Time between TERM and KILL, in twentieths of a second. */
export const WAIT = 100;

const PRELUDE = `
LC_ALL=C; export LC_ALL; umask 077
command -v flock >/dev/null && command -v setsid >/dev/null || exit ${STATUS.noTools}
is_free() { [ ! -e "$1/lock" ] || flock -n "$1/lock" true; }
`;

/** Runs outside the session of the starting process and outside that of the worker, which is what a stop ends. */
export const SUPERVISE = `
d=$1; shift
{
  setsid "$@" 9>&- &
  echo $! >"$d/session.new"; mv "$d/session.new" "$d/session"
  wait $!
  echo $? >"$d/exit.new"; mv "$d/exit.new" "$d/exit"
} 2>&1 | {
  exec 9>&-
  size=0
  while :; do
    # Writes what it reads at once, which head does not; at most 256 KiB.
    dd bs=4096 count=64 of="$d/log.1" oflag=append conv=notrunc 2>/dev/null
    now=$(wc -c <"$d/log.1")
    [ "$now" -gt $size ] || break
    size=$now
    [ $size -lt ${LOG_BYTES} ] || { mv -f "$d/log.1" "$d/log.0"; : >"$d/log.1"; size=0; }
  done
}
`;

/** Starts a worker. \`$1\`: its folder, \`$2\`: the supervisor script; then the program and its arguments. */
export const START = `${PRELUDE}
d=$1; supervise=$2; shift 2
mkdir -p "$d" || exit ${STATUS.broken}
exec 9>"$d/lock" || exit ${STATUS.broken}
# Who just looks holds it for a moment.
for try in 1 2 3 4 5 last; do
  flock -n 9 && break
  [ $try = last ] && exit ${STATUS.notSo}
  sleep 0.05
done
rm -f "$d/exit" "$d/stopped" "$d/session" "$d/log.0" "$d/log.1"
date +%s >"$d/started"
setsid sh -c "$supervise" sh "$d" "$@" </dev/null >/dev/null 2>&1 &
exec 9>&-
for try in 1 2 3 4 5 6 7 8 9 10; do
  [ -s "$d/session" ] && exit 0
  sleep 0.0$try
done
until [ -s "$d/session" ]; do is_free "$d" && exit ${STATUS.broken}; sleep 0.1; done
`;

/** Inspects folders of workers. Prints a line for each: state, start time, exit code; "-" for unknown values. */
export const INSPECT = `${PRELUDE}
word() { w=$(head -c 20 "$1" 2>/dev/null); printf ' %s' "\${w:--}"; }
for d in "$@"; do
  if ! is_free "$d"; then printf running
  elif [ -e "$d/stopped" ] || [ ! -e "$d/session" ]; then printf stopped
  else printf exited; fi
  word "$d/started"; word "$d/exit"; echo
done
`;

/** Ends the living workers of the given folders. */
const STOPPING = `
signal_session() {
  found=1
  for stat in /proc/[0-9]*/stat; do
    { read -r line <"$stat"; } 2>/dev/null || continue
    pid=\${stat#/proc/}; pid=\${pid%/stat}
    fields=\${line##*) }
    set -- "$1" "$2" $fields
    # Of what follows its name: state, parent, group, session.
    [ "$6" = "$2" ] && [ "$3" != Z ] || continue
    kill -"$1" "$pid" 2>/dev/null && found=0
  done
  return $found
}
stop() {
  live= broken=
  for d in "$@"; do
    is_free "$d" && continue
    session=$(head -c 20 "$d/session" 2>/dev/null)
    case $session in ''|*[!0-9]*) broken=yes; continue ;; esac
    : >"$d/stopped"
    signal_session TERM "$session"
    live="$live $d"
  done
  [ -n "$live$broken" ] || return ${STATUS.notSo}
  waited=0
  for d in $live; do
    while ! is_free "$d" && [ $waited -lt $patience ]; do sleep 0.05; waited=$((waited + 1)); done
    rounds=0
    while signal_session KILL "$(head -c 20 "$d/session")" && [ $rounds -lt 50 ]; do sleep 0.02; rounds=$((rounds + 1)); done
    rounds=0
    until is_free "$d" || [ $rounds -ge 40 ]; do sleep 0.05; rounds=$((rounds + 1)); done
    is_free "$d" || broken=yes
  done
  [ -z "$broken" ] || return ${STATUS.broken}
}
`;

/** Stops workers. \`$1\`: twentieths of a second before KILL; then folders of workers. */
export const STOP = `${PRELUDE}${STOPPING}
patience=$1; shift
stop "$@"
`;

/**
 * Ends everything except what may keep running. \`$1\`: as above, \`$2\`: the parent folder, \`$3\`: names of folders that stay, each
 * between two spaces; those of servers include the state that they were started from.
 */
export const SWEEP = `
[ -d "$2" ] || exit 0
${PRELUDE}${STOPPING}
patience=$1 all=$2 kept=$3
set --
for d in "$all"/*/*; do
  [ -e "$d/lock" ] || continue
  binding=\${d%/*}; binding=\${binding##*/}
  case \${d##*/} in
    mcp-*) state=\${d##*/mcp-}; name=$binding/\${state%%-*} ;;
    *) name=$binding ;;
  esac
  case $kept in *" $name "*) ;; *) set -- "$@" "$d" ;; esac
done
stop "$@"; found=$?
[ $found = ${STATUS.notSo} ] || [ $found = 0 ] || exit $found
for d in "$@"; do case \${d##*/} in mcp-*) rm -rf "$d" ;; esac; done
`;

/** Reads a log. \`$1\`: its folder, \`$2\`: maximum number of bytes from the end. */
export const READ_LOG = `cat "$1/log.0" "$1/log.1" 2>/dev/null | tail -c "$2"`;
