/**
 * Assigns tool results to calls for a whole transcript, from the ids alone, and keeps only sequence numbers, so that a page can be read
 * together with results that were stored long after it.
 */
import type { Db } from '../../platform/db/connect.ts';
import { readCallRows, type TrajectorySource } from './source.ts';

const PORTION_ROWS = 2_000;

export class CallResults {
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
