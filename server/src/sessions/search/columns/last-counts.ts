/** Caches the most recent counts until something changes: a page that stays open repeats the same query. */
import type { FacetCounts } from '../facet-counts.ts';
import type { SessionColumns } from './session-columns.ts';

interface Kept {
  readonly version: number;
  readonly byQuestion: Map<string, FacetCounts>;
}

const MAX_QUESTIONS = 16;
/** Larger counts are not cached, because this cache is outside the memory budget. */
const MAX_VALUES = 2_000;

export class LastCounts {
  /** Lives as long as the columns. */
  private readonly kept = new WeakMap<SessionColumns, Kept>();

  find(columns: SessionColumns, question: string): FacetCounts | undefined {
    const kept = this.kept.get(columns);
    return kept?.version === columns.version ? kept.byQuestion.get(question) : undefined;
  }

  keep(columns: SessionColumns, question: string, counts: FacetCounts): FacetCounts {
    if (valueCount(counts) > MAX_VALUES) return counts;
    const kept = this.kept.get(columns);
    const isCurrent = kept?.version === columns.version && kept.byQuestion.size < MAX_QUESTIONS;
    const byQuestion = isCurrent ? kept.byQuestion : new Map<string, FacetCounts>();
    byQuestion.set(question, counts);
    this.kept.set(columns, { version: columns.version, byQuestion });
    return counts;
  }
}

function valueCount({ labels, ...others }: FacetCounts): number {
  return [...Object.values(others), ...labels.values()].reduce((sum, { size }) => sum + size, 0);
}
