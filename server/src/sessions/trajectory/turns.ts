/** A transcript as a sequence of turns, with tool results beside their calls: the input of all export formats. */
import type { Db } from '../../platform/db/connect.ts';
import type { StoredMessageOf } from '../transcript/schema.ts';
import {
  boundaryOf,
  PAGE_BYTES,
  PAGE_TURNS,
  readCallRows,
  readMessagesOf,
  readPromptsOf,
  type TrajectorySource,
} from './source.ts';

export type Turn =
  /** A system prompt that takes effect here. */
  | { readonly kind: 'prompt'; readonly content: string }
  /** Comes at its boundary, wherever its summary was stored. */
  | { readonly kind: 'compaction'; readonly summary: StoredMessageOf }
  | {
      readonly kind: 'message';
      readonly message: StoredMessageOf;
      /**
       * The tool messages with the results of its calls, in the order of the calls, however late they were stored; a call may have none.
       */
      readonly results: readonly StoredMessageOf[];
    }
  /** A tool message that belongs to no earlier call. */
  | { readonly kind: 'orphan'; readonly message: StoredMessageOf };

export interface TurnOptions {
  /** Includes all eras. Otherwise the turns are the prompt in force, the last summary and everything after its boundary. */
  readonly includeCompacted: boolean;
}

/** A turn for which only sequence numbers are loaded. */
interface Place {
  readonly kind: 'prompt' | 'compaction' | 'message';
  readonly seq: number;
}

export async function* readTurns(
  db: Db,
  source: TrajectorySource,
  { includeCompacted }: TurnOptions,
): AsyncGenerator<Turn, void, undefined> {
  const fromSeq = includeCompacted ? 1 : boundaryOf(source) + 1;
  const results = await CallResults.read(db, source, fromSeq);
  const places = includeCompacted ? listAll(source, results) : listCurrent(source, results);
  for (const page of toPages(source, results, places)) yield* readPage(db, source, results, page);
}

/**
 * A compaction comes directly after its boundary. A prompt comes before the first message that it applied to, except a tool result, which
 * stays with its call, however far back. A prompt that never applied is left out.
 */
function* listAll(source: TrajectorySource, results: CallResults): Iterable<Place> {
  const boundaries = new Map(source.compactions.map((one) => [one.up_to_seq, one.summary_seq]));
  const summaries = new Set(boundaries.values());
  const prompts = new Set(source.prompts.map(({ from_seq }) => from_seq));
  let begun: Place | undefined;
  for (let seq = 1; seq <= source.lastSeq + 1; seq++) {
    const summary = boundaries.get(seq - 1);
    if (prompts.has(seq)) begun = { kind: 'prompt', seq };
    // An imported session may begin with a summary; its prompt comes before it.
    if (summary !== undefined && seq === 1 && begun) {
      yield begun;
      begun = undefined;
    }
    if (summary !== undefined) yield { kind: 'compaction', seq: summary };
    if (summaries.has(seq) || results.isResult(seq)) continue;
    if (begun) yield begun;
    begun = undefined;
    if (seq <= source.lastSeq) yield { kind: 'message', seq };
  }
}

function* listCurrent(source: TrajectorySource, results: CallResults): Iterable<Place> {
  const prompt = source.prompts.at(-1);
  const compaction = source.compactions.at(-1);
  const summaries = new Set(source.compactions.map(({ summary_seq }) => summary_seq));
  if (prompt) yield { kind: 'prompt', seq: prompt.from_seq };
  if (compaction) yield { kind: 'compaction', seq: compaction.summary_seq };
  for (let seq = boundaryOf(source) + 1; seq <= source.lastSeq; seq++) {
    if (!summaries.has(seq) && !results.isResult(seq)) yield { kind: 'message', seq };
  }
}

function* toPages(
  source: TrajectorySource,
  results: CallResults,
  places: Iterable<Place>,
): Iterable<Place[]> {
  const promptSizes = new Map(source.prompts.map(({ from_seq, size_bytes }) => [from_seq, size_bytes]));
  let page: Place[] = [];
  let bytes = 0;
  for (const place of places) {
    const { kind, seq } = place;
    page.push(place);
    const seqs = [seq, ...(kind === 'message' ? results.resultsOf(seq) : [])];
    bytes += kind === 'prompt' ? (promptSizes.get(seq) ?? 0) : sum(seqs.map((one) => results.sizeOf(one)));
    if (bytes < PAGE_BYTES && page.length < PAGE_TURNS) continue;
    yield page;
    page = [];
    bytes = 0;
  }
  if (page.length > 0) yield page;
}

