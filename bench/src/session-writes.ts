/** Saves and appends over HTTP, against the same inserts by one bare process on the same database. */
import { runLoops } from './call-loops.ts';
import {
  COMPARISON_HEADER,
  type Comparison,
  compareLoads,
  isKept,
  type Rounds,
  toRows,
} from './comparison.ts';
import type { Load } from './load.ts';
import { PlainConnection } from './plain-connection.ts';
import { APPENDERS, MESSAGES_PER_CALL, SAVERS, SESSIONS_PER_APPENDER } from './session-load.ts';
import { newMessage, newSession } from './session-samples.ts';
import { median } from './statistics.ts';
import { printTable, verdict } from './table.ts';

const MIN_SAVES_RATIO = 0.45;
const MAX_SAVE_P99_MS = 50;
const MIN_APPENDS_RATIO = 0.5;

export interface SessionServer {
  readonly origin: string;
  readonly pid: number;
  readonly apiKey: string;
}

interface Sides {
  readonly bare: { readonly origin: string };
  readonly ours: SessionServer;
}

export async function benchSaves({ bare, ours }: Sides, rounds: Rounds): Promise<boolean> {
  let count = 0;
  const connections = openAll(ours, SAVERS);
  const callers = connections.map(
    (connection) => () => connection.send('POST', '/sessions', JSON.stringify(newSession(count++))),
  );
  const save = (seconds: number) => runLoops({ callers, seconds, pid: ours.pid, rowsPerCall: 1 });
  const found = await compareLoads('saves', bareRounds(bare, 'saves'), save, rounds);
  for (const connection of connections) connection.close();
  const p99 = median(found.ours.map(({ p99Ms }) => p99Ms));
  const isFast = p99 <= MAX_SAVE_P99_MS;
  report(found, MIN_SAVES_RATIO, `sessions, ${SAVERS} at once`);
  printTable([
    ['', 'p99 ms', 'bound', ''],
    ['saves, Drydock', p99.toFixed(1), `<= ${MAX_SAVE_P99_MS}`, verdict(isFast)],
  ]);
  return isKept(found, MIN_SAVES_RATIO) && isFast;
}

export async function benchAppends({ bare, ours }: Sides, rounds: Rounds): Promise<boolean> {
  const connections = openAll(ours, APPENDERS);
  const callers = await Promise.all(connections.map(appender));
  const append = (seconds: number) =>
    runLoops({ callers, seconds, pid: ours.pid, rowsPerCall: MESSAGES_PER_CALL });
  const found = await compareLoads('appends', bareRounds(bare, 'appends'), append, rounds);
  for (const connection of connections) connection.close();
  const sessions = APPENDERS * SESSIONS_PER_APPENDER;
  report(
    found,
    MIN_APPENDS_RATIO,
    `messages of 1 KB, ${MESSAGES_PER_CALL} a call, ${sessions} sessions, ${APPENDERS} clients; times are of a call`,
  );
  return isKept(found, MIN_APPENDS_RATIO);
}

const openAll = ({ origin, apiKey }: SessionServer, count: number) =>
  Array.from({ length: count }, () => new PlainConnection(origin, apiKey));

/** Appends to sessions of its own, sequentially. */
async function appender(connection: PlainConnection): Promise<() => Promise<unknown>> {
  const sessions = Array.from({ length: SESSIONS_PER_APPENDER }, (_, index) => newSession(index));
  for (const session of sessions) await connection.send('POST', '/sessions', JSON.stringify(session));
  let count = 0;
  return () => {
    const number = count++;
    const session = sessions[number % sessions.length];
    const first = Math.floor(number / sessions.length) * MESSAGES_PER_CALL;
    const messages = Array.from({ length: MESSAGES_PER_CALL }, (_, index) => newMessage(first + index));
    return connection.send('POST', `/sessions/${session?.id}/transcript`, JSON.stringify({ messages }));
  };
}

/** The bare process runs its rounds itself and reports its figures. */
const bareRounds =
  ({ origin }: Sides['bare'], kind: 'saves' | 'appends') =>
  async (seconds: number): Promise<Load> => {
    const response = await fetch(`${origin}/${kind}?seconds=${seconds}`, { method: 'POST' });
    if (!response.ok) throw new Error(`The bare process: ${await response.text()}`);
    return (await response.json()) as Load;
  };

function report(found: Comparison, minRatio: number, what: string): void {
  console.log(`\nMedians of the rounds: ${what}; CPU is the one process alone, without PostgreSQL\n`);
  printTable([COMPARISON_HEADER.with(1, 'per second'), ...toRows(found, 'bare pg', minRatio)]);
}
