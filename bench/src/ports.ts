/** The cost of the port proxy, against the same program reached directly and through a bare proxy, in the same run. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { percent } from './figures.ts';
import { startMain } from './main-process.ts';
import { PlainConnection } from './plain-connection.ts';
import { cpuSeconds } from './process-usage.ts';
import { median, percentile } from './statistics.ts';
import { printTable, verdict } from './table.ts';
import { makeTempDir } from './temp-dir.ts';

const MAX_ADDED_MS = 3;
const MIN_RATIO = 0.5;
const CONNECTIONS = 16;
const WARM_UP = 300;
const INSIDE_PORT = 8000;
const PROGRAM = join(import.meta.dirname, 'port-server.ts');
const BARE_PROXY = join(import.meta.dirname, 'bare-port-proxy.ts');
const API_KEY = `dd_${'b'.repeat(40)}`;
/** Path below the workspace; the direct listener responds at any path. */
const PATH = `/runtimes/bench/ports/${INSIDE_PORT}/`;

interface Target {
  readonly title: string;
  readonly origin: string;
  /** Process whose CPU time is reported. */
  readonly pid: number;
}

interface Options {
  readonly calls: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly bytes: number;
}

export async function benchPorts(args: string[], undo: AsyncDisposableStack): Promise<boolean> {
  const options = readOptions(args);
  const server = await startMain(makeTempDir(undo), undo, {
    DRYDOCK_INIT_API_KEY: API_KEY,
    DRYDOCK_RATE_LIMIT_READ: '0',
    DRYDOCK_RATE_LIMIT_WRITE: '0',
    DRYDOCK_RATE_LIMIT_INGEST: '0',
  });
  await listenInside(server.origin, undo);
  const [port, proxyPort] = [randomPort(), randomPort()];
  const targets = [
    await startProgram('directly', PROGRAM, [port], undo),
    await startProgram('a bare proxy', BARE_PROXY, [proxyPort, port], undo),
    { title: 'Drydock', origin: server.origin, pid: server.pid },
  ];
  const isQuick = await benchSingles(targets, options);
  const isThrough = await benchLoads(targets, options);
  return isQuick && isThrough;
}

function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      calls: { type: 'string', default: '1000' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '4' },
      megabytes: { type: 'string', default: '1000' },
    },
  });
  const { calls, rounds, seconds, megabytes } = values;
  return {
    calls: Number(calls),
    rounds: Number(rounds),
    seconds: Number(seconds),
    bytes: Number(megabytes) * 1e6,
  };
}

