/** The overhead of the gateway over model calls: against the provider itself one by one, and beside a bare proxy under load. */
import { deepStrictEqual } from 'node:assert';
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { runLoops } from './call-loops.ts';
import { type ChatAddress, ChatConnection } from './chat-connection.ts';
import { askAgain, providersAt, REQUESTS, SESSION } from './chat-samples.ts';
import { COMPARISON_HEADER, type Comparison, compareLoads, type Rounds, toRows } from './comparison.ts';
import { startDatabase } from './database.ts';
import { startServer } from './server-process.ts';
import { median, percentile } from './statistics.ts';
import { printTable, verdict } from './table.ts';

/** Milliseconds above the provider at the median of single calls. */
const MAX_ADDED_MS = { whole: 2, first: 1, recorded: 5 };
/** Calls that are stored, counted and charged. The server runs on one core. */
const MIN_PER_SECOND = 300;
const CONNECTIONS = 64;
/** Number of single calls until the code is compiled and plans are cached. */
const WARM_UP = 200;
/** Number of turns in the conversations that are recorded in a session. */
const TURNS = 20;
/** Seconds under load until the code of a call is fully compiled. */
const WARM_UP_SECONDS = 10;

const DRYDOCK = new URL('./drydock-server.ts', import.meta.url);
const PROVIDER = new URL('./bare-provider.ts', import.meta.url);
const PROXY = new URL('./bare-proxy.ts', import.meta.url);

type Kind = keyof typeof REQUESTS;

interface Target extends ChatAddress {
  readonly title: string;
  readonly pid: number;
  /** Whether it has bounds of its own; others are printed for comparison. */
  readonly isBound: boolean;
}

interface World {
  readonly provider: Target;
  readonly proxy: Target;
  readonly gateways: readonly Target[];
}

interface Options extends Rounds {
  readonly calls: number;
  readonly profileDir: string | undefined;
}

export async function benchInference(args: string[], undo: AsyncDisposableStack): Promise<boolean> {
  const options = readOptions(args);
  const world = await startWorld(options, undo);
  await requireSame(world);
  const singles = [...(await timeSingles(world, options)), ...(await timeRecorded(world, options))];
  const comparisons: (Comparison & { readonly isBound: boolean })[] = [];
  for (const kind of ['whole', 'streamed'] as const)
    for (const gateway of world.gateways) {
      const title = `${kind === 'whole' ? 'whole calls' : 'streams'}, ${gateway.title}`;
      const rounds = { ...options, warmUpSeconds: WARM_UP_SECONDS };
      const compared = await compareLoads(title, loadOn(world.proxy, kind), loadOn(gateway, kind), rounds);
      comparisons.push({ ...compared, isBound: gateway.isBound });
    }
  const isQuick = reportSingles(singles);
  console.log(
    `\n${CONNECTIONS} connections; medians of the rounds; CPU is the server process alone, per call\n`,
  );
  printTable([COMPARISON_HEADER, ...comparisons.flatMap((one) => toRows(one, 'bare proxy', undefined))]);
  const bound = comparisons.filter(({ isBound }) => isBound);
  const perSecond = bound.map(({ title, ours }) => ({
    title,
    calls: median(ours.map((load) => load.perSecond)),
  }));
  console.log('');
  printTable(
    perSecond.map(({ title, calls }) => [
      `${title}, calls/s`,
      calls.toFixed(0),
      `>= ${MIN_PER_SECOND}`,
      verdict(calls >= MIN_PER_SECOND),
    ]),
  );
  return isQuick && perSecond.every(({ calls }) => calls >= MIN_PER_SECOND);
}

function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      // Many short rounds: a shared machine changes its speed within seconds, and both sides must be affected equally.
      rounds: { type: 'string', default: '20' },
      seconds: { type: 'string', default: '1' },
      calls: { type: 'string', default: '1000' },
      'cpu-prof': { type: 'string' },
    },
  });
  const { rounds, seconds, calls, 'cpu-prof': profileDir } = values;
  return { rounds: Number(rounds), seconds: Number(seconds), calls: Number(calls), profileDir };
}

async function startWorld({ profileDir }: Options, undo: AsyncDisposableStack): Promise<World> {
  const { apiKey, env } = await startDatabase(undo);
  const start = (entry: URL, more: Record<string, string>) =>
    startServer<Record<string, string>>({ entry, env: { ...env, ...more }, profileDir }, undo);
  const { pid: providerPid, addresses } = await start(PROVIDER, {});
  const origin = addresses.origin ?? '';
  const proxy = await start(PROXY, { BENCH_PROVIDER_ORIGIN: origin });
  const gateways: Target[] = [];
  for (const credits of ['unlimited', 'enforced'] as const) {
    const { pid, addresses: own } = await start(DRYDOCK, {
      DRYDOCK_ALLOW_PRIVATE_PROVIDERS: '1',
      DRYDOCK_CREDITS: credits,
    });
    const organization = `${own.oneRow}/api/v1/org/main`;
    if (gateways.length === 0) await prepare(organization, apiKey, origin);
    const url = `${organization}/inference/v1/chat/completions`;
    gateways.push({ title: `credits ${credits}`, url, apiKey, pid, isBound: credits === 'unlimited' });
  }
  const path = '/v1/chat/completions';
  const common = { apiKey, isBound: false };
  return {
    provider: { ...common, title: 'the provider itself', url: origin + path, pid: providerPid },
    proxy: { ...common, title: 'bare proxy', url: `${proxy.addresses.origin}${path}`, pid: proxy.pid },
    gateways,
  };
}