const sum = (figures: readonly number[]) => figures.reduce((total, figure) => total + figure, 0);

async function* readPage(
  db: Db,
  source: TrajectorySource,
  results: CallResults,
  page: readonly Place[],
): AsyncIterable<Turn> {
  const messageSeqs = page.flatMap(({ kind, seq }) => {
    if (kind === 'prompt') return [];
    return kind === 'message' ? [seq, ...results.resultsOf(seq)] : seq;
  });
  const promptSeqs = page.flatMap(({ kind, seq }) => (kind === 'prompt' ? seq : []));
  const prompts = await readPromptsOf(db, source, promptSeqs);
  const messages = await readMessagesOf(db, source, messageSeqs);
  const get = (seq: number) => messages.get(seq) as StoredMessageOf;
  for (const { kind, seq } of page) {
    if (kind === 'prompt') yield { kind, content: prompts.get(seq) ?? '' };
    else if (kind === 'compaction') yield { kind, summary: get(seq) };
    else if (get(seq).role === 'tool') yield { kind: 'orphan', message: get(seq) };
    else yield { kind, message: get(seq), results: byCall(get(seq), results.resultsOf(seq).map(get)) };
  }
}

/** Several results of one call keep their order. */
function byCall(message: StoredMessageOf, results: readonly StoredMessageOf[]): StoredMessageOf[] {
  const places = new Map<string | null, number>();
  for (const [place, { id }] of (message.tool_calls ?? []).entries()) {
    if (!places.has(id)) places.set(id, place);
  }
  const placeOf = ({ tool_call_id }: StoredMessageOf) => places.get(tool_call_id) ?? 0;
  return results.toSorted((a, b) => placeOf(a) - placeOf(b));
}

const PORTION_ROWS = 2_000;

class CallResults {
  private readonly firstSeq: number;
  private readonly sizes: Int32Array;
  /** The first result of a message, or the next result for the same message; 0 for none. */
  private readonly following: Int32Array;
  /** The last result of a message; a result maps to itself. */
  private readonly last: Int32Array;

  private constructor(firstSeq: number, count: number) {
    this.firstSeq = firstSeq;
    this.sizes = new Int32Array(count);
    this.following = new Int32Array(count);
    this.last = new Int32Array(count);
  }

  /** A result belongs to the nearest earlier message that made the call; messages before `fromSeq` are ignored. */
  static async read(db: Db, source: TrajectorySource, fromSeq: number): Promise<CallResults> {
    const { lastSeq } = source;
    const results = new CallResults(fromSeq, lastSeq - fromSeq + 1);
    const summaries = new Set(source.compactions.map(({ summary_seq }) => summary_seq));
    const callers = new Map<string, number>();
    for (let from = fromSeq; from <= lastSeq; from += PORTION_ROWS) {
      const to = Math.min(from + PORTION_ROWS - 1, lastSeq);
      for (const { seq, size_bytes, call_ids, answers } of await readCallRows(db, source, from, to)) {
        results.sizes[seq - fromSeq] = size_bytes;
        if (summaries.has(seq)) continue;
        for (const id of call_ids ?? []) callers.set(id, seq);
        const caller = answers === null ? undefined : callers.get(answers);
        if (caller !== undefined) results.add(caller, seq);
      }
    }
    return results;
  }

  sizeOf(seq: number): number {
    return this.sizes[seq - this.firstSeq] ?? 0;
  }

  isResult(seq: number): boolean {
    return this.last[seq - this.firstSeq] === seq;
  }

  /** Returns the results of a message in the order in which they were stored. */
  resultsOf(seq: number): number[] {
    const found: number[] = [];
    for (let next = this.after(seq); next !== 0; next = this.after(next)) found.push(next);
    return found;
  }

  private after(seq: number): number {
    return this.following[seq - this.firstSeq] ?? 0;
  }

  private add(caller: number, result: number): void {
    const before = this.last[caller - this.firstSeq] || caller;
    this.following[before - this.firstSeq] = result;
    this.last[caller - this.firstSeq] = result;
    this.last[result - this.firstSeq] = result;
  }
}
