/** Facets of a million sessions in one workspace over HTTP: by SQL in a server that has just started, and with a loaded index. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { type BenchDatabase, startDatabase } from './database.ts';
import { insertSessions } from './million-sessions.ts';
import { startServer } from './server-process.ts';
import { median } from './statistics.ts';
import { printTable, verdict } from './table.ts';

const MAX_DEFAULT_MS = 20;
const MAX_FILTERED_MS = 60;
const MAX_COLD_MS = 1_500;
const MAX_SEARCH_MS = 300;
const MAX_LOAD_MS = 300_000;

interface View {
  readonly title: string;
  readonly query: string;
  readonly maxMs: number;
  /** Whether it is also measured on a server that has just started. */
  readonly isFilter: boolean;
}

const filter = (title: string, query: string): View => ({
  title,
  query,
  maxMs: MAX_FILTERED_MS,
  isFilter: true,
});

const search = (title: string, query: string): View => ({
  title,
  query,
  maxMs: MAX_SEARCH_MS,
  isFilter: false,
});

/** @param userId of a user with sessions */
const viewsFor = (userId: string): View[] => [
  { title: 'default view', query: '', maxMs: MAX_DEFAULT_MS, isFilter: true },
  filter('user', 'user=user-7'),
  filter('user_id', `user_id=${userId}`),
  filter('project_id', 'project_id=project-3'),
  filter('agent', 'agent=agent-4&agent=agent-5'),
  filter('model', 'model=provider%2Fmodel-1'),
  filter('origin', 'origin=eval'),
  filter('label', 'label=key-3:value-4'),
  filter('archived', 'archived=any'),
  filter('include_workload_sessions', 'include_workload_sessions=true'),
  search('search, few found', 'search=MODULE%204242'),
  search('search, all found', 'search=session'),
  search('search, one letter', 'search=e'),
  search('search, nothing found', 'search=zebra%20crossing'),
];

export async function benchSessionFacets(args: string[], undo: AsyncDisposableStack): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: { rounds: { type: 'string', default: '20' }, rows: { type: 'string', default: '1000000' } },
  });
  const rows = Number(values.rows);
  const database = await startDatabase(undo);
  await insertSessionsOf(database, rows);
  const results: Result[] = [];
  const first = await startCaller(database, undo);
  const views = viewsFor(await first.findUserId('user-3'));
  await first.stop();
  for (const view of views.filter(({ isFilter }) => isFilter))
    results.push(await measureCold(database, view, undo));
  const caller = await startCaller(database, undo);
  const loadedMs = await untilLoaded(caller);
  for (const view of views) results.push(await measureWarm(caller, view, Number(values.rounds)));
  results.push(await measureChanged(caller, Number(values.rounds)));
  await caller.stop();
  console.log(`\nFacets of ${rows} sessions\n`);
  printTable([['', 'median ms', 'longest ms', 'bound', ''], ...results.map(toRow)]);
  const megabytes = (caller.bytes / 2 ** 20).toFixed(0);
  const perMillion = ((caller.bytes / rows) * 1e6) / 2 ** 20;
  console.log(
    `\nIn memory: ${megabytes} MiB, ${perMillion.toFixed(0)} MiB for a million; loaded in ${(loadedMs / 1000).toFixed(1)} s`,
  );
  return results.every(isKept);
}

async function insertSessionsOf({ env }: BenchDatabase, rows: number): Promise<void> {
  const { DATABASE_URL: url = '', BENCH_ORGANIZATION_ID: organizationId = '' } = env;
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  try {
    await insertSessions(
      pool,
      { organizationId, workspaceId: env.BENCH_WORKSPACE_ID ?? '' },
      { count: rows },
    );
  } finally {
    await pool.end();
  }
}

interface Result {
  readonly title: string;
  readonly times: readonly number[];
  readonly maxMs: number;
}

const isKept = ({ times, maxMs }: Result) => median(times) <= maxMs;

