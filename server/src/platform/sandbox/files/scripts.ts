/**
 * Scripts that run in a sandbox for each file operation. Nothing is ever inserted into these texts: variable parts are passed as `$1`,
 * `$2`… They work in any sh with the GNU tools. Links are resolved first; the work is then done relative to a folder that was entered and
 * checked, or on a file that was opened and checked, so that nothing changes in between.
 */
import { ApiError, notFound } from '../../errors.ts';
import { invalidPath, WORKSPACE } from './workspace-path.ts';

/** Exit codes by which a script reports why it stopped. */
const STATUS = {
  missing: 70,
  outside: 71,
  isFolder: 72,
  isNoFolder: 73,
  isSpecial: 74,
  denied: 75,
  noWorkspace: 77,
  broken: 78,
  full: 79,
} as const;

const PRELUDE = `
LC_ALL=C; export LC_ALL
cd -P ${WORKSPACE} 2>/dev/null || exit ${STATUS.noWorkspace}
inside() { case $1 in ${WORKSPACE}|${WORKSPACE}/*) ;; *) exit ${STATUS.outside} ;; esac; }
# A name may end in newlines, which $(…) cuts off: a mark is put behind it.
resolve() {
  resolved=$(realpath "$@" 2>/dev/null && printf x) || return 1
  resolved=\${resolved%?x}
}
find_path() {
  # What is behind a link that leads out is not told apart from what is not.
  resolve -m -- "./$1" || exit ${STATUS.missing}
  inside "$resolved"
  [ -e "$resolved" ] || exit ${STATUS.missing}
}
`;

/** Script with \`$1\` the path. Prints size and time, a newline, then the content. */
export const READ = `${PRELUDE}
find_path "$1"
[ -d "$resolved" ] && exit ${STATUS.isFolder}
[ -f "$resolved" ] || exit ${STATUS.isSpecial}
[ -r "$resolved" ] || exit ${STATUS.denied}
command exec 3<"$resolved" || exit ${STATUS.missing}
resolve -- /proc/self/fd/3 && inside "$resolved"
about=$(stat -L -c '%s %.3Y' /proc/self/fd/3) || exit ${STATUS.missing}
printf '%s\\n' "$about"
exec head -c "\${about%% *}" <&3
`;

/** Script with \`$1\` the path. Prints a record as in LIST. */
export const STAT = `${PRELUDE}
find_path "$1"
exec find "$resolved" -maxdepth 0 -printf '%f/%y/%s/%T@/%m\\0'
`;

/** Script with \`$1\` the path, \`$2\` the limit. Prints records, each terminated by NUL; a name contains no slash. */
export const LIST = `${PRELUDE}
find_path "$1"
[ -d "$resolved" ] || exit ${STATUS.isNoFolder}
cd -P -- "$resolved" 2>/dev/null || exit ${STATUS.denied}
here=$(pwd -P; printf x)
inside "\${here%?x}"
[ -r . ] || exit ${STATUS.denied}
find . -mindepth 1 -maxdepth 1 -printf '%f/%y/%s/%T@/%m\\0' | sort -z -t / -k 1,1 | head -z -n "$2"
`;

/** Script with \`$1\` the folder, \`$2\` a name in it, \`$3\` \`recursive\` or nothing. Removes a link itself, wherever it leads. */
export const DELETE = `${PRELUDE}
find_path "$1"
[ -d "$resolved" ] || exit ${STATUS.missing}
cd -P -- "$resolved" 2>/dev/null || exit ${STATUS.denied}
here=$(pwd -P; printf x)
inside "\${here%?x}"
[ -e "./$2" ] || [ -L "./$2" ] || exit ${STATUS.missing}
if [ -d "./$2" ] && ! [ -L "./$2" ]; then
  [ "$3" = recursive ] || exit ${STATUS.isFolder}
  rm -rf -- "./$2" || exit ${STATUS.denied}
else
  rm -f -- "./$2" || exit ${STATUS.denied}
fi
`;

/**
 * Script with \`$1\` the folder, \`$2\` a name in it, \`$3\` a mark that follows the last byte of the content. Prints a record as in LIST.
 * Input that ends without the mark is incomplete. A process in a session of its own does the work and outlives the command: even when the
 * command or the server is killed, the input ends and the draft is removed. Drafts left by a killed sandbox are removed by the next write.
 */
export const WRITE = `${PRELUDE}
exec 3<&0
work() {
  draft=./.drydock-upload-$3
  find . -maxdepth 1 -name '.drydock-upload-*' -mmin +60 -exec rm -f -- {} + 2>/dev/null
  target() {
    resolve -m -- "./$1/$2" || return ${STATUS.missing}
    (inside "$resolved") || return ${STATUS.outside}
    [ -d "$resolved" ] && return ${STATUS.isFolder}
    [ -e "$resolved" ] && ! [ -f "$resolved" ] && return ${STATUS.isSpecial}
    return 0
  }
  target "$1" "$2" || exit
  trap 'rm -f -- "$draft"' EXIT
  (umask 022; : > "$draft") 2>/dev/null || exit ${STATUS.denied}
  cat <&3 2>/dev/null > "$draft" || exit ${STATUS.full}
  [ "$(tail -c "\${#3}" -- "$draft")" = "$3" ] || exit ${STATUS.broken}
  truncate -s "-\${#3}" -- "$draft" || exit ${STATUS.full}
  target "$1" "$2" || exit
  parent=\${resolved%/*}
  mkdir -p -- "$parent" 2>/dev/null || exit ${STATUS.isNoFolder}
  [ -f "$resolved" ] && chmod --reference="$resolved" -- "$draft"
  mv -f -T -- "$draft" "$resolved" 2>/dev/null || exit ${STATUS.denied}
  find "$resolved" -maxdepth 0 -printf '%f/%y/%s/%T@/%m\\0'
}
if [ "$4" = work ]; then work "$1" "$2" "$3"; exit; fi
setsid sh -c "$0" "$0" "$1" "$2" "$3" work <&3 &
exec 3<&- <&-
wait $!
`;

/** @param what the path as given by the caller */
export function toRefusal(status: number, what: string): ApiError {
  switch (status) {
    case STATUS.missing:
      return notFound(`${what} in the sandbox`);
    case STATUS.outside:
      return invalidPath(
        `${what} is a link that leads out of ${WORKSPACE}. Use exec to reach what it leads to.`,
      );
    case STATUS.isFolder:
      return conflict(`${what} is a folder. List it, or delete it with recursive=true.`);
    case STATUS.isNoFolder:
      return conflict(
        `${what}, or something on the way to it, is a file and not a folder. Delete it first, or take another path.`,
      );
    case STATUS.isSpecial:
      return conflict(`${what} is neither a file nor a folder. Use exec to work with it.`);
    case STATUS.denied:
      return conflict(`The sandbox's own user may not do that to ${what}. Change its mode with exec.`);
    case STATUS.noWorkspace:
      return conflict(
        `This runtime has no ${WORKSPACE}. Set workspace_mount to true in its config, and start it again.`,
      );
    case STATUS.broken:
      return new ApiError('invalid_error', 'The content ended early. Send it again.');
    case STATUS.full:
      return conflict(
        `${what} could not be written to its end: the disk is full, or the file too large. Delete what is not needed.`,
      );
    default:
      return new ApiError(
        'sandbox_provider_error',
        `A command for files ended with status ${status}. Try again.`,
      );
  }
}

const conflict = (detail: string) => new ApiError('conflict_error', detail);
