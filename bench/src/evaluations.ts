/** Samples of a simulated agent in real sandboxes: what Drydock adds to models and sandboxes, beside Inspect AI on the same task. */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startDatabase } from './database.ts';
import { EvaluationClient } from './evaluation-client.ts';
import { coveredMs, startTimedServer } from './evaluation-server.ts';
import { runInspect } from './inspect-ai.ts';
import { percentile } from './statistics.ts';
import { printTable, verdict } from './table.ts';
import { makeTempDir } from './temp-dir.ts';

const MAX_OVERHEAD_MS = 150;
const WARM_UP_SAMPLES = 16;

interface Sample {
  readonly wallMs: number;
  /** As the runtimes' accounting counts them: from the start of each sandbox to its end. */
  readonly accountedMs: number;
  readonly modelMs: number;
  readonly runtimeIds: readonly string[];
}

export async function benchEvaluations(args: string[], undo: AsyncDisposableStack): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      samples: { type: 'string', default: '200' },
      concurrency: { type: 'string', default: '8' },
      inspect: { type: 'string' },
    },
  });
  const [samples, concurrency] = [Number(values.samples), Number(values.concurrency)];
  const database = await startDatabase(undo);
  const server = await startTimedServer(database.env, undo);
  const client = new EvaluationClient(server.origin, database.apiKey);
  await client.publishTask();
  await client.evaluate(WARM_UP_SAMPLES, concurrency);

  console.log(`${samples} samples, ${concurrency} at once`);
  const began = performance.now();
  const id = await client.evaluate(samples, concurrency);
  const seconds = (performance.now() - began) / 1_000;
  const timed = (await readSamples(database.env.DATABASE_URL ?? '', id)).map(
    ({ wallMs, modelMs, accountedMs, runtimeIds }) => {
      const sandboxMs = coveredMs(runtimeIds.flatMap((runtimeId) => server.times.get(runtimeId) ?? []));
      const overheadMs = wallMs - accountedMs;
      return {
        wallMs,
        modelMs,
        accountedMs,
        sandboxMs,
        overheadMs,
        bookkeepingMs: wallMs - modelMs - sandboxMs,
      };
    },
  );
  const row = (name: string, of: (one: (typeof timed)[number]) => number) => {
    const figures = timed.map(of);
    return [name, ...[0.5, 0.95].map((share) => percentile(figures, share).toFixed(1))];
  };
  const overhead = percentile(
    timed.map(({ overheadMs }) => overheadMs),
    0.5,
  );
  const isKept = overhead <= MAX_OVERHEAD_MS;
  console.log('');
  printTable([
    ['milliseconds of a sample', 'p50', 'p95', 'bound', ''],
    [...row('wall time', ({ wallMs }) => wallMs), '', ''],
    [...row('its sandboxes, from start to end', ({ accountedMs }) => accountedMs), '', ''],
    [...row('of that, waits for sandboxes', ({ sandboxMs }) => sandboxMs), '', ''],
    [...row('its model calls', ({ modelMs }) => modelMs), '', ''],
    [...row('overhead', ({ overheadMs }) => overheadMs), `p50 <= ${MAX_OVERHEAD_MS}`, verdict(isKept)],
    [...row('neither model nor wait for sandboxes', ({ bookkeepingMs }) => bookkeepingMs), '', ''],
  ]);
  console.log('');
  const inspect = await runInspect({
    python: values.inspect,
    samples,
    concurrency,
    folder: makeTempDir(undo),
  });
  printTable([
    ['samples a second', ''],
    ['Drydock', (samples / seconds).toFixed(2)],
    [
      'Inspect AI, local sandbox',
      inspect === undefined
        ? 'not installed; --inspect <python that has inspect-ai>'
        : (samples / inspect).toFixed(2),
    ],
  ]);
  return isKept;
}

async function readSamples(url: string, evaluationId: string): Promise<Sample[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Sample>(
      `SELECT i.duration_ms AS "wallMs",
              (SELECT coalesce(sum(c.duration_ms), 0)::integer FROM inference_calls AS c WHERE c.session_id = i.session_id) AS "modelMs",
              (SELECT coalesce(sum(extract(epoch FROM s.ended_at - s.created_at) * 1000), 0)::double precision FROM sandboxes AS s
                WHERE s.id IN (i.agent_sandbox_id, i.env_sandbox_id)) AS "accountedMs",
              ARRAY(SELECT s.runtime_id::text FROM sandboxes AS s WHERE s.id IN (i.agent_sandbox_id, i.env_sandbox_id)) AS "runtimeIds"
         FROM evaluation_items AS i WHERE i.evaluation_id = $1`,
      [evaluationId],
    );
    return rows;
  } finally {
    await client.end();
  }
}
