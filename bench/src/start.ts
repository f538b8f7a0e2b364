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
/**
 * A server that has just started is not idle for the first five minutes: V8 compacts its heap twice, 0.3 s of CPU each, and then not again.
 * `--idle-seconds 300` measures them too.
 */
const IDLE_SECONDS = 480;

interface Usage {
  readonly pss: number;
  readonly cpu: number;
}

interface Idle {
  readonly server: Usage;
  readonly postgres: Usage;
  readonly postgresProcesses: number;
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
      'idle-seconds': { type: 'string', default: String(IDLE_SECONDS) },
    },
  });
  return { rounds: Number(values.rounds), idleSeconds: Number(values['idle-seconds']) };
}

async function measureIdle({ pid }: RunningServer, idleSeconds: number): Promise<Idle> {
  const windowSeconds = Math.min(CPU_WINDOW_SECONDS, idleSeconds);
  await sleep((idleSeconds - windowSeconds) * 1000);
  const before = measure(pid);
  await sleep(windowSeconds * 1000);
  const after = measure(pid);
  return {
    server: { pss: after.server.pss, cpu: after.server.cpu - before.server.cpu },
    postgres: { pss: after.postgres.pss, cpu: after.postgres.cpu - before.postgres.cpu },
    postgresProcesses: after.postgresProcesses,
    windowSeconds,
  };
}

function measure(pid: number) {
  const tree = processTree(pid);
  const postgres = tree.filter((member) => commandOf(member) === 'postgres');
  const server = tree.filter((member) => !postgres.includes(member));
  if (postgres.length === 0) throw new Error('The server runs no PostgreSQL; is DATABASE_URL set?');
  const usage = (pids: number[]): Usage => ({ cpu: cpuSeconds(pids), pss: pssBytes(pids) });
  return { server: usage(server), postgres: usage(postgres), postgresProcesses: postgres.length };
}

function report(empty: number, initialised: number[], idle: Idle): boolean {
  const slowest = Math.max(...initialised);
  const pss = idle.server.pss + idle.postgres.pss;
  const share = (cpu: number) => cpu / idle.windowSeconds;
  const cpu = share(idle.server.cpu + idle.postgres.cpu);
  const bounds = [
    empty <= MAX_EMPTY_SECONDS,
    slowest <= MAX_INITIALISED_SECONDS,
    pss <= MAX_PSS_BYTES,
    cpu < MAX_CORE_SHARE,
  ];
  const [isEmptyKept, isInitialisedKept, isPssKept, isCpuKept] = bounds.map(verdict);
  const postgres = `PostgreSQL (${idle.postgresProcesses} processes)`;
  console.log('');
  printTable([
    ['', 'figure', 'bound', ''],
    ['healthy on an empty data directory', seconds(empty), `<= ${MAX_EMPTY_SECONDS} s`, isEmptyKept ?? ''],
    ['healthy on an initialised one, median', seconds(median(initialised)), '', ''],
    ['  slowest', seconds(slowest), `<= ${MAX_INITIALISED_SECONDS} s`, isInitialisedKept ?? ''],
    ['idle memory (PSS), server', megabytes(idle.server.pss), '', ''],
    [`  ${postgres}`, megabytes(idle.postgres.pss), '', ''],
    ['  together', megabytes(pss), `<= ${megabytes(MAX_PSS_BYTES)}`, isPssKept ?? ''],
    [`idle CPU of one core over ${idle.windowSeconds} s, server`, percent(share(idle.server.cpu)), '', ''],
    [`  ${postgres}`, percent(share(idle.postgres.cpu)), '', ''],
    ['  together', percent(cpu), `< ${percent(MAX_CORE_SHARE)}`, isCpuKept ?? ''],
  ]);
  return bounds.every(Boolean);
}

const seconds = (value: number) => `${value.toFixed(2)} s`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
const percent = (value: number) => `${(value * 100).toFixed(2)} %`;
