/** Reads of a session while spans arrive steadily, against the same reads on an otherwise idle server. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PlainConnection } from './plain-connection.ts';
import type { Transcript } from './session-reads.ts';
import { makeTranscript } from './session-rows.ts';
import { Acknowledged, openSenders, Responses, sendOnce } from './span-load.ts';
import type { SpanSender } from './span-sender.ts';
import { median, percentile } from './statistics.ts';
import { printTable, verdict } from './table.ts';
import type { TraceServer } from './trace-server.ts';

const SPANS_PER_SECOND = 8_000;
const SPANS_PER_BATCH = 1_000;
const MAX_P95_RATIO = 3;
/** Minimum share of the requested rate. */
const MIN_SHARE = 0.97;
const ROUNDS = 3;
const READS_PER_SECOND = 25;
const SENDERS = 8;
const MESSAGES = 1_000;
const PAGE = 100;

export async function benchSteady(server: TraceServer, seconds: number): Promise<boolean> {
  const transcript = await makeTranscript(server, server.database.env, MESSAGES);
  const connection = new PlainConnection(server.origin, server.apiKey);
  const senders = openSenders(server, SENDERS, SPANS_PER_BATCH);
  const acknowledged = new Acknowledged();
  const responses = new Responses();
  const read = (time: number) => readFor(connection, transcript, time);
  const underLoad = async (time: number) => {
    const [reads] = await Promise.all([read(time), sendSteadily(senders, time, acknowledged, responses)]);
    return reads;
  };
  const times = { idle: [] as number[], loaded: [] as number[] };
  const perRound = seconds / ROUNDS;
  await underLoad(Math.min(3, perRound));
  const before = acknowledged.spans;
  for (let round = 1; round <= ROUNDS; round++) {
    console.log(`steady: round ${round} of ${ROUNDS}, ${perRound} s idle and ${perRound} s under load`);
    times.idle.push(...(await read(perRound)));
    times.loaded.push(...(await underLoad(perRound)));
  }
  connection.close();
  for (const sender of senders) sender.close();
  return report(times, (acknowledged.spans - before) / seconds, responses);
}

/**
 * Reads the session and a page of its messages.
 * @returns the milliseconds of each read
 */
async function readFor(
  connection: PlainConnection,
  { id, length }: Transcript,
  seconds: number,
): Promise<number[]> {
  const times: number[] = [];
  const started = performance.now();
  for (let count = 0; count < seconds * READS_PER_SECOND; count++) {
    await untilTime(started + (count * 1000) / READS_PER_SECOND);
    const sent = performance.now();
    await connection.send('GET', `/sessions/${id}`);
    await connection.send('GET', `/sessions/${id}/transcript?after_seq=${length / 2}&limit=${PAGE}`);
    times.push(performance.now() - sent);
  }
  return times;
}

/** Sends each batch at its time through any idle client. */
async function sendSteadily(
  senders: readonly SpanSender[],
  seconds: number,
  acknowledged: Acknowledged,
  responses: Responses,
): Promise<void> {
  const free = [...senders];
  const sending: Promise<void>[] = [];
  const started = performance.now();
  const batches = (seconds * SPANS_PER_SECOND) / SPANS_PER_BATCH;
  for (let count = 0; count < batches; count++) {
    await untilTime(started + (count * SPANS_PER_BATCH * 1000) / SPANS_PER_SECOND);
    const sender = free.pop();
    // All clients are busy: the batch is missing in the rate.
    if (!sender) continue;
    sending.push(
      (async () => {
        await sendOnce(sender, sender.batch.renew(), acknowledged, responses);
        free.push(sender);
      })(),
    );
  }
  await Promise.all(sending);
}

async function untilTime(time: number): Promise<void> {
  const left = time - performance.now();
  if (left > 0) await sleep(left);
}

function report(
  { idle, loaded }: { readonly idle: number[]; readonly loaded: number[] },
  perSecond: number,
  { p50Ms, p99Ms }: Responses,
): boolean {
  const ratio = percentile(loaded, 0.95) / percentile(idle, 0.95);
  const isSteady = perSecond >= SPANS_PER_SECOND * MIN_SHARE;
  const isKept = ratio <= MAX_P95_RATIO;
  const figures = (times: number[]) => [median(times).toFixed(1), percentile(times, 0.95).toFixed(1)];
  console.log(`\nA session and ${PAGE} of its messages, read ${READS_PER_SECOND} times a second\n`);
  printTable([
    ['', 'p50 ms', 'p95 ms', 'ratio', 'bound', ''],
    ['idle', ...figures(idle), '', '', ''],
    ['under load', ...figures(loaded), ratio.toFixed(2), `<= ${MAX_P95_RATIO}`, verdict(isKept)],
  ]);
  console.log('');
  printTable([
    ['', 'figure', 'bound', ''],
    ['spans/s', perSecond.toFixed(0), `${SPANS_PER_SECOND}`, verdict(isSteady)],
    ['a batch, p50', `${p50Ms.toFixed(0)} ms`, '', ''],
    ['a batch, p99', `${p99Ms.toFixed(0)} ms`, '', ''],
  ]);
  return isKept && isSteady;
}