function toRow(result: Result): string[] {
  const { title, times, maxMs } = result;
  const figures = [median(times), Math.max(...times)].map((figure) => figure.toFixed(1));
  return [title, ...figures, `<= ${maxMs}`, verdict(isKept(result))];
}

/** Measures a server that has just started with nothing in memory, so that SQL computes the facets. */
async function measureCold(
  database: BenchDatabase,
  { title, query }: View,
  undo: AsyncDisposableStack,
): Promise<Result> {
  const caller = await startCaller(database, undo);
  await caller.findUserId('owner');
  const times = [await millisecondsOf(() => caller.getFacets(query))];
  await caller.stop();
  return { title: `${title}, cold`, times, maxMs: MAX_COLD_MS };
}

async function measureWarm(caller: Caller, { title, query, maxMs }: View, rounds: number): Promise<Result> {
  const times: number[] = [];
  for (let round = -3; round < rounds; round++) {
    const ms = await millisecondsOf(() => caller.getFacets(query));
    if (round >= 0) times.push(ms);
  }
  return { title: `${title}, warm`, times, maxMs };
}

/** Adds a session before each request. */
async function measureChanged(caller: Caller, rounds: number): Promise<Result> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await caller.save();
    times.push(await millisecondsOf(() => caller.getFacets('')));
  }
  return { title: 'default view after a save, warm', times, maxMs: MAX_DEFAULT_MS };
}

async function millisecondsOf(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

/**
 * Polls until the index is loaded, during which its memory grows.
 * @returns how long that took
 */
async function untilLoaded(caller: Caller): Promise<number> {
  const started = performance.now();
  await caller.getFacets('');
  for (let before = -1; performance.now() - started < MAX_LOAD_MS; await sleep(500)) {
    await caller.readBytes();
    if (caller.bytes > 0 && caller.bytes === before) return performance.now() - started;
    before = caller.bytes;
  }
  throw new Error('The sessions were not loaded');
}

class Caller {
  /** Memory at the last poll. */
  bytes = 0;
  readonly stop: () => Promise<void>;
  private readonly origin: string;
  private readonly apiKey: string;

  constructor(origin: string, apiKey: string, stop: () => Promise<void>) {
    this.origin = origin;
    this.apiKey = apiKey;
    this.stop = stop;
  }

  getFacets(query: string): Promise<string> {
    return this.send(`/org/main/ws/main/sessions/facets?${query}`);
  }

  async findUserId(username: string): Promise<string> {
    const text = await this.send(`/org/main/ws/main/sessions?limit=1&user=${username}`);
    const { sessions } = JSON.parse(text) as { sessions: { user_id: string }[] };
    return sessions[0]?.user_id ?? '';
  }

  async save(): Promise<void> {
    const body = { id: crypto.randomUUID(), model: 'provider/model-1', title: 'One more' };
    await this.send('/org/main/ws/main/sessions', { method: 'POST', body: JSON.stringify(body) });
  }

  async readBytes(): Promise<void> {
    const text = await this.send('/metrics');
    this.bytes = Number(/^drydock_session_index_bytes (\S+)/m.exec(text)?.[1] ?? 0);
  }

  private async send(path: string, init: RequestInit = {}): Promise<string> {
    const headers = { authorization: `Bearer ${this.apiKey}`, 'content-type': 'application/json' };
    const response = await fetch(`${this.origin}/api/v1${path}`, { headers, ...init });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
    return text;
  }
}

async function startCaller({ apiKey, env }: BenchDatabase, undo: AsyncDisposableStack): Promise<Caller> {
  const server = undo.use(new AsyncDisposableStack());
  const entry = new URL('drydock-server.ts', import.meta.url);
  const { addresses } = await startServer({ entry, env, profileDir: undefined }, server);
  return new Caller(addresses.noStore, apiKey, () => server.disposeAsync());
}
