/** The cost of counting requests for writes: the server with a limit that is never reached, against none. */
import { parseArgs } from 'node:util';
import { startDatabase } from './database.ts';
import { type Load, load } from './load.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { median } from './statistics.ts';
import { printTable, verdict } from './table.ts';

const MIN_RATIO = 0.9;
const WARM_UP_SECONDS = 3;
const ENTRY = new URL('./drydock-server.ts', import.meta.url);
const PATH = '/api/v1/org/main/ws/main/projects';

export async function benchLimits(args: string[], undo: AsyncDisposableStack): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '5' } },
  });
  const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
  const { env, apiKey } = await startDatabase(undo);
  const start = (limit: string) =>
    startServer(
      { entry: ENTRY, env: { ...env, DRYDOCK_RATE_LIMIT_WRITE: limit }, profileDir: undefined },
      undo,
    );
  const [off, on] = [await start('0'), await start('1000000')];
  let count = 0;
  const write = ({ addresses, pid }: ServerProcess, duration: number) => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const makeBody = () => ({ name: `Project ${count}`, key: `project-${count++}` });
    return load({ url: addresses.oneRow + PATH, pid, headers, makeBody }, duration);
  };

  for (const server of [off, on]) await write(server, WARM_UP_SECONDS);
  const pairs: { off: Load; on: Load }[] = [];
  for (let round = 1; round <= rounds; round++) {
    console.log(`round ${round} of ${rounds}`);
    // Alternates which side is first, so that other load on the machine affects both equally.
    const isOffFirst = round % 2 === 1;
    const first = await write(isOffFirst ? off : on, seconds);
    const second = await write(isOffFirst ? on : off, seconds);
    pairs.push(isOffFirst ? { off: first, on: second } : { off: second, on: first });
  }
  return report(pairs);
}

function report(pairs: readonly { off: Load; on: Load }[]): boolean {
  const ratios = pairs.map(({ off, on }) => on.perSecond / off.perSecond);
  const ratio = median(ratios);
  const row = (title: string, loads: readonly Load[], rest: string[]) => [
    title,
    median(loads.map(({ perSecond }) => perSecond)).toFixed(0),
    median(loads.map(({ p50Ms }) => p50Ms)).toFixed(1),
    median(loads.map(({ p99Ms }) => p99Ms)).toFixed(1),
    median(loads.map(({ cpuMicroseconds }) => cpuMicroseconds)).toFixed(0),
    ...rest,
  ];
  console.log(
    '\nPOST projects, medians of the rounds, 32 connections; CPU is the server process alone, per request\n',
  );
  printTable([
    ['', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs', 'ratio', 'of rounds', 'bound', ''],
    row(
      'no limit',
      pairs.map(({ off }) => off),
      ['', '', '', ''],
    ),
    row(
      'limit 1,000,000',
      pairs.map(({ on }) => on),
      [
        ratio.toFixed(3),
        `${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)}`,
        `>= ${MIN_RATIO.toFixed(2)}`,
        verdict(ratio >= MIN_RATIO),
      ],
    ),
  ]);
  return ratio >= MIN_RATIO;
}
