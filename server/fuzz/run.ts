/** A run: sends requests in batches, repairs the world between them, and collects the problems. */
import { asker, askFor } from './ask.ts';
import { ApiDocument, type Operation, type RawDocument } from './document.ts';
import { send } from './exchange.ts';
import { generateRequest, isPlain } from './generate.ts';
import { judge } from './judge.ts';
import { type Growth, measureGrowth, type Sample } from './memory.ts';
import { describeRequest } from './request.ts';
import type { Target } from './server-process.ts';
import { NEEDS_SANDBOX } from './without-sandboxes.ts';
import { LiveWorld } from './world.ts';

export interface RunOptions {
  readonly target: Target;
  readonly seed: string;
  readonly count: number;
  /** Index of the only request to send. */
  readonly only?: number | undefined;
  /** Skips valid requests: the world is repaired before each of those, which takes longer than a hundred odd ones. */
  readonly isOddOnly?: boolean;
  /** Resident memory of the server; undefined if it is not ours to inspect. */
  readonly residentBytes?: (() => Promise<number>) | undefined;
  readonly onProgress?: (done: number) => void;
}

export interface Finding {
  readonly index: number;
  readonly mistakes: readonly string[];
  readonly request: string;
  readonly response: string;
}

export interface Report {
  readonly findings: readonly Finding[];
  /** Number of responses by status; 0 counts the requests without one. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Operations that never succeeded. */
  readonly unreached: readonly string[];
  readonly slowestMilliseconds: number;
  readonly growth: Growth | undefined;
}

const BATCH = 100;
const AT_ONCE = 8;
/** Fewer requests are hardly more than the warm-up. */
const MEASURED_FROM = 500;
const MAX_FINDINGS = 50;

export async function fuzz(options: RunOptions): Promise<Report> {
  const { target, seed, count, only, isOddOnly = false, residentBytes } = options;
  const ask = asker(target.origin);
  const raw = (await askFor(ask, 200, target.key, 'GET', '/openapi.json')).body as RawDocument;
  const document = new ApiDocument(raw);
  const world = new LiveWorld(document, ask, target.key, seed);
  const tally = new Tally();
  const samples: Sample[] = [];
  const fire = async (index: number) => {
    const request = generateRequest(world, seed, index);
    if (isReachable(request.operation)) tally.ask(request.operation.id);
    const shown = () => describeRequest(request);
    try {
      const exchange = await send(target.origin, request);
      tally.add(index, shown, exchange, judge(document, request, exchange));
      if (exchange.responses.some(({ status }) => status < 400) && request.changes.every(isInside))
        tally.reach(request.operation.id);
    } catch (error) {
      tally.fail(index, shown, error);
    }
  };
  const start = only ?? (isOddOnly ? document.operations.length : 0);
  const end = start + (only === undefined ? count : 1);
  for (let first = start, size = 1, isInOrder = false; first < end; first += size) {
    if (!isInOrder) await world.restore();
    // One by one, so that none removes what the next one needs.
    size = isPlain(document, first) ? 1 : Math.min(BATCH, end - first);
    await inParallel(Array.from({ length: size }, (_, at) => () => fire(first + at)));
    // A read leaves everything unchanged.
    isInOrder = isPlain(document, first) && document.operations[first]?.method === 'GET';
    // Measured between batches, when no request holds memory.
    if (residentBytes && size > 1) samples.push({ index: first + size, bytes: await residentBytes() });
    options.onProgress?.(first + size);
    if (tally.findings.length >= MAX_FINDINGS) break;
  }
  await askFor(ask, 200, undefined, 'GET', '/health');
  const isLong = only === undefined && count >= MEASURED_FROM;
  const growth = residentBytes && isLong ? measureGrowth(samples, count) : undefined;
  return { ...tally.report(), growth };
}

/** These operations complete uploads to addresses that the document does not contain. */
const isReachable = ({ path }: Operation) => !path.endsWith('/complete');

/** A request with a changed request line may have reached another operation. */
const isInside = (change: string) => !['path', 'target', 'method'].includes(change);

async function inParallel(tasks: readonly (() => Promise<void>)[]): Promise<void> {
  const waiting = [...tasks];
  const work = async () => {
    for (let task = waiting.shift(); task; task = waiting.shift()) await task();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

type Sent = Awaited<ReturnType<typeof send>>;

class Tally {
  readonly findings: Finding[] = [];
  private readonly statuses = new Map<number, number>();
  private readonly asked = new Set<string>();
  private readonly reached = new Set<string>();
  private slowest = 0;

  ask(id: string): void {
    this.asked.add(id);
  }

  add(
    index: number,
    request: () => string,
    { responses, milliseconds }: Sent,
    mistakes: readonly string[],
  ): void {
    const { status, body } = responses[0] ?? { status: 0, body: Buffer.alloc(0) };
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.slowest = Math.max(this.slowest, milliseconds);
    const response = `${status} ${body.subarray(0, 1_000).toString()}`;
    if (mistakes.length > 0) this.findings.push({ index, mistakes, request: request(), response });
  }

  fail(index: number, request: () => string, error: unknown): void {
    this.findings.push({
      index,
      mistakes: [`the answer could not be read: ${String(error)}`],
      request: request(),
      response: '',
    });
  }

  reach(id: string): void {
    this.reached.add(id);
  }

  report(): Omit<Report, 'growth'> {
    return {
      findings: this.findings,
      statuses: new Map([...this.statuses].toSorted(([a], [b]) => a - b)),
      unreached: [...this.asked.difference(this.reached).difference(NEEDS_SANDBOX)],
      slowestMilliseconds: Math.round(this.slowest),
    };
  }
}
