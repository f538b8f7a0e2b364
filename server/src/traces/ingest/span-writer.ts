/** Stores spans: chunks that arrive at the same moment share one statement, and resolve after its commit. */
import { Batcher } from '../../platform/batcher/batcher.ts';
import type { Db } from '../../platform/db/connect.ts';
import { isRetryable, transaction } from '../../platform/db/transaction.ts';
import { ElementWriter, toArray } from './binary-arrays.ts';
import type { SpanChunk } from './span-chunk.ts';
import { COLUMN_NAMES, SPAN_COLUMNS, type SpanColumn } from './span-rows.ts';
import { type PlacedSource, type SpanBatch, storeSpans, type Unstored } from './store-spans.ts';
import { toNullCosts } from './unpriced-calls.ts';

export interface Sender {
  readonly organizationId: string;
  readonly userId: string;
}

export interface Place {
  readonly workspaceId: string;
  readonly projectId: string | null;
}

interface Item {
  readonly chunk: SpanChunk;
  readonly from: Sender;
  readonly places: readonly (Place | undefined)[];
  /** Costs from the price list, as elements of a binary array; undefined when it prices none of the spans. */
  readonly costs: Uint8Array | undefined;
}

/** Spans of a source that were not stored. */
export interface SourceRefusal {
  /** Index of the source within the chunk. */
  readonly index: number;
  readonly spans: number;
  /** `gone`: the workspace was deleted after the place was looked up; `taken`: another workspace or user has spans with these ids. */
  readonly reason: 'gone' | 'taken';
}

/** Maximum number of spans per statement: more are not faster, and make others wait longer. */
const MAX_SPANS = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;

export class SpanWriter {
  private readonly batcher: Batcher<Item, SourceRefusal[]>;

  constructor(db: Db) {
    this.batcher = new Batcher({
      write: (items) => writeTogether(db, items),
      shareOf: ({ chunk: { spans, bytes } }) => Math.max(spans / MAX_SPANS, bytes / MAX_BYTES),
    });
  }

  /**
   * The same spans can be sent again after a failure: those that are stored already are skipped.
   * @param places of each source of the chunk; spans of a source without a place are not stored
   * @param costs of spans that report no cost, as returned by `priceCalls`
   * @returns spans of the other sources that were not stored
   */
  async write(
    chunk: SpanChunk,
    from: Sender,
    places: readonly (Place | undefined)[],
    costs?: Uint8Array,
  ): Promise<readonly SourceRefusal[]> {
    if (places.every((place) => place === undefined)) return [];
    return this.batcher.add({ chunk, from, places, costs });
  }

  /** Stores the waiting spans and accepts no more. */
  drain(): Promise<void> {
    return this.batcher.drain();
  }
}

async function writeTogether(db: Db, items: readonly Item[]): Promise<SourceRefusal[][]> {
  const sources = items.flatMap((item) => placedSources(item));
  const batch = { ...mergeSpans(items), sources: sources.map(({ source }) => source) };
  const refused = new Map<Item, SourceRefusal[]>(items.map((item) => [item, []]));
  const refuse = (number: number, reason: SourceRefusal['reason'], spans?: number) => {
    const { item, index, source } = sources[number - 1] as (typeof sources)[number];
    refused.get(item)?.push({ index, spans: spans ?? source.source.spans, reason });
  };
  const { gone, taken } = await store(db, batch);
  for (const number of gone) refuse(number, 'gone');
  for (const [number, spans] of taken) refuse(number, 'taken', spans);
  return items.map((item) => refused.get(item) ?? []);
}

/** A single statement is already a transaction; an explicit one is only needed for a retry. */
async function store(db: Db, batch: SpanBatch): Promise<Unstored> {
  try {
    return await storeSpans(db, batch);
  } catch (error) {
    if (!isRetryable(error)) throw error;
    return transaction(db, (trx) => storeSpans(trx, batch));
  }
}

function placedSources(
  item: Item,
): { readonly item: Item; readonly index: number; readonly source: PlacedSource }[] {
  return item.places.flatMap((place, index) => {
    const source = item.chunk.sources[index];
    if (!place || !source) return [];
    const bytes = Math.round((item.chunk.bytes * source.spans) / item.chunk.spans);
    return { item, index, source: { ...item.from, ...place, source, bytes } };
  });
}

const NO_LIST_COSTS = toArray('double precision', 0, []);

/** Concatenates the chunks and renumbers their sources. */
function mergeSpans(items: readonly Item[]): Omit<SpanBatch, 'sources'> {
  const count = items.reduce((sum, { chunk }) => sum + chunk.spans, 0);
  const columns = COLUMN_NAMES.map((name, index) => {
    const elements = items.flatMap(({ chunk }) => chunk.columns[index] ?? []);
    return [name, toArray(SPAN_COLUMNS[name], count, elements)] as const;
  });
  return {
    columns: Object.fromEntries(columns) as Record<SpanColumn, Buffer>,
    sourceNumbers: toArray('integer', count, [numberSources(items)]),
    listCosts: items.some(({ costs }) => costs)
      ? toArray(
          'double precision',
          count,
          items.map(({ costs, chunk }) => costs ?? toNullCosts(chunk.spans)),
        )
      : NO_LIST_COSTS,
  };
}

function numberSources(items: readonly Item[]): Uint8Array {
  const elements = new ElementWriter();
  let placed = 0;
  for (const { chunk, places } of items) {
    const numbers = places.map((place) => (place ? ++placed : 0));
    for (const index of chunk.sourceIndexes) elements.integer(numbers[index] ?? 0);
  }
  return elements.take();
}
