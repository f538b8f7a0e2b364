/** The stages of a span's ingest in isolation: decoding, inserting, and a bare COPY of the same rows. */
import { connect } from '@drydock/server/src/platform/db/connect.ts';
import { createLog } from '@drydock/server/src/platform/log.ts';
import { interpret } from '@drydock/server/src/traces/dialects/interpret.ts';
import type { SpanChunk } from '@drydock/server/src/traces/ingest/span-chunk.ts';
import { SpanColumns } from '@drydock/server/src/traces/ingest/span-columns.ts';
import { SpanWriter } from '@drydock/server/src/traces/ingest/span-writer.ts';
import { decodeProtobuf } from '@drydock/server/src/traces/otlp/decode-protobuf.ts';
import type pg from 'pg';
import { copyIn, copyOut } from './copying.ts';
import { SpanBatch } from './span-batch.ts';
import type { TraceServer } from './trace-server.ts';

const SPANS_PER_BATCH = 1_000;
const SECONDS = 5;
/** Number of batches in memory at once; each batch is stored only once. */
const BATCHES_PER_ROUND = 50;
const WRITERS = 8;
const COPIED_SPANS = 5_000;
/** Enough to keep the processors of a small machine busy. */
const COPIERS = 2;

export interface Limit {
  readonly title: string;
  readonly perSecond: number;
}

export async function measureLimits(server: TraceServer): Promise<Limit[]> {
  console.log(`decode, insert and COPY alone, ${SECONDS} s each`);
  return [
    { title: 'decode, one thread', perSecond: measureDecoding() },
    { title: `insert, ${WRITERS} batches at once`, perSecond: await measureInserting(server) },
    {
      title: `bare COPY into a table without keys, ${COPIERS} connections`,
      perSecond: await measureCopying(server.pool),
    },
  ];
}

function measureDecoding(): number {
  const batch = new SpanBatch(SPANS_PER_BATCH, 0);
  for (let round = 0; round < 5; round++) toChunk(batch);
  const started = performance.now();
  let rounds = 0;
  for (; performance.now() - started < SECONDS * 1000; rounds++) toChunk(batch);
  return (rounds * SPANS_PER_BATCH) / ((performance.now() - started) / 1000);
}

/** Converts the bytes of a request to what is sent to PostgreSQL. */
function toChunk({ bytes }: SpanBatch): SpanChunk {
  const columns = new SpanColumns();
  for (const { span, source } of decodeProtobuf(bytes)) columns.add(span, interpret(span, source), source);
  return columns.take();
}

/** Inserts as the server does: with keys, the look-up of existing spans, and the summaries for lists. */
async function measureInserting({ database: { env }, pool }: TraceServer): Promise<number> {
  const { DATABASE_URL: url = '', BENCH_ORGANIZATION_ID: organizationId = '' } = env;
  const db = connect({ url, poolSize: WRITERS, namedStatements: true, log: createLog('warn') });
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM users');
  const from = { organizationId, userId: rows[0]?.id ?? '' };
  const place = { workspaceId: env.BENCH_WORKSPACE_ID ?? '', projectId: null };
  const writer = new SpanWriter(db);
  let [milliseconds, spans] = [0, 0];
  try {
    while (milliseconds < SECONDS * 1000) {
      const chunks = makeChunks();
      const started = performance.now();
      const writers = Array.from({ length: WRITERS }, async () => {
        for (let chunk = chunks.pop(); chunk; chunk = chunks.pop())
          await writer.write(
            chunk,
            from,
            chunk.sources.map(() => place),
          );
      });
      await Promise.all(writers);
      milliseconds += performance.now() - started;
      spans += BATCHES_PER_ROUND * SPANS_PER_BATCH;
    }
  } finally {
    await writer.drain();
    await db.destroy();
  }
  return spans / (milliseconds / 1000);
}

function makeChunks(): SpanChunk[] {
  const batch = new SpanBatch(SPANS_PER_BATCH, 0);
  return Array.from({ length: BATCHES_PER_ROUND }, () => {
    batch.renew();
    return toChunk(batch);
  });
}

/** Copies rows that are already stored, without decoding, look-ups or summaries. */
async function measureCopying(pool: pg.Pool): Promise<number> {
  await pool.query('CREATE TABLE bare_spans (LIKE spans)');
  const clients = await Promise.all(Array.from({ length: COPIERS }, () => pool.connect()));
  try {
    const [first] = clients;
    if (!first) throw new Error('There is no connection');
    const rows = await copyOut(first, `SELECT * FROM spans LIMIT ${COPIED_SPANS}`);
    let spans = 0;
    const started = performance.now();
    const copy = async (client: pg.ClientBase) => {
      for (; performance.now() - started < SECONDS * 1000; spans += COPIED_SPANS)
        await copyIn(client, 'bare_spans', rows);
    };
    await Promise.all(clients.map(copy));
    return spans / ((performance.now() - started) / 1000);
  } finally {
    for (const client of clients) client.release();
    await pool.query('DROP TABLE bare_spans');
  }
}
