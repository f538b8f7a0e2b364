/**
 * Samples of a simulated agent in real sandboxes: the overhead of Drydock over models and sandboxes, beside Inspect AI on the same task.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startDatabase } from './database.ts';
import { EvaluationClient } from './evaluation-client.ts';
import { coveredMs, startTimedServer, type TimedServer } from './evaluation-server.ts';
import { runInspect } from './inspect-ai.ts';
import { percentile } from './statistics.ts';
import { printTable, verdict } from './table.ts';
import { makeTempDir } from './temp-dir.ts';

const MAX_OVERHEAD_MS = 150;
const WARM_UP_SAMPLES = 16;

/** Times of one sample in milliseconds. */
interface Sample {
  readonly wallMs: number;
  /** Time of the sandboxes in the accounting of runtimes: from the start of each to its end. */
  readonly accountedMs: number;
  readonly modelMs: number;
  readonly runtimeIds: readonly string[];
}

interface TimedSample extends Sample {
  /** Time for which the server waited for a sandbox: starts, commands, ends and removals. */
  readonly sandboxMs: number;
  /** Model calls happen while a sandbox runs, so `accountedMs` already includes them. */
  readonly overheadMs: number;
  readonly bookkeepingMs: number;
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

  console.log(`${samples} samples, ${concurrency} at once\n`);
  const began = performance.now();
  const id = await client.evaluate(samples, concurrency);
  const seconds = (performance.now() - began) / 1_000;
  const stored = await readSamples(database.env.DATABASE_URL ?? '', id);
  const isKept = printTimes(stored.map((sample) => toTimed(sample, server.times)));
  const folder = makeTempDir(undo);
  const inspectSeconds = await runInspect({ python: values.inspect, samples, concurrency, folder });
  printRates(samples, seconds, inspectSeconds);
  return isKept;
}

function toTimed(sample: Sample, times: TimedServer['times']): TimedSample {
  const { wallMs, modelMs, accountedMs, runtimeIds } = sample;
  const sandboxMs = coveredMs(runtimeIds.flatMap((runtimeId) => times.get(runtimeId) ?? []));
  const overheadMs = wallMs - accountedMs;
  return { ...sample, sandboxMs, overheadMs, bookkeepingMs: wallMs - modelMs - sandboxMs };
}

/** @returns whether the overhead is within its bound */
function printTimes(samples: readonly TimedSample[]): boolean {
  const row = (name: string, toMs: (sample: TimedSample) => number) => {
    const figures = samples.map(toMs);
    return [name, ...[0.5, 0.95].map((share) => percentile(figures, share).toFixed(1))];
  };
  const overheads = samples.map(({ overheadMs }) => overheadMs);
  const isKept = percentile(overheads, 0.5) <= MAX_OVERHEAD_MS;
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
  return isKept;
}

/** @param inspectSeconds undefined if Inspect AI is not installed */
function printRates(samples: number, seconds: number, inspectSeconds: number | undefined): void {
  printTable([
    ['samples a second', ''],
    ['Drydock', (samples / seconds).toFixed(2)],
    [
      'Inspect AI, local sandbox',
      inspectSeconds === undefined
        ? 'not installed; --inspect <python that has inspect-ai>'
        : (samples / inspectSeconds).toFixed(2),
    ],
  ]);
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
