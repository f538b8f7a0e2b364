/** A minimal writer of the same rows: one process that runs the inserts with named statements; a request runs one round. */
import { loadConfig } from '@drydock/server/src/config.ts';
import { foldText } from '@drydock/server/src/sessions/search-text.ts';
import Fastify from 'fastify';
import pg from 'pg';
import { runLoops } from './call-loops.ts';
import { serve } from './serve.ts';
import { APPENDERS, MESSAGES_PER_CALL, SAVERS, SESSIONS_PER_APPENDER } from './session-load.ts';
import { newMessage, newSession } from './session-samples.ts';
import {
  INSERT_MESSAGES,
  INSERT_SESSION,
  type Place,
  toMessageValues,
  toSessionValues,
} from './session-statements.ts';

await serve(async () => {
  const { database } = loadConfig(process.env);
  const pool = new pg.Pool({ connectionString: database.url, max: SAVERS });
  const place = await findPlace(pool);
  const app = Fastify();
  const rounds = { saves: (seconds: number) => save(pool, place, seconds), appends: appender(pool, place) };
  app.post<{ Params: { kind: keyof typeof rounds }; Querystring: { seconds: string } }>(
    '/:kind',
    ({ params, query }) => rounds[params.kind](Number(query.seconds)),
  );
  return { origin: await app.listen({ host: '127.0.0.1', port: 0 }) };
});

async function findPlace(pool: pg.Pool): Promise<Place> {
  const { BENCH_ORGANIZATION_ID = '', BENCH_WORKSPACE_ID = '' } = process.env;
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM users');
  return {
    organizationId: BENCH_ORGANIZATION_ID,
    workspaceId: BENCH_WORKSPACE_ID,
    userId: rows[0]?.id ?? '',
  };
}

let saved = 0;

function save(pool: pg.Pool, place: Place, seconds: number) {
  const call = () => pool.query({ ...INSERT_SESSION, values: toSessionValues(place, newSession(saved++)) });
  return runLoops({
    callers: Array.from({ length: SAVERS }, () => call),
    seconds,
    pid: process.pid,
    rowsPerCall: 1,
  });
}

interface Transcript {
  readonly sessionId: string;
  length: number;
}

/** Each caller appends to sessions of its own, sequentially. */
function appender(pool: pg.Pool, place: Place) {
  const callers = Array.from({ length: APPENDERS }, () => {
    const transcripts: Transcript[] = [];
    let count = 0;
    return async () => {
      if (transcripts.length < SESSIONS_PER_APPENDER) transcripts.push(await begin(pool, place));
      const transcript = transcripts[count++ % SESSIONS_PER_APPENDER] as Transcript;
      await append(pool, place, transcript);
    };
  });
  return (seconds: number) =>
    runLoops({ callers, seconds, pid: process.pid, rowsPerCall: MESSAGES_PER_CALL });
}

async function begin(pool: pg.Pool, place: Place): Promise<Transcript> {
  const session = newSession(0);
  await pool.query({ ...INSERT_SESSION, values: toSessionValues(place, session) });
  return { sessionId: session.id, length: 0 };
}

async function append(pool: pg.Pool, place: Place, transcript: Transcript): Promise<void> {
  const messages = Array.from({ length: MESSAGES_PER_CALL }, (_, index) =>
    newMessage(transcript.length + index),
  );
  const texts = messages.map(({ content }) => foldText(content));
  const { sessionId, length } = transcript;
  transcript.length += messages.length;
  const values = toMessageValues({ ...place, sessionId }, length + 1, messages, texts);
  await pool.query({ ...INSERT_MESSAGES, values });
}
