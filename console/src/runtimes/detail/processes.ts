/** Reads the processes of a sandbox from /proc. `ps` is missing in many images, and its options differ. */

/** Writes a line about the command itself, and then one line for each process: its `stat`, a tab, and its command line. */
export const READ_PROCESSES = `
read -r uptime _ </proc/uptime
echo "$$ $uptime $(getconf CLK_TCK 2>/dev/null || echo 100) $(getconf PAGESIZE 2>/dev/null || echo 4096)"
cd /proc && for pid in [0-9]*; do
  stat=$(tr '\\n\\t' '  ' 2>/dev/null <"$pid/stat") || continue
  line=$(tr '\\000\\n\\t' '   ' 2>/dev/null <"$pid/cmdline" | head -c 200)
  printf '%s\\t%s\\n' "$stat" "$line"
done
true`;

export interface SandboxProcess {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  readonly ageSeconds: number;
  readonly command: string;
}

const STATES: Readonly<Record<string, string>> = {
  R: 'running',
  S: 'sleeping',
  D: 'waiting for the disk',
  T: 'stopped',
  t: 'traced',
  Z: 'ended, not collected',
  I: 'idle',
};

/** The name of a program may contain spaces and parentheses, so fields are counted after the last one. */
const STAT = /^(\d+) \((.*)\) (\S) (\d+) (.*)$/;

/** @returns the processes without those of the command itself, those with the most memory first */
export function readProcesses(output: string): readonly SandboxProcess[] {
  const [first = '', ...lines] = output.split('\n');
  const [self = 0, uptime = 0, ticks = 100, pageBytes = 4_096] = first.split(' ').map(Number);
  const all = lines.flatMap((line): SandboxProcess[] => {
    const [stat = '', args = ''] = line.split('\t');
    const [, pid, name, state, parent, rest] = STAT.exec(stat.trim()) ?? [];
    if (pid === undefined || state === undefined || rest === undefined) return [];
    // Fields 5 to 24 of proc_pid_stat(5).
    const fields = rest.split(' ').map(Number);
    const [utime = 0, stime = 0, startTime = 0, pages = 0] = [14, 15, 22, 24].map(
      (field) => fields[field - 5] ?? 0,
    );
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        state: STATES[state] ?? state,
        cpuSeconds: (utime + stime) / ticks,
        memoryBytes: pages * pageBytes,
        ageSeconds: Math.max(0, uptime - startTime / ticks),
        // A process without a command line shows the name of its program, as ps does.
        command: args.trim() || `[${name}]`,
      },
    ];
  });
  const own = findStarters(all, self);
  return all
    .filter(({ pid, parent }) => !own.has(pid) && parent !== self)
    .toSorted((a, b) => b.memoryBytes - a.memoryBytes || a.pid - b.pid);
}

/** @returns the command itself, and the programs of the platform that entered the sandbox to start it */
function findStarters(all: readonly SandboxProcess[], self: number): ReadonlySet<number> {
  const parents = new Map(all.map(({ pid, parent }) => [pid, parent]));
  const found = new Set<number>();
  // The first process is the sandbox's own, and 0 is outside.
  for (let pid = self; pid > 1 && !found.has(pid); pid = parents.get(pid) ?? 0) found.add(pid);
  return found;
}
