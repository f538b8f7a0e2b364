/** Sessions: saves and appends against bare inserts, pages and exports of long transcripts, facets over many sessions. */
import { parseArgs } from 'node:util';
import type { Rounds } from './comparison.ts';
import { type BenchDatabase, startDatabase } from './database.ts';
import { startServer } from './server-process.ts';
import { benchSessionFacets } from './session-facets.ts';
import { benchSessionLists } from './session-lists.ts';
import { benchExports, benchPages, type Transcripts } from './session-reads.ts';
import { makeTranscript } from './session-rows.ts';
import { benchAppends, benchSaves, type SessionServer } from './session-writes.ts';

const BARE = new URL('./bare-session-inserts.ts', import.meta.url);
const DRYDOCK = new URL('./drydock-server.ts', import.meta.url);
const PARTS = ['saves', 'appends', 'pages', 'export', 'facets', 'lists'] as const;
type Part = (typeof PARTS)[number];

/** Single page reads for each round of the others. */
const PAGES_PER_ROUND = 40;
const SHORT = 1_000;

interface Options extends Rounds {
  readonly parts: ReadonlySet<Part>;
  readonly messages: number;
  readonly sessions: string;
  /** Number of sessions in the larger workspace of `lists`. */
  readonly listed: number;
  readonly profileDir: string | undefined;
}

export async function benchSessions(args: string[], undo: AsyncDisposableStack): Promise<boolean> {
  const options = readOptions(args);
  const { parts, profileDir } = options;
  const verdicts: boolean[] = [];
  if (parts.has('saves') || parts.has('appends') || parts.has('pages') || parts.has('export')) {
    const database = await startDatabase(undo);
    const start = () => startDrydock(database, profileDir, undo);
    const ours = await start();
    if (parts.has('saves') || parts.has('appends')) {
      const { addresses } = await startServer<{ origin: string }>(
        { entry: BARE, env: database.env, profileDir },
        undo,
      );
      const sides = { bare: addresses, ours };
      if (parts.has('saves')) verdicts.push(await benchSaves(sides, options));
      if (parts.has('appends')) verdicts.push(await benchAppends(sides, options));
    }
    if (parts.has('pages') || parts.has('export')) {
      const transcripts = await makeTranscripts(ours, database, options);
      const calls = options.rounds * PAGES_PER_ROUND;
      if (parts.has('pages')) verdicts.push(await benchPages(ours, transcripts, calls));
      if (parts.has('export')) verdicts.push(await benchExports(start, transcripts));
    }
  }
  if (parts.has('facets')) verdicts.push(await benchSessionFacets(['--rows', options.sessions], undo));
  if (parts.has('lists')) verdicts.push(await benchSessionLists(options.listed, undo));
  return verdicts.every(Boolean);
}

function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '5' },
      messages: { type: 'string', default: '100000' },
      sessions: { type: 'string', default: '1000000' },
      listed: { type: 'string', default: '10000000' },
      only: { type: 'string', default: PARTS.join(',') },
      'cpu-prof': { type: 'string' },
    },
  });
  return {
    rounds: Number(values.rounds),
    seconds: Number(values.seconds),
    messages: Number(values.messages),
    sessions: values.sessions,
    listed: Number(values.listed),
    parts: new Set(values.only.split(',').map(toPart)),
    profileDir: values['cpu-prof'],
  };
}

function toPart(name: string): Part {
  const part = PARTS.find((known) => known === name);
  if (!part) throw new Error(`--only takes ${PARTS.join(', ')}, not "${name}"`);
  return part;
}

async function startDrydock(
  { env, apiKey }: BenchDatabase,
  profileDir: string | undefined,
  undo: AsyncDisposableStack,
): Promise<SessionServer> {
  const { addresses, pid } = await startServer({ entry: DRYDOCK, env, profileDir }, undo);
  return { origin: addresses.oneRow, pid, apiKey };
}

async function makeTranscripts(
  server: SessionServer,
  { env }: BenchDatabase,
  { messages }: Options,
): Promise<Transcripts> {
  console.log(`making transcripts of ${SHORT} and of ${messages} messages`);
  return {
    short: await makeTranscript(server, env, SHORT),
    long: await makeTranscript(server, env, messages),
  };
}
