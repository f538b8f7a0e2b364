/** The cost of reading traces while others, and other days, get twenty times as many spans. */
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createSigner } from '@drydock/server/src/platform/auth/signing.ts';
import { listTraces } from '@drydock/server/src/traces/reading/list.ts';
import { listSpans } from '@drydock/server/src/traces/reading/span-page.ts';
import { getStats } from '@drydock/server/src/traces/reading/stats.ts';
import { getTrace } from '@drydock/server/src/traces/reading/summary.ts';
import { SpanListQuery, TraceListQuery } from '@drydock/server/src/traces/schema.ts';
import { count } from './figures.ts';
import { type ListWorld, readQuery, startListWorld } from './list-world.ts';
import { insertSpanRows, prepareSpanRows } from './span-rows.ts';
import { TraceGrowth, type TraceReading } from './trace-growth.ts';

const DAYS = 30;
const FIRST_SPANS = 1_000_000;
/** At the end, a twentieth of the spans are the reader's own, on other days. */
const OWN_SHARE = 20;
const TODAY_SPANS = 25_000;
const LARGE_TRACE_SPANS = 30_000;
const BYTES_PER_SPAN = 1_000;

export async function benchTraceGrowth(spans: number, undo: AsyncDisposableStack): Promise<boolean> {
  requireRoom(spans);
  const world = await startListWorld(undo);
  const { pool } = world;
  await prepareSpanRows(pool, DAYS);
  const today = { of: 'main', daysAgo: [0] } as const;
  const [trace = ''] = await insertSpanRows(pool, { ...today, spans: TODAY_SPANS, seed: 'own' });
  const large = { spans: LARGE_TRACE_SPANS, seed: 'large', isOneTrace: true };
  const [largeTrace = ''] = await insertSpanRows(pool, { ...today, ...large });
  const readings = await makeReadings(world, trace, largeTrace);
  const days = Array.from({ length: DAYS }, (_, day) => day);
  const others = { of: 'others', daysAgo: days } as const;

  const first = Math.min(FIRST_SPANS, spans);
  const [few, many] = [`${count(first)} of others`, `${count(spans)} of others`];
  await insertSpanRows(pool, { ...others, spans: first, seed: 'first' });
  const byOthers = new TraceGrowth('spans of other organizations', [few, many]);
  await byOthers.add(world, readings);
  await insertSpanRows(pool, { ...others, spans: spans - first, seed: 'rest' });
  await byOthers.add(world, readings);

  const ofOneDay = readings.filter(({ isOfAllDays }) => !isOfAllDays);
  const old = Math.ceil(spans / OWN_SHARE);
  const byDays = new TraceGrowth('spans of its own on other days', [many, `and ${count(old)} of its own`]);
  await byDays.add(world, ofOneDay);
  await insertSpanRows(pool, { of: 'main', daysAgo: days.slice(1), spans: old, seed: 'old' });
  await byDays.add(world, ofOneDay);
  return [byOthers.report(), byDays.report()].every(Boolean);
}

function requireRoom(spans: number): void {
  const { bavail, bsize } = statfsSync(tmpdir());
  const needed = spans * BYTES_PER_SPAN;
  if (bavail * bsize < needed)
    throw new Error(
      `${count(spans)} spans take ${count(needed / 1e9)} GB of ${tmpdir()}; ask for fewer: --spans`,
    );
}

async function makeReadings(
  { pool, scope }: ListWorld,
  trace: string,
  large: string,
): Promise<TraceReading[]> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT id FROM workspaces WHERE organization_id = $1 AND key = 'main'`,
    [scope.organizationId],
  );
  const viewer = {
    ...scope,
    workspaceId: rows[0]?.id ?? '',
    workspaceKey: 'main',
    workspaceRole: 'admin' as const,
  };
  const signer = createSigner('bench-secret-key-bench-secret-key');
  const from = `from=${new Date().toISOString().slice(0, 10)}T00:00:00Z`;
  const list = (title: string, query: string, isOfAllDays = false): TraceReading => ({
    title,
    path: `/traces?${query}`,
    work: (db) => listTraces(db, viewer, readQuery(TraceListQuery, query)),
    isOfAllDays,
  });
  const page = (title: string, id: string, query: string): TraceReading => ({
    title,
    path: `/traces/${id}/spans?${query}`,
    work: (db) => listSpans(db, signer, viewer, id, readQuery(SpanListQuery, query)),
  });
  return [
    list('list', '', true),
    list('list of today', from),
    list('list of today, searched', `${from}&search=model-7`),
    { title: 'trace', path: `/traces/${trace}`, work: (db) => getTrace(db, viewer, trace) },
    page('page of a trace', trace, ''),
    page(`page of a trace of ${count(LARGE_TRACE_SPANS)} spans`, large, ''),
    page('its roots', large, 'parent=root'),
    { title: 'stats of a trace', path: `/traces/${trace}/stats`, work: (db) => getStats(db, viewer, trace) },
  ];
}
