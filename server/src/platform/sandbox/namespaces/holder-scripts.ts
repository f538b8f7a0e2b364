/**
 * The scripts that make a sandbox, from the outside in. Each becomes the next, so that little is left of them.
 *
 * The outermost one stays, outside of the sandbox's control groups: it notes the end. `unshare` stays too, since its user
 * namespace (U1) is what later commands enter. The sandbox's processes live in one below it (U2), in which they are user 1000
 * and have no rights over the other namespaces, which belong to U1.
 */

import type { Programs } from './programs.ts';
import {
  EGRESS_FOLDER,
  type FileSystemPlan,
  type HostFiles,
  STAGE,
  toEtcScript,
  toMounts,
} from './root-file-system.ts';

/** Numbers of open files in these scripts. */
export const HOLDER_FILES = { told: 3, filter: 4 } as const;
const USER_NAMESPACE = 5;

/** Writes itself into control groups, up to `--`, and becomes the rest. */
export const JOIN = 'while [ "$1" != -- ]; do echo 0 >"$1" || exit 70; shift; done; shift; exec "$@"';

/** $0 names the sandbox, $1 the file of its end; then control groups up to `--`, and what is run in them. */
export const NOTE_END = `end=$1; shift; ( ${JOIN} ); echo $? >"$end"`;

export const PROXY_PORT = 3128;

export interface HolderPlan extends FileSystemPlan {
  readonly hostname: string;
  /** Relative to where the script begins. */
  readonly disk: string;
  readonly egress: string;
  /** Held by the kernel for all processes of the sandbox together; undefined where a control group does it. */
  readonly processLimit: number | undefined;
  readonly fileBytes: number;
}

/** Run as root of U1 in a mount namespace of its own. $1: the host's name; then the folders to make. */
export function toMakeScript(programs: Programs, host: HostFiles, plan: HolderPlan): string {
  const { mount, mkdir, unshare, sleep } = programs;
  const layers = `lowerdir=/usr/local,upperdir=${STAGE.disk}/upper,workdir=${STAGE.disk}/work`;
  return [
    'set -e',
    'umask 022',
    'host=$1; shift',
    // The host's mounts must not follow what is mounted here, nor the other way round; unshare saw to that.
    `${mount} -t tmpfs -o mode=755,size=4m tmpfs /tmp`,
    `${mkdir} -p "$@"`,
    toEtcScript(host),
    `${mount} -c --bind ${plan.disk} ${STAGE.disk}`,
    plan.hasEgress ? `${mount} -c --bind ${plan.egress} ${STAGE.egress}` : '',
    plan.hasLayer ? `${mount} -t overlay -o ${layers},userxattr overlay ${STAGE.local}` : '',
    'ulimit -c 0',
    `ulimit -f ${Math.ceil(plan.fileBytes / 512)}`,
    // The namespace made next is bound by what holds for its maker: that is one bound for all who will be in it.
    plan.processLimit === undefined
      ? ''
      : `ulimit -u ${plan.processLimit} 2>/dev/null || ulimit -p ${plan.processLimit}`,
    // U2: once its first process has written who is who in it, an open file keeps it.
    `${unshare} --user --map-user=1000 --map-group=1000 ${sleep} 60 &`,
    `until read -r inside rest </proc/$!/gid_map && [ "$inside" = 1000 ]; do kill -0 $! || exit 71; done`,
    `exec ${USER_NAMESPACE}</proc/$!/ns/user`,
    // Waited for: whoever becomes bwrap next is to have one child, the first of the sandbox.
    'kill -9 $!; wait $! || :',
    `echo "$PPID $$" >&${HOLDER_FILES.told}`,
    `exec ${[...toHolderCommand(programs, host, plan)].map(quote).join(' ')}`,
  ]
    .filter(Boolean)
    .join('\n');
}

function toHolderCommand(programs: Programs, host: HostFiles, plan: HolderPlan): string[] {
  return [
    [programs.bwrap],
    ['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--as-pid-1', '--new-session'],
    ['--userns2', String(USER_NAMESPACE), '--cap-drop', 'ALL', '--seccomp', String(HOLDER_FILES.filter)],
    ['--hostname', plan.hostname, '--clearenv', '--setenv', 'PATH', '/usr/bin:/bin'],
    toMounts(host, plan),
    ['--chdir', '/', '--', programs.sh, '-c', toFirstScript(programs, plan)],
  ].flat();
}

/** The first thing inside: says that all is mounted, lets go of every file, and becomes process 1, which reaps. */
function toFirstScript({ tini, sleep, socat, sh }: Programs, plan: HolderPlan): string {
  const relay = `while :; do ${socat} TCP-LISTEN:${PROXY_PORT},bind=127.0.0.1,reuseaddr,fork UNIX-CONNECT:${EGRESS_FOLDER}/proxy.sock; ${sleep} 1; done`;
  const rest = plan.hasEgress
    ? `${tini} -- ${sh} -c ${quote(`${relay} & exec ${sleep} infinity`)}`
    : `${tini} -- ${sleep} infinity`;
  const { told } = HOLDER_FILES;
  return `echo ready >&${told}; exec ${told}>&- ${USER_NAMESPACE}<&- </dev/null >/dev/null 2>&1; exec ${rest}`;
}

/** As one word of a shell script. */
function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
