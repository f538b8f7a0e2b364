/** Proves that a group enforces its limits: a small process that wants more is put into it, and must not get it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Finding } from '../probe.ts';
import type { Limit, SandboxLimits } from '../sandbox-provider.ts';
import { type Group, makeGroup } from './group.ts';
import type { Layout } from './layout.ts';

interface Trial {
  readonly limits: SandboxLimits;
  /** Run by a shell that has joined the group. Ends soon by itself, in case nobody is left to end it. */
  readonly script: string;
  /** Counter of refusals in the kernel: a file of the group, and its line. */
  readonly proof: { readonly file: Readonly<Record<1 | 2, string>>; readonly line: string };
}

const PROOF_MS = 3000;

const TRIALS: Readonly<Record<Limit, Trial>> = {
  cpu: {
    limits: { cpuCores: 0.02 },
    script: 'ulimit -t 2; while :; do :; done',
    proof: { file: { 1: 'cpu.stat', 2: 'cpu.stat' }, line: 'nr_throttled' },
  },
  memory: {
    limits: { memoryMb: 8 },
    // One line of 48 MB, which tail has to hold completely in memory.
    script: 'head -c 48000000 /dev/zero | tail -n 1 | wc -c',
    proof: { file: { 1: 'memory.oom_control', 2: 'memory.events' }, line: 'oom_kill' },
  },
  pids: {
    limits: { pids: 4 },
    script: 'for i in 1 2 3 4 5 6; do sleep 4 & done; wait',
    proof: { file: { 1: 'pids.events', 2: 'pids.events' }, line: 'max' },
  },
};

const ADVICE = 'Run the server as root, or in a unit of systemd with Delegate=yes';

export async function tryLimit(layout: Layout, limit: Limit, name: string): Promise<Finding> {
  const place = layout[limit];
  if (!place) return impossible(`There is no control group for ${limit} that can be used here. ${ADVICE}.`);
  const { limits, script, proof } = TRIALS[limit];
  const file = join(place.parent, name, proof.file[place.version]);
  return tryTwice(layout, name, limits, script, async () => {
    const deadline = performance.now() + PROOF_MS;
    while (performance.now() < deadline) {
      const found = new RegExp(`^${proof.line} (\\d+)$`, 'm').exec(await readFile(file, 'utf8'))?.[1];
      if (Number(found) > 0) return { isPossible: true };
      await sleep(5);
    }
    return impossible(`A process was not held to a limit of ${limit}, though the kernel took the limit.`);
  });
}

export async function tryFreezing(layout: Layout, name: string): Promise<Finding> {
  if (!layout.freezer) return impossible(`There is no control group that freezes. ${ADVICE}.`);
  return tryInGroup(layout, name, {}, 'ulimit -t 2; while :; do :; done', async (group, { pid }) => {
    const used = () => processorTicks(pid);
    const busy = await used();
    if (!(await becomesTrue(async () => (await used()) > busy))) {
      return impossible('A process that was to be frozen did not run.');
    }
    await group.freeze();
    const frozen = await used();
    await sleep(40);
    if ((await used()) !== frozen) return impossible('A process ran on in a frozen control group.');
    await group.thaw();
    const isBack = await becomesTrue(async () => (await used()) > frozen);
    return isBack ? { isPossible: true } : impossible('A process did not go on when it was thawed.');
  });
}

const impossible = (reason: string): Finding => ({ isPossible: false, reason });

async function becomesTrue(check: () => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + PROOF_MS;
  while (!(await check())) {
    if (performance.now() > deadline) return false;
    await sleep(5);
  }
  return true;
}

/** Reads the 14th and 15th field, which follow a second field in parentheses with arbitrary content. */
async function processorTicks(pid: number | undefined): Promise<number> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** Tries twice, since a busy machine may disturb a trial, and its result is kept for the life of this process. */
async function tryTwice(...trial: Parameters<typeof tryInGroup>): Promise<Finding> {
  const first = await tryInGroup(...trial);
  return first.isPossible ? first : await tryInGroup(...trial);
}

/** Leaves neither a process nor a group behind. */
async function tryInGroup(
  layout: Layout,
  name: string,
  limits: SandboxLimits,
  script: string,
  check: (group: Group, child: ChildProcess) => Promise<Finding>,
): Promise<Finding> {
  let group: Group | undefined;
  let child: ChildProcess | undefined;
  try {
    group = await makeGroup(layout, name, name, limits);
    child = await startIn(group, script);
    return await check(group, child);
  } catch (error) {
    return impossible(`A control group could not be used (${(error as Error).message}). ${ADVICE}.`);
  } finally {
    await group?.kill().catch(() => undefined);
    child?.kill('SIGKILL');
    await group?.remove().catch(() => undefined);
  }
}

/** Resolves when the process has joined, so that everything it does from then on is counted. */
async function startIn(group: Group, script: string): Promise<ChildProcess> {
  const joining = 'for file in "$@"; do echo 0 > "$file" || exit 1; done; echo joined';
  const child = spawn(
    '/bin/sh',
    ['-c', `${joining}; exec >/dev/null; ${script}`, 'sh', ...group.procsFiles],
    {
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  await new Promise<void>((joined, failed) => {
    child.once('error', failed);
    child.once('exit', () => failed(new Error('a process could not join it')));
    child.stdout.once('data', () => joined());
  });
  return child;
}
