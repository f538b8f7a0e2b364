/** Traces: ingest throughput, its effect on reads, overload, and the cost of reading them. */
import { parseArgs } from 'node:util';
import { benchTraceGrowth } from './otlp-growth.ts';
import { benchTraceLists } from './otlp-lists.ts';
import { benchOverload } from './otlp-overload.ts';
import { benchSteady } from './otlp-steady.ts';
import { benchThroughput } from './otlp-throughput.ts';
import { startTraceServer } from './trace-server.ts';

const PARTS = ['throughput', 'steady', 'overload', 'lists', 'growth'] as const;
type Part = (typeof PARTS)[number];

interface Options {
  readonly parts: ReadonlySet<Part>;
  readonly seconds: number;
  readonly spans: number;
  readonly traces: number;
  readonly profileDir: string | undefined;
}

export async function benchOtlp(args: string[], undo: AsyncDisposableStack): Promise<boolean> {
  const { parts, seconds, spans, traces, profileDir } = readOptions(args);
  const verdicts: boolean[] = [];
  if (parts.has('throughput') || parts.has('steady') || parts.has('overload')) {
    const own = undo.use(new AsyncDisposableStack());
    const server = await startTraceServer(profileDir, own);
    let capacity: number | undefined;
    if (parts.has('throughput')) {
      const { isKept, perSecond } = await benchThroughput(server, seconds);
      verdicts.push(isKept);
      capacity = perSecond;
    }
    if (parts.has('steady')) verdicts.push(await benchSteady(server, seconds));
    if (parts.has('overload')) verdicts.push(await benchOverload(server, seconds, capacity));
    await own.disposeAsync();
  }
  if (parts.has('lists')) verdicts.push(await benchTraceLists(traces, undo));
  if (parts.has('growth')) verdicts.push(await benchTraceGrowth(spans, undo));
  return verdicts.every(Boolean);
}

function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '30' },
      spans: { type: 'string', default: '20000000' },
      traces: { type: 'string', default: '10000000' },
      only: { type: 'string', default: PARTS.join(',') },
      'cpu-prof': { type: 'string' },
    },
  });
  return {
    seconds: Number(values.seconds),
    spans: Number(values.spans),
    traces: Number(values.traces),
    parts: new Set(values.only.split(',').map(toPart)),
    profileDir: values['cpu-prof'],
  };
}

function toPart(name: string): Part {
  const part = PARTS.find((known) => known === name);
  if (!part) throw new Error(`--only takes ${PARTS.join(', ')}, not "${name}"`);
  return part;
}
