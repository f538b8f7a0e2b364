/** Ten times the storable load: the excess is refused, memory stays flat, and afterwards everything is as before. */
import { setInterval } from 'node:timers';
import { count, megabytes } from './figures.ts';
import { SPANS_PER_BATCH } from './otlp-throughput.ts';
import { residentBytes } from './process-usage.ts';
import { Acknowledged, openSenders, Responses, sendFor, sendOnce } from './span-load.ts';
import { SpanSender } from './span-sender.ts';
import { printTable, verdict } from './table.ts';
import type { TraceServer } from './trace-server.ts';

const MIN_OFFERED_RATIO = 10;
/** Bodies of 12 MB, two of which are decoded at a time, take more memory than usual batches. */
const MAX_RESIDENT_BYTES = 512e6;
const MAX_GROWTH_BYTES = 40e6;
const MAX_RECOVERY_MS = 2_000;
/** A batch with a response within this time counts as unaffected. */
const QUICK_MS = 300;
const NORMAL_SPANS = 100;
const SAMPLE_MS = 100;

/** Clients send without pauses, and repeat refused batches at once. */
const CLIENTS = [
  { clients: 64, spans: SPANS_PER_BATCH },
  { clients: 6, spans: 10 * SPANS_PER_BATCH },
  { clients: 32, spans: 50 },
  { clients: 64, spans: 1 },
];

interface Overload {
  readonly responses: Responses;
  readonly acknowledged: number;
  readonly stored: number;
  readonly resident: readonly number[];
  readonly recoveryMs: number;
}

/** @param capacity measured spans per second, if known */
export async function benchOverload(
  server: TraceServer,
  seconds: number,
  capacity: number | undefined,
): Promise<boolean> {
  const senders = CLIENTS.flatMap(({ clients, spans }) => openSenders(server, clients, spans));
  console.log(`overload: ${senders.length} clients for ${seconds} s`);
  const acknowledged = new Acknowledged();
  const resident: number[] = [];
  const sampling = setInterval(() => resident.push(residentBytes(server.pid)), SAMPLE_MS);
  const responses = await sendFor(senders, seconds, acknowledged);
  clearInterval(sampling);
  for (const sender of senders) sender.close();
  const recoveryMs = await recover(server);
  const stored = await acknowledged.countStored(server.pool);
  return report({ responses, acknowledged: acknowledged.spans, stored, resident, recoveryMs }, capacity);
}

/** @returns the milliseconds until a usual batch got a normal response */
async function recover(server: TraceServer): Promise<number> {
  const sender = new SpanSender(server, NORMAL_SPANS, 0);
  const started = performance.now();
  try {
    for (;;) {
      const sent = performance.now();
      const isStored = await sendOnce(sender, sender.batch.renew(), new Acknowledged(), new Responses());
      const responded = performance.now();
      if (isStored && responded - sent <= QUICK_MS) return responded - started;
      if (responded - started > 60_000) return Number.POSITIVE_INFINITY;
    }
  } finally {
    sender.close();
  }
}

function report(found: Overload, capacity: number | undefined): boolean {
  const { responses, acknowledged, stored, resident, recoveryMs } = found;
  const third = Math.floor(resident.length / 3);
  const most = (from: number) => Math.max(...resident.slice(from, from + third));
  const growth = most(2 * third) - most(third);
  const peak = Math.max(...resident);
  const taken = acknowledged / responses.seconds;
  const offered = responses.sentSpans / responses.seconds / (capacity ?? taken);
  const refused = responses.of(429);
  const bounds = {
    isOver: offered >= MIN_OFFERED_RATIO,
    hasRetryAfter: refused > 0 && responses.withoutRetryAfter === 0,
    isClean: responses.others === 0,
    isComplete: stored === acknowledged && acknowledged > 0,
    isFlat: growth <= MAX_GROWTH_BYTES,
    isSmall: peak <= MAX_RESIDENT_BYTES,
    isBack: recoveryMs <= MAX_RECOVERY_MS,
  };
  console.log(`\nOverload for ${responses.seconds.toFixed(0)} s\n`);
  printTable([
    ['', 'figure', 'bound', ''],
    [
      `spans offered, against ${capacity ? 'capacity' : 'those taken'}`,
      `${offered.toFixed(1)}x`,
      `>= ${MIN_OFFERED_RATIO}x`,
      verdict(bounds.isOver),
    ],
    ['spans/s taken', count(taken), '', ''],
    ['batches answered 200', count(responses.of(200)), '', ''],
    ['batches answered 429', count(refused), '', ''],
    [
      '  without Retry-After',
      count(responses.withoutRetryAfter),
      '0, of some',
      verdict(bounds.hasRetryAfter),
    ],
    ['answered otherwise', count(responses.others), '0', verdict(bounds.isClean)],
    ['connections ended without an answer', count(responses.broken), '', ''],
    ['spans acknowledged', count(acknowledged), '', ''],
    ['  of these in the database', count(stored), 'all', verdict(bounds.isComplete)],
    ['memory at its peak', megabytes(peak), `<= ${megabytes(MAX_RESIDENT_BYTES)}`, verdict(bounds.isSmall)],
    [
      '  in the last third, against the second',
      `${growth > 0 ? '+' : ''}${megabytes(growth)}`,
      `<= ${megabytes(MAX_GROWTH_BYTES)}`,
      verdict(bounds.isFlat),
    ],
    [
      `until a batch is taken within ${QUICK_MS} ms again`,
      `${recoveryMs.toFixed(0)} ms`,
      `<= ${MAX_RECOVERY_MS} ms`,
      verdict(bounds.isBack),
    ],
  ]);
  return Object.values(bounds).every(Boolean);
}
