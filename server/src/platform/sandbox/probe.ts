/** Probes the sandbox features of this machine. Everything is tried; nothing is inferred from versions or settings. */
import { constants } from 'node:fs';
import { access, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ProgramResult, runProgram } from '../process/run-program.ts';
import { isMarkOfLiving, readOwnMark } from './process-table.ts';
import { compileFilter } from './seccomp/filter.ts';

/** An ability, or the reason why it is missing and the remedy. */
export type Finding = { readonly isPossible: true } | { readonly isPossible: false; readonly reason: string };

export interface Abilities {
  /** The programs bwrap, nsenter, unshare, setpriv, prlimit and tini. */
  readonly programs: Finding;
  /** A user namespace inside a user namespace, with mounts, processes and network of its own. */
  readonly userNamespaces: Finding;
  readonly seccomp: Finding;
  /** A writable layer over read-only folders, mounted inside a user namespace. */
  readonly overlay: Finding;
  /** RLIMIT_NPROC, set inside the user namespace, limits the processes of that namespace alone. */
  readonly processLimit: Finding;
}

export interface ProbeOptions {
  /** User of the sandboxes' processes on the host when the server runs as root; undefined for an ordinary user. */
  readonly uid: number | undefined;
  /** An existing folder for disks; files of the probe are removed again. */
  readonly folder: string;
}

const PROGRAMS = ['bwrap', 'nsenter', 'unshare', 'setpriv', 'prlimit', 'tini'];
const FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'];
const PLACE = 'probe-';
const WAIT_TIMEOUT_MS = 5000;

const POSSIBLE: Finding = { isPossible: true };
const impossible = (reason: string): Finding => ({ isPossible: false, reason });

/** Namespaces of a sandbox's first process: root of the one in which the mounts are made. */
const OUTER = ['unshare', '--user', '--map-root-user', '--mount', '--fork', '--kill-child'];
/** Namespaces of its commands: uid 1000 of a user namespace inside the outer one. */
const INNER = ['unshare', '--user', '--map-user=1000', '--map-group=1000'];

