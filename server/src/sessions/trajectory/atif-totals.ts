/** Final metrics of a document: sums over the steps that it contains. */
import { type FinalMetricsOf, isCompaction, type StepOf } from './atif-schema.ts';

const COST_DIGITS = 12;

export class AtifTotals {
  #steps = 0;
  #compactions = 0;
  #promptTokens = 0;
  #completionTokens = 0;
  #cachedTokens = 0;
  #cost = 0;
  #isPriced = true;

  add({ source, metrics, extra }: StepOf): void {
    this.#steps++;
    if (source === 'system' && isCompaction(extra?.['context_management'])) this.#compactions++;
    if (!metrics) return;
    this.#promptTokens += metrics.prompt_tokens ?? 0;
    this.#completionTokens += metrics.completion_tokens ?? 0;
    this.#cachedTokens += metrics.cached_tokens ?? 0;
    this.#cost += metrics.cost_usd ?? 0;
    this.#isPriced &&= typeof metrics.cost_usd === 'number';
  }

  /** Omits the cost if any step lacks one: a partial sum would look like the total. */
  toMetrics(): FinalMetricsOf {
    return {
      total_prompt_tokens: exact(this.#promptTokens),
      total_completion_tokens: exact(this.#completionTokens),
      total_cached_tokens: exact(this.#cachedTokens),
      ...(this.#isPriced && { total_cost_usd: Number(this.#cost.toFixed(COST_DIGITS)) }),
      total_steps: this.#steps,
      ...(this.#compactions > 0 && { extra: { compaction_count: this.#compactions } }),
    };
  }
}

/** Imported documents may contain arbitrarily large counts; a sum that is not exact is omitted. */
const exact = (sum: number) => (Number.isSafeInteger(sum) ? sum : undefined);