/** Adds a model to call, and practically unlimited credits. */
async function prepare(organization: string, apiKey: string, origin: string): Promise<void> {
  const send = async (method: string, path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const response = await fetch(`${organization}${path}`, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  };
  await send('PUT', '/inference/providers', providersAt(origin));
  await send('POST', '/credits/adjust', { amount: 1_000_000_000 });
}

/** Requires equal responses except for their ids. */
async function requireSame({ provider, proxy, gateways }: World): Promise<void> {
  for (const kind of ['whole', 'streamed'] as const) {
    const texts = await Promise.all(
      [provider, proxy, ...gateways].map((target) => receiveOnce(target, kind)),
    );
    for (const other of texts) deepStrictEqual(other, texts[0]);
  }
}

async function receiveOnce(target: Target, kind: Kind): Promise<unknown[]> {
  const connection = new ChatConnection(target);
  const { body } = await connection.ask(REQUESTS[kind]);
  connection.close();
  const texts = kind === 'whole' ? [body.toString()] : (body.toString().match(/(?<=^data: )\{.*$/gm) ?? []);
  // The real provider reports usage only on request; this one always does.
  return texts
    .map((text) => JSON.parse(text.replace(/"id":"[^"]*"/, '"id":""')) as { choices: unknown[] })
    .filter(({ choices }) => choices.length > 0);
}

interface Single {
  readonly title: string;
  readonly times: readonly number[];
  /** Milliseconds above the provider itself, at the median. */
  readonly addedMs: number | undefined;
  /** undefined: the value is printed without a bound. */
  readonly maxAddedMs: number | undefined;
}

/** Alternates, so that other load on the machine affects all equally. */
async function timeSingles({ provider, proxy, gateways }: World, { calls }: Options): Promise<Single[]> {
  const all = [provider, proxy, ...gateways];
  const callers = all.map((target) => {
    const times = { whole: [] as number[], first: [] as number[] };
    return { target, connection: new ChatConnection(target), times };
  });
  console.log(`${calls} single calls of each`);
  for (let call = -WARM_UP; call < calls; call++)
    for (const { connection, times } of callers) {
      const { wholeMs } = await connection.ask(REQUESTS.whole);
      const { firstMs } = await connection.ask(REQUESTS.streamed);
      if (call < 0) continue;
      times.whole.push(wholeMs);
      times.first.push(firstMs);
    }
  for (const { connection } of callers) connection.close();
  return (['whole', 'first'] as const).flatMap((what) => {
    const direct = percentile(callers[0]?.times[what] ?? [], 0.5);
    return callers.map(({ target, times }) => ({
      title: `${what === 'whole' ? 'whole answer' : 'first token'}, ${target.title}`,
      times: times[what],
      addedMs: target === provider ? undefined : percentile(times[what], 0.5) - direct,
      maxAddedMs: target.isBound ? MAX_ADDED_MS[what] : undefined,
    }));
  });
}

/** Conversations whose calls are recorded in a session: each sends all turns again and appends the new ones. */
async function timeRecorded({ provider, gateways }: World, { calls }: Options): Promise<Single[]> {
  const [gateway = provider] = gateways;
  const ways = [provider, gateway, gateway].map((target, index) => ({
    title: ['the provider itself', 'the gateway', 'the gateway, with a session'][index] ?? '',
    connection: new ChatConnection(target),
    times: [] as number[],
  }));
  for (let call = -WARM_UP, session = ''; call < calls; call++) {
    const turn = (call + WARM_UP) % TURNS;
    if (turn === 0) session = await saveSession(gateway);
    for (const { connection, times } of ways) {
      const headers = times === ways[2]?.times ? `X-Drydock-Session: ${session}\r\n` : '';
      const { wholeMs } = await connection.ask(askAgain(turn), headers);
      if (call >= 0) times.push(wholeMs);
    }
  }
  for (const { connection } of ways) connection.close();
  const direct = percentile(ways[0]?.times ?? [], 0.5);
  return ways.map(({ title, times }, index) => ({
    title: `whole answer in a conversation, ${title}`,
    times,
    addedMs: index === 0 ? undefined : percentile(times, 0.5) - direct,
    maxAddedMs: [undefined, MAX_ADDED_MS.whole, MAX_ADDED_MS.recorded][index],
  }));
}

async function saveSession({ url, apiKey }: Target): Promise<string> {
  const id = randomUUID();
  const path = url.replace('/inference/v1/chat/completions', '/ws/main/sessions');
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ id, ...SESSION });
  const saved = await fetch(path, { method: 'POST', headers, body });
  if (!saved.ok) throw new Error(`${path}: ${saved.status} ${await saved.text()}`);
  return id;
}

const isQuickEnough = ({ addedMs = 0, maxAddedMs = Number.POSITIVE_INFINITY }: Single) =>
  addedMs <= maxAddedMs;

function reportSingles(singles: readonly Single[]): boolean {
  const rows = singles.map((single) => [
    single.title,
    ...[0.5, 0.95, 0.99].map((share) => percentile(single.times, share).toFixed(2)),
    single.addedMs?.toFixed(2) ?? '',
    single.maxAddedMs === undefined ? '' : `<= ${single.maxAddedMs}`,
    single.maxAddedMs === undefined ? '' : verdict(isQuickEnough(single)),
  ]);
  console.log('\nOne call at a time\n');
  printTable([['milliseconds', 'p50', 'p95', 'p99', 'added', 'bound', ''], ...rows]);
  return singles.every(isQuickEnough);
}

function loadOn(target: Target, kind: Kind) {
  return async (seconds: number) => {
    const connections = Array.from({ length: CONNECTIONS }, () => new ChatConnection(target));
    try {
      const callers = connections.map((connection) => () => connection.ask(REQUESTS[kind]));
      return await runLoops({ callers, seconds, pid: target.pid, rowsPerCall: 1 });
    } finally {
      for (const connection of connections) connection.close();
    }
  };
}
