/** Runtimes of a real server whose sandboxes are containers, beside `docker run` at the same engine in the same run. */
import { parseArgs } from 'node:util';
import { findObstacle, startEngine } from '../../server/test/containers/engine-under-test.ts';
import { bareDocker } from './bare-docker.ts';
import { startMain } from './main-process.ts';
import { runtimeClient } from './runtime-client.ts';
import { percentile } from './statistics.ts';
import { printTable, verdict } from './table.ts';
import { makeTempDir } from './temp-dir.ts';

const WARM_UP = 2;
const MAX_RATIO = 1.5;
const API_KEY = `dd_${'b'.repeat(40)}`;
const NAMES = [
  'bare docker run … true',
  'create, start, first command',
  'command',
  'pause',
  'resume',
] as const;
type Name = (typeof NAMES)[number];

export async function benchContainers(args: string[], undo: AsyncDisposableStack): Promise<boolean> {
  const { values } = parseArgs({ args, options: { rounds: { type: 'string', default: '20' } } });
  const obstacle = findObstacle('docker');
  if (obstacle !== undefined) throw new Error(`There is no Docker to measure with: ${obstacle}`);
  const engine = await startEngine('docker');
  undo.defer(() => engine.close());
  const server = await startMain(makeTempDir(undo), undo, {
    DRYDOCK_INIT_API_KEY: API_KEY,
    DRYDOCK_RATE_LIMIT_READ: '0',
    DRYDOCK_RATE_LIMIT_WRITE: '0',
    DRYDOCK_CONTAINER_HOST: `unix://${engine.socketPath}`,
    DRYDOCK_CONTAINER_IMAGE: engine.image,
  });
  const client = runtimeClient(server.origin, API_KEY, 'container');
  undo.defer(() => client.deleteAll());
  await client.requireProvider();
  const bare = bareDocker(engine.socketPath, engine.image);

  console.log(`${values.rounds} runtimes, one after the other`);
  const times = Object.fromEntries(NAMES.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = -WARM_UP; round < Number(values.rounds); round++) {
    const timed = async (name: Name, work: () => Promise<unknown>) => {
      const started = performance.now();
      await work();
      if (round >= 0) times[name].push(performance.now() - started);
    };
    const key = `round-${round + WARM_UP}`;
    await timed('bare docker run … true', () => bare.run());
    await bare.remove();
    await timed('create, start, first command', async () => {
      await client.create(key);
      await client.start(key);
      await client.exec(key);
    });
    await timed('command', () => client.exec(key));
    await timed('pause', () => client.pause(key));
    await timed('resume', () => client.resume(key));
    await client.delete(key);
  }
  return printTimes(times);
}

function printTimes(times: Record<Name, number[]>): boolean {
  const at = (name: Name, share: number) => percentile(times[name], share).toFixed(1);
  const median = (name: Name) => percentile(times[name], 0.5);
  const ratio = median('create, start, first command') / median('bare docker run … true');
  const isKept = ratio <= MAX_RATIO;
  console.log('');
  printTable([
    ['milliseconds', 'p50', 'p95', '', ''],
    ...NAMES.map((name) => [name, at(name, 0.5), at(name, 0.95), '', '']),
    ['first command ÷ bare docker run', ratio.toFixed(2), '', `<= ${MAX_RATIO}`, verdict(isKept)],
  ]);
  return isKept;
}