export async function probeAbilities({ uid, folder }: ProbeOptions): Promise<Abilities> {
  const programs = await findPrograms();
  if (!programs.isPossible) return everything(programs);
  await removeLeft(folder);
  const place = await mkdtemp(join(folder, `${PLACE}${readOwnMark()}-`));
  try {
    await prepare(place, uid);
    const run = runner(place, uid);
    const userNamespaces = await tryNamespaces(run);
    if (!userNamespaces.isPossible) return { ...everything(userNamespaces), programs };
    const [seccomp, overlay, processLimit] = await Promise.all([
      trySeccomp(run),
      tryOverlay(run),
      tryProcessLimit(run),
    ]);
    return { programs, userNamespaces, seccomp, overlay, processLimit };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** Removes files of a process that was killed during a probe. */
async function removeLeft(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(PLACE));
  const left = names.filter((name) => !isMarkOfLiving(name.slice(PLACE.length)));
  for (const name of left) await rm(join(folder, name), { recursive: true, force: true });
}

const everything = (finding: Finding): Abilities => ({
  programs: finding,
  userNamespaces: finding,
  seccomp: finding,
  overlay: finding,
  processLimit: finding,
});

async function findPrograms(): Promise<Finding> {
  const missing: string[] = [];
  for (const program of PROGRAMS) {
    const found = await Promise.all(FOLDERS.map((folder) => isExecutable(join(folder, program))));
    if (!found.includes(true)) missing.push(program);
  }
  if (missing.length === 0) return POSSIBLE;
  return impossible(
    `These programs are missing: ${missing.join(', ')}. Install them with \`npm run setup\`, or as packages of the system: bubblewrap, tini, socat, util-linux.`,
  );
}

const isExecutable = (path: string) =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

const LAYERS = ['lower', 'upper', 'work', 'merged'];

async function prepare(place: string, uid: number | undefined): Promise<void> {
  for (const layer of LAYERS) await mkdir(join(place, layer));
  await writeFile(join(place, 'lower', 'removed'), '');
  if (process.arch === 'x64' || process.arch === 'arm64') {
    await writeFile(join(place, 'filter'), compileFilter(process.arch));
  }
  if (uid === undefined) return;
  for (const name of ['', 'lower/removed', ...LAYERS]) await chown(join(place, name), uid, uid);
}

type Run = (args: readonly string[]) => Promise<ProgramResult>;

/** Uses names relative to the working folder, since its parents may be closed to that user. */
function runner(cwd: string, uid: number | undefined): Run {
  const user = uid === undefined ? [] : ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
  return (args) => {
    const [command = '', ...rest] = [...user, ...args];
    return runProgram({
      command,
      args: rest,
      cwd,
      env: { PATH: FOLDERS.join(':') },
      timeoutMs: WAIT_TIMEOUT_MS,
    });
  };
}

async function tryNamespaces(run: Run): Promise<Finding> {
  const nested = await run([...OUTER, ...INNER, 'true']);
  if (nested.exitCode !== 0) return impossible(await whyNoNamespaces(nested));
  const spaces = ['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts'];
  const mounts = ['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'];
  const whole = await run([...OUTER, 'bwrap', ...spaces, ...mounts, '--cap-drop', 'ALL', '--', 'true']);
  if (whole.exitCode === 0) return POSSIBLE;
  return impossible(
    `A sandbox could not be made (${lastLine(whole)}). In a container, give it /proc without masks and leave to mount, such as Docker's --privileged.`,
  );
}

/** Settings by which distributions and containers forbid it. */
const SWITCHES = [
  { file: '/proc/sys/kernel/unprivileged_userns_clone', off: '0', on: 'kernel.unprivileged_userns_clone=1' },
  {
    file: '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
    off: '1',
    on: 'kernel.apparmor_restrict_unprivileged_userns=0',
  },
  { file: '/proc/sys/user/max_user_namespaces', off: '0', on: 'user.max_user_namespaces=10000' },
];

async function whyNoNamespaces(result: ProgramResult): Promise<string> {
  const settings = await Promise.all(
    SWITCHES.map(async ({ file, off, on }) => {
      const value = await readFile(file, 'utf8').catch(() => undefined);
      return value?.trim() === off ? [`\`sysctl -w ${on}\``] : [];
    }),
  );
  const commands = settings.flat();
  const advice =
    commands.length > 0
      ? `As root, run ${commands.join(' and ')}.`
      : "Where this is a container, let it make namespaces: Docker's --security-opt seccomp=unconfined.";
  return `User namespaces cannot be made (${lastLine(result)}). ${advice}`;
}

async function trySeccomp(run: Run): Promise<Finding> {
  if (process.arch !== 'x64' && process.arch !== 'arm64') {
    return impossible(
      `There is no filter of system calls for ${process.arch}. Use a machine of x86_64 or arm64.`,
    );
  }
  // The same call that just succeeded has to fail under the filter.
  const inside = `echo runs; ${INNER.join(' ')} true && echo unfiltered`;
  const filtered = ['bwrap', '--dev-bind', '/', '/', '--seccomp', '3', '--', 'sh', '-c', inside];
  const result = await run([...OUTER, 'sh', '-c', 'exec 3< filter; exec "$@"', 'sh', ...filtered]);
  if (result.stdout.trim() === 'runs') return POSSIBLE;
  return impossible(
    `System calls cannot be filtered (${lastLine(result)}). Use a kernel with CONFIG_SECCOMP_FILTER.`,
  );
}

async function tryOverlay(run: Run): Promise<Finding> {
  const options = 'lowerdir=lower,upperdir=upper,workdir=work,userxattr';
  const script = `mount -t overlay overlay -o ${options} merged && echo x > merged/made && rm merged/removed && test -f upper/made && echo works`;
  const result = await run([...OUTER, 'sh', '-c', script]);
  // The kernel's files there are accessible to root only, including root of a namespace.
  await run([...OUTER, 'rm', '-rf', 'work/work']);
  if (result.stdout.trim() === 'works') return POSSIBLE;
  return impossible(
    `A writable layer cannot be laid over read-only folders (${lastLine(result)}). Use Linux 5.11 or later, and keep the data directory on a file system with extended attributes, such as ext4 or xfs.`,
  );
}

/** Tries two at once: one at its limit must not block the other, whose limit is far. */
async function tryProcessLimit(run: Run): Promise<Finding> {
  const script = 'for n in 1 2 3 4 5 6 7 8; do sleep 0.3 & done; echo all; wait';
  const start = (limit: number) =>
    run([...OUTER, ...INNER, 'prlimit', `--nproc=${limit}:${limit}`, 'sh', '-c', script]);
  const [held, free] = await Promise.all([start(5), start(50)]);
  const isAll = ({ stdout }: ProgramResult) => stdout.includes('all');
  if (!isAll(held) && isAll(free)) return POSSIBLE;
  return impossible(
    isAll(held)
      ? 'A process was not held to its RLIMIT_NPROC inside a user namespace. Use Linux 5.14 or later, or run the server as root, with control groups.'
      : `RLIMIT_NPROC counts the processes of the whole user here (${lastLine(free)}). Use Linux 5.14 or later, or run the server as root, with control groups.`,
  );
}

const lastLine = ({ stderr, exitCode, signal }: ProgramResult) =>
  stderr.trim().split('\n').at(-1) || `it ended with ${exitCode ?? signal}`;
