/** How many spans a process stores durably, the resources this takes, and the limits of decoding, inserting and a bare COPY. */
import { count, megabytes, percent } from './figures.ts';
import { beginPeak, peakBytes } from './process-usage.ts';
import { measureLimits } from './span-limits.ts';
import { Acknowledged, openSenders, type Responses, sendFor } from './span-load.ts';
import { printTable, verdict } from './table.ts';
import { beginEffort, type Effort, type TraceServer } from './trace-server.ts';

const MIN_SPANS_PER_SECOND = 15_000;
const MAX_RESIDENT_BYTES = 400e6;
const WARM_UP_SECONDS = 5;
export const SPANS_PER_BATCH = 1_000;
const SENDERS = 8;

interface Throughput {
  readonly responses: Responses;
  readonly acknowledged: number;
  /** Number of acknowledged spans that are stored. */
  readonly stored: number;
  readonly peak: number;
  readonly effort: Effort;
}

/** @returns whether the bounds were kept, and how many spans per second are stored */
export async function benchThroughput(
  server: TraceServer,
  seconds: number,
): Promise<{ readonly isKept: boolean; readonly perSecond: number }> {
  const senders = openSenders(server, SENDERS, SPANS_PER_BATCH);
  console.log(`throughput: ${SENDERS} clients for ${seconds} s`);
  await sendFor(senders, Math.min(WARM_UP_SECONDS, seconds), new Acknowledged());
  beginPeak(server.pid);
  const endEffort = beginEffort(server);
  const acknowledged = new Acknowledged();
  const responses = await sendFor(senders, seconds, acknowledged);
  const [effort, peak] = [endEffort(), peakBytes(server.pid)];
  for (const sender of senders) sender.close();
  const stored = await acknowledged.countStored(server.pool);
  const bytes = senders[0]?.batch.bytes.length ?? 0;
  const found = { responses, acknowledged: acknowledged.spans, stored, peak, effort };
  const perSecond = stored / responses.seconds;
  console.log(
    `\nGenAI spans of ${(bytes / SPANS_PER_BATCH).toFixed(0)} bytes in protobuf, ${SPANS_PER_BATCH} a batch, ` +
      `${SENDERS} clients, ${seconds} s\n`,
  );
  const isKept = reportBounds(found, perSecond);
  reportEffort(found);
  const limits = await measureLimits(server);
  console.log('\nWhat its parts do alone, in this run\n');
  printTable([
    ['', 'spans/s', 'the whole path is'],
    ...limits.map((limit) => [limit.title, count(limit.perSecond), percent(perSecond / limit.perSecond)]),
  ]);
  return { isKept, perSecond };
}

function reportBounds({ responses, acknowledged, stored, peak }: Throughput, perSecond: number): boolean {
  const isFast = perSecond >= MIN_SPANS_PER_SECOND;
  const isComplete = stored === acknowledged && responses.others === 0 && responses.broken === 0;
  const isSmall = peak <= MAX_RESIDENT_BYTES;
  printTable([
    ['', 'figure', 'bound', ''],
    ['spans/s, durable', count(perSecond), `>= ${count(MIN_SPANS_PER_SECOND)}`, verdict(isFast)],
    ['acknowledged', count(acknowledged), '', ''],
    ['  of these in the database', count(stored), 'all', verdict(isComplete)],
    [
      'memory of the process at its peak',
      megabytes(peak),
      `<= ${megabytes(MAX_RESIDENT_BYTES)}`,
      verdict(isSmall),
    ],
    ['a batch, p50', `${responses.p50Ms.toFixed(0)} ms`, '', ''],
    ['a batch, p99', `${responses.p99Ms.toFixed(0)} ms`, '', ''],
    ['refused for want of room', count(responses.of(429)), '', ''],
  ]);
  return isFast && isComplete && isSmall;
}

function reportEffort({ effort, acknowledged }: Throughput): void {
  const { main, decoder, otherThreads, postgres, bench } = effort;
  const all = main + decoder + otherThreads + postgres;
  const row = (title: string, seconds: number) => [
    title,
    ((seconds / acknowledged) * 1e6).toFixed(1),
    percent(seconds / all),
  ];
  console.log('\nWho used the processor\n');
  printTable([
    ['', 'µs for a span', 'share'],
    row('decode: the thread of its own', decoder),
    row('insert: PostgreSQL', postgres),
    row('HTTP and sending on: the main thread', main),
    row('other threads of the server', otherThreads),
    ['(the clients)', ((bench / acknowledged) * 1e6).toFixed(1), ''],
  ]);
}
