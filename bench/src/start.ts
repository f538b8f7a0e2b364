/** The time until the server is healthy, and its resource usage while idle. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type RunningServer, startMain } from './main-process.ts';
import { commandOf, cpuSeconds, processTree, pssBytes } from './process-usage.ts';
import { median } from './statistics.ts';
import { printTable, verdict } from './table.ts';
import { makeTempDir } from './temp-dir.ts';

const MAX_EMPTY_SECONDS = 15;
const MAX_INITIALISED_SECONDS = 3;
const MAX_PSS_BYTES = 250e6;
const MAX_CORE_SHARE = 0.007;
/** Includes once what is done most rarely: PostgreSQL looks for tables to vacuum every three minutes. */
const CPU_WINDOW_SECONDS = 180;

interface Usage {
  readonly pss: number;
  readonly cpu: number;
}

interface Sample {
  readonly server: Usage;
  readonly postgres: Usage;
  readonly postgresProcesses: number;
}

/** Seconds of CPU during a window. */
interface CpuSeconds {
  readonly server: number;
  readonly postgres: number;
}

interface Idle {
  readonly memory: Sample;
  /** V8 compacts its heap twice in the five minutes after a start, 0.25 s of CPU each, and then not again. */
  readonly afterStart: CpuSeconds;
  readonly settled: CpuSeconds;
  readonly windowSeconds: number;
}

export async function benchStart(args: string[], undo: AsyncDisposableStack): Promise<boolean> {
  const { rounds, idleSeconds } = readOptions(args);
  const dataDir = makeTempDir(undo);
  const start = () => startMain(dataDir, undo);
  const startOnce = async () => {
    const server = await start();
    await server.stop();
    return server.healthySeconds;
  };
  console.log('start on an empty data directory');
  const empty = await startOnce();
  const initialised: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    console.log(`start on an initialised one: round ${round} of ${rounds}`);
    initialised.push(await startOnce());
  }
  console.log(`idle for ${idleSeconds} s`);
  const idle = await measureIdle(await start(), idleSeconds);
  return report(empty, initialised, idle);
}

function readOptions(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '5' },
      'idle-seconds': { type: 'string', default: '300' },
    },
  });
  return { rounds: Number(values.rounds), idleSeconds: Number(values['idle-seconds']) };
}

async function measureIdle({ pid }: RunningServer, idleSeconds: number): Promise<Idle> {
  const windowSeconds = Math.min(CPU_WINDOW_SECONDS, idleSeconds);
  await sleep((idleSeconds - windowSeconds) * 1000);
  const before = measure(pid);
  await sleep(windowSeconds * 1000);
  const memory = measure(pid);
  await sleep(windowSeconds * 1000);
  const after = measure(pid);
  return {
    memory,
    afterStart: cpuBetween(before, memory),
    settled: cpuBetween(memory, after),
    windowSeconds,
  };
}

const cpuBetween = (before: Sample, after: Sample): CpuSeconds => ({
  server: after.server.cpu - before.server.cpu,
  postgres: after.postgres.cpu - before.postgres.cpu,
});

function measure(pid: number): Sample {
  const tree = processTree(pid);
  const postgres = tree.filter((member) => commandOf(member) === 'postgres');
  const server = tree.filter((member) => !postgres.includes(member));
  if (postgres.length === 0) throw new Error('The server runs no PostgreSQL; is DATABASE_URL set?');
  const usage = (pids: number[]): Usage => ({ cpu: cpuSeconds(pids), pss: pssBytes(pids) });
  return { server: usage(server), postgres: usage(postgres), postgresProcesses: postgres.length };
}

function report(empty: number, initialised: number[], idle: Idle): boolean {
  const slowest = Math.max(...initialised);
  const { memory } = idle;
  const pss = memory.server.pss + memory.postgres.pss;
  const share = (cpu: number) => cpu / idle.windowSeconds;
  const together = (cpu: CpuSeconds) => share(cpu.server + cpu.postgres);
  const bounds = [
    empty <= MAX_EMPTY_SECONDS,
    slowest <= MAX_INITIALISED_SECONDS,
    pss <= MAX_PSS_BYTES,
    together(idle.afterStart) < MAX_CORE_SHARE,
    together(idle.settled) < MAX_CORE_SHARE,
  ];
  const [isEmptyKept, isInitialisedKept, isPssKept, isCpuKept, isSettledCpuKept] = bounds.map(verdict);
  const postgres = `PostgreSQL (${memory.postgresProcesses} processes)`;
  const cpuRows = (title: string, cpu: CpuSeconds, isKept = '') => [
    [`${title}, server`, percent(share(cpu.server)), '', ''],
    [`  ${postgres}`, percent(share(cpu.postgres)), '', ''],
    ['  together', percent(together(cpu)), `< ${percent(MAX_CORE_SHARE)}`, isKept],
  ];
  console.log('');
  printTable([
    ['', 'figure', 'bound', ''],
    ['healthy on an empty data directory', seconds(empty), `<= ${MAX_EMPTY_SECONDS} s`, isEmptyKept ?? ''],
    ['healthy on an initialised one, median', seconds(median(initialised)), '', ''],
    ['  slowest', seconds(slowest), `<= ${MAX_INITIALISED_SECONDS} s`, isInitialisedKept ?? ''],
    ['idle memory (PSS), server', megabytes(memory.server.pss), '', ''],
    [`  ${postgres}`, megabytes(memory.postgres.pss), '', ''],
    ['  together', megabytes(pss), `<= ${megabytes(MAX_PSS_BYTES)}`, isPssKept ?? ''],
    ...cpuRows(`idle CPU of one core over ${idle.windowSeconds} s`, idle.afterStart, isCpuKept),
    ...cpuRows(`  over the next ${idle.windowSeconds} s`, idle.settled, isSettledCpuKept),
  ]);
  return bounds.every(Boolean);
}

const seconds = (value: number) => `${value.toFixed(2)} s`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
const percent = (value: number) => `${(value * 100).toFixed(2)} %`;
