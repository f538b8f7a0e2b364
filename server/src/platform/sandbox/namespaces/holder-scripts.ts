/**
 * The scripts that create a sandbox, from the outside in. Each becomes the next, so that few processes remain. The outermost one stays,
 * outside of the sandbox's control groups, and records the end. `unshare` stays too, since later commands enter its user namespace (U1).
 * The sandbox's processes live in one below it (U2), in which they are user 1000 without privileges over the other namespaces, which belong
 * to U1.
 */

import { quote } from './exec/shell-words.ts';
import {
  EGRESS_FOLDER,
  type FileSystemPlan,
  type HostFiles,
  STAGE,
  toMounts,
} from './files/root-file-system.ts';
import type { Programs } from './programs.ts';

/** Numbers of open files in these scripts. */
export const HOLDER_FILES = { report: 3, filter: 4 } as const;
const USER_NAMESPACE = 5;
/** Closes all other files. */
const QUIET = `${USER_NAMESPACE}<&- </dev/null >/dev/null 2>&1`;

/** Joins the control groups up to `--`, and becomes the rest of the arguments. */
export const JOIN = 'while [ "$1" != -- ]; do echo 0 >"$1" || exit 70; shift; done; shift; exec "$@"';

/**
 * Script with $0 the name of the sandbox, $1 the file that records its end; then control groups up to `--`, and the command to run in them.
 */
export const NOTE_END = `end=$1; shift; ( ${JOIN} ); echo $? >"$end"`;

export const PROXY_PORT = 3128;
/** Line of /proc/net/tcp for a listener: 127.0.0.1, the port, and the state LISTEN. */
const LISTENING = `0100007F:${PROXY_PORT.toString(16).toUpperCase().padStart(4, '0')} 0A`;

export interface HolderPlan extends FileSystemPlan {
  readonly hostname: string;
  /** Limit enforced by the kernel for all processes of the sandbox together; undefined when a control group enforces it. */
  readonly processLimit: number | undefined;
  readonly fileBytes: number;
}

/** Runs as root of U1 in a mount namespace of its own, in the folder of all sandboxes. */
export function toMakeScript(programs: Programs, host: HostFiles, plan: HolderPlan): string {
  const { mount, unshare, sleep } = programs;
  const layers = `lowerdir=/usr/local,upperdir=${plan.disk}/upper,workdir=${plan.disk}/work`;
  return [
    'set -e',
    'umask 022',
    'ulimit -c 0',
    `ulimit -f ${Math.ceil(plan.fileBytes / 512)}`,
    // The next namespace inherits the limit of its creator, as one limit for all processes in it.
    plan.processLimit === undefined
      ? ''
      : `ulimit -u ${plan.processLimit} 2>/dev/null || ulimit -p ${plan.processLimit}`,
    // U2 is kept by an open file after the users of its first process are mapped. It is created in parallel with the mounts.
    `${unshare} --user --map-user=1000 --map-group=1000 ${sleep} 60 & inner=$!`,
    "trap 'kill -9 $inner 2>/dev/null' EXIT",
    // unshare has made mounts private: neither the host's mounts nor these affect the other side.
    plan.hasLayer ? `${mount} -t overlay -o ${layers},userxattr overlay /usr/local & layer=$!` : '',
    `${mount} -c --bind . ${STAGE}`,
    plan.hasLayer ? 'wait $layer' : '',
    `until read -r inside rest </proc/$inner/gid_map && [ "$inside" = 1000 ]; do kill -0 $inner || exit 71; done`,
    `exec ${USER_NAMESPACE}</proc/$inner/ns/user`,
    // Waits for it, since this process becomes bwrap next, and must have a single child, the first process of the sandbox.
    'kill -9 $inner; wait $inner || :; trap - EXIT',
    `echo "$PPID $$" >&${HOLDER_FILES.report}`,
    `exec ${[...toHolderCommand(programs, host, plan)].map(quote).join(' ')}`,
  ]
    .filter(Boolean)
    .join('\n');
}

function toHolderCommand(programs: Programs, host: HostFiles, plan: HolderPlan): string[] {
  return [
    [programs.bwrap],
    ['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ['--as-pid-1', '--new-session'],
    ['--userns2', String(USER_NAMESPACE), '--cap-drop', 'ALL', '--seccomp', String(HOLDER_FILES.filter)],
    ['--hostname', plan.hostname, '--clearenv', '--setenv', 'PATH', '/usr/bin:/bin'],
    toMounts(host, plan),
    ['--chdir', '/', '--', programs.sh, '-c', toFirstScript(programs, plan)],
  ].flat();
}

/** First script inside: reports that everything is mounted, closes all files, and becomes process 1, which reaps. */
function toFirstScript(programs: Programs, plan: HolderPlan): string {
  const { tini, sleep } = programs;
  const { report } = HOLDER_FILES;
  return [
    ...(plan.hasEgress ? toRelay(programs) : []),
    `echo ready >&${report}`,
    `exec ${report}>&- ${QUIET}`,
    `exec ${tini} -- ${sleep} infinity`,
  ].join('\n');
}

/** Relays connections to the egress proxy. A relay that ends is started again; the first command must find it listening. */
function toRelay({ sleep, socat }: Programs): string[] {
  const relay = `${socat} TCP-LISTEN:${PROXY_PORT},bind=127.0.0.1,reuseaddr,fork UNIX-CONNECT:${EGRESS_FOLDER}/proxy.sock`;
  return [
    `while :; do ${relay}; ${sleep} 1; done ${HOLDER_FILES.report}>&- ${QUIET} &`,
    `until while read -r _ at _ state _; do [ "$at $state" = '${LISTENING}' ] && break; done </proc/net/tcp; do ${sleep} 0.005; done`,
  ];
}