/** Uses the Node of this process, so that both run the same version. */
async function listenInside(origin: string, undo: AsyncDisposableStack): Promise<void> {
  const runtimes = `${origin}/api/v1/org/main/ws/main/runtimes`;
  const send = async (method: string, path: string, body?: object | Buffer) => {
    const isBytes = body instanceof Buffer;
    const type = isBytes ? 'application/octet-stream' : 'application/json';
    const response = await fetch(runtimes + path, {
      method,
      headers: { authorization: `Bearer ${API_KEY}`, ...(body && { 'content-type': type }) },
      ...(body && { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  };
  await send('POST', '', { key: 'bench', config: { sandbox: { exposed_ports: [INSIDE_PORT] } } });
  undo.defer(() => send('DELETE', '/bench'));
  await send('POST', '/bench/start');
  await send('PUT', '/bench/files?path=node', readFileSync(process.execPath));
  await send('PUT', '/bench/files?path=port-server.ts', readFileSync(PROGRAM));
  const command = `chmod +x node; setsid ./node port-server.ts ${INSIDE_PORT} >log 2>&1 </dev/null & until grep -q listens log; do sleep 0.1; done`;
  await send('POST', '/bench/exec', { command, timeout_seconds: 30 });
}

const randomPort = () => 20_000 + Math.floor(Math.random() * 10_000);

async function startProgram(
  title: string,
  program: string,
  ports: readonly number[],
  undo: AsyncDisposableStack,
): Promise<Target> {
  const child = spawn(process.execPath, [program, ...ports.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  undo.defer(async () => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return { title, origin: `http://127.0.0.1:${ports[0]}`, pid: child.pid ?? 0 };
}

/** Alternates, so that other load on the machine affects all equally. */
async function benchSingles(targets: readonly Target[], { calls }: Options): Promise<boolean> {
  console.log(`${calls} requests, one after the other`);
  const connections = targets.map(({ origin }) => new PlainConnection(origin, API_KEY));
  const times: number[][] = targets.map(() => []);
  for (let round = -WARM_UP; round < calls; round += 1) {
    for (const [index, connection] of connections.entries()) {
      const started = performance.now();
      await connection.send('GET', PATH);
      if (round >= 0) times[index]?.push(performance.now() - started);
    }
  }
  for (const connection of connections) connection.close();
  const added = times.map((all) => median(all) - median(times[0] ?? []));
  const isQuick = (added.at(-1) ?? Number.NaN) <= MAX_ADDED_MS;
  const rows = targets.map(({ title }, index) => [
    title,
    median(times[index] ?? []).toFixed(2),
    percentile(times[index] ?? [], 0.99).toFixed(2),
    index === 0 ? '' : (added[index]?.toFixed(2) ?? ''),
    ...(index === targets.length - 1 ? [`<= ${MAX_ADDED_MS}`, verdict(isQuick)] : ['', '']),
  ]);
  printTable([['one at a time', 'p50 ms', 'p99 ms', 'added', 'bound', ''], ...rows]);
  return isQuick;
}

interface Figures {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
}

/** A list of rounds for each target. */
type Compared = readonly Figures[][];

async function benchLoads(targets: readonly Target[], options: Options): Promise<boolean> {
  const { rounds, seconds, bytes } = options;
  const small = await compare(targets, rounds, (target) => askMany(target, seconds));
  const large = await compare(targets, rounds, (target) => takeLarge(target, bytes));
  console.log(`\nmedians of ${rounds} rounds; CPU is that of the process alone, for a request or a megabyte`);
  const header = ['', 'each', 'CPU µs', 'of direct', 'bound', ''];
  const titles = targets.map(({ title }) => title);
  printTable([
    header,
    ...toRows(small, titles, `small, ${CONNECTIONS} at once`, ['requests/s', 1]),
    ...toRows(large, titles, `${bytes / 1e6} MB`, ['MB/s', 1e6], MIN_RATIO),
  ]);
  return (ratiosOf(large).at(-1) ?? 0) >= MIN_RATIO;
}

async function compare(
  targets: readonly Target[],
  rounds: number,
  measure: (target: Target) => Promise<Figures>,
): Promise<Compared> {
  for (const target of targets) await measure(target);
  const found: Figures[][] = targets.map(() => []);
  for (let round = 0; round < rounds; round += 1)
    for (const [index, target] of targets.entries()) found[index]?.push(await measure(target));
  return found;
}

/** Ratios of each round, since a disturbance slows all of a round. */
const ratiosOf = (compared: Compared) =>
  compared.map((all) =>
    median(all.map(({ perSecond }, round) => perSecond / (compared[0]?.[round]?.perSecond ?? Number.NaN))),
  );

function toRows(
  compared: Compared,
  titles: readonly string[],
  what: string,
  [unit, scale]: readonly [string, number],
  minRatio?: number,
): string[][] {
  const ratios = ratiosOf(compared);
  return compared.map((all, index) => {
    const ratio = ratios[index] ?? Number.NaN;
    const isJudged = minRatio !== undefined && index === compared.length - 1;
    return [
      `${what}, ${titles[index]}`,
      `${(median(all.map(({ perSecond }) => perSecond)) / scale).toFixed(0)} ${unit}`,
      median(all.map(({ cpuMicroseconds }) => cpuMicroseconds)).toFixed(0),
      index === 0 ? '' : percent(ratio),
      ...(isJudged ? [`>= ${percent(minRatio)}`, verdict(ratio >= minRatio)] : ['', '']),
    ];
  });
}

async function askMany({ origin, pid }: Target, seconds: number): Promise<Figures> {
  const connections = Array.from({ length: CONNECTIONS }, () => new PlainConnection(origin, API_KEY));
  const cpu = cpuSeconds([pid]);
  const started = performance.now();
  let count = 0;
  const loop = async (connection: PlainConnection) => {
    for (; performance.now() - started < seconds * 1000; count += 1) await connection.send('GET', PATH);
  };
  await Promise.all(connections.map(loop));
  const took = (performance.now() - started) / 1000;
  for (const connection of connections) connection.close();
  return { perSecond: count / took, cpuMicroseconds: ((cpuSeconds([pid]) - cpu) / count) * 1e6 };
}

/** Downloads with Node's HTTP client. */
async function takeLarge({ origin, pid }: Target, bytes: number): Promise<Figures> {
  const cpu = cpuSeconds([pid]);
  const started = performance.now();
  const url = `${origin}/api/v1/org/main/ws/main${PATH}?bytes=${bytes}`;
  const asked = get(url, { agent: false, headers: { authorization: `Bearer ${API_KEY}` } });
  const [response] = await once(asked, 'response');
  let received = 0;
  response.on('data', (part: Buffer) => (received += part.length));
  await once(response, 'end');
  if (received < bytes) throw new Error(`only ${received} bytes of ${bytes} came from ${origin}`);
  const took = (performance.now() - started) / 1000;
  return { perSecond: bytes / took, cpuMicroseconds: ((cpuSeconds([pid]) - cpu) / (bytes / 1e6)) * 1e6 };
}
