/** Counts rejected spans and summarizes the reasons in a few sentences. */
import type { Refused } from '../otlp/answer.ts';

const MAX_REASONS = 3;
/** Maximum number of distinct reasons; further spans are counted without their reason. */
const MAX_COUNTED = 100;

export class Rejections {
  private readonly reasons = new Map<string, number>();
  private total = 0;

  add(spans: number, reason: string): void {
    if (spans === 0) return;
    this.total += spans;
    if (this.reasons.size < MAX_COUNTED || this.reasons.has(reason))
      this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + spans);
  }

  get refused(): Refused {
    const most = [...this.reasons].toSorted(([, a], [, b]) => b - a).slice(0, MAX_REASONS);
    const told = most.map(([reason, spans]) => `${count(spans)}: ${reason}`);
    const left = this.total - most.reduce((sum, [, spans]) => sum + spans, 0);
    if (left > 0) told.push(`${count(left)}: other reasons of this kind.`);
    return { rejectedSpans: this.total, errorMessage: told.join(' ') };
  }
}

const count = (spans: number) => `${spans} ${spans === 1 ? 'span was' : 'spans were'} rejected`;
